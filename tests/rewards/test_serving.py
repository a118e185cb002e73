"""A reward served by HTTP."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from fastbleu.rewards import serving, slime


@pytest.fixture
def served() -> Iterator[Any]:
    """A function that starts a server, and returns one that posts to it."""
    servers = []

    def start(answer: Any) -> Any:
        server = serving.serve(answer, port=0)
        servers.append(server)
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()

        def post(body: Any, **headers: str) -> tuple[int, Any]:
            connection = http.client.HTTPConnection(*server.server_address[:2], timeout=60)
            connection.request("POST", "/get_reward", body, headers)
            response = connection.getresponse()
            found = response.status, json.loads(response.read())
            connection.close()
            return found

        return post

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize(
    "body",
    [
        "",
        "{",
        "[]",
        '{"response": "a"}',
        '{"response": 3, "label": "a"}',
        b"\xff",
        '{"response": "a", "label": null}',
        "[" * 100_000,
    ],
)
def test_bad_requests(served: Any, body: Any) -> None:
    status, reply = served(slime.bleu_reward().answer)(body)
    assert status == 400
    assert list(reply) == ["error"]


def test_samples(served: Any) -> None:
    post = served(slime.bleu_reward(errors="empty", empty=-1).answer)
    assert post('{"response": "It rained.</s>", "label": "It rained."}') == (200, 1.0)
    assert post('{"response": 3, "label": "a"}') == (200, -1.0)


def test_length_is_checked_before_the_body_is_read(served: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "LARGEST_REQUEST", 10)
    post = served(len)
    assert post('"12345678"') == (200, 8)
    assert post('"123456789"')[0] == 413
    assert post("", **{"Content-Length": "many"})[0] == 413


@pytest.mark.slow
def test_connections_are_kept() -> None:
    with serving.serve(len, port=0) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        connection = http.client.HTTPConnection(*server.server_address[:2], timeout=60)
        for word in ("a", "ab", "abc"):
            connection.request("POST", "/", json.dumps(word))
            assert json.loads(connection.getresponse().read()) == len(word)
        connection.close()
        server.shutdown()
