"""The resources server on NeMo Gym's own classes, asked over HTTP."""

from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from typing import Any
from unittest.mock import MagicMock

import pytest

pytest.importorskip("nemo_gym.base_resources_server", exc_type=ImportError)

from fastapi.testclient import TestClient
from nemo_gym.base_resources_server import BaseResourcesServerConfig, SimpleResourcesServer
from nemo_gym.server_utils import ServerClient

from fastbleu.rewards.nemo_gym import bleu_server
from tests.support.compared import compared
from tests.support.reward_hosts import REFERENCES, RESPONSES, REWARDS


def request(text: str, **fields: Any) -> dict[str, Any]:
    """Return an agent's post: the line of the data set, and the response."""
    content = [{"type": "output_text", "text": text, "annotations": []}]
    message = {"id": "m", "type": "message", "role": "assistant", "status": "completed", "content": content}
    return {
        "responses_create_params": {"input": [{"role": "user", "content": "Say."}]},
        "response": {
            "id": "r",
            "created_at": 0.0,
            "model": "policy",
            "object": "response",
            "output": [{"id": "t", "type": "reasoning", "summary": []}, message],
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": [],
        },
        **fields,
    }


def client(**options: Any) -> TestClient:
    kind = bleu_server(**options)
    assert issubclass(kind, SimpleResourcesServer)
    config = BaseResourcesServerConfig(host="0.0.0.0", port=8080, entrypoint="", name="bleu")  # noqa: S104
    server = kind(config=config, server_client=MagicMock(spec=ServerClient))
    return TestClient(server.setup_webserver())


def test_values() -> None:
    bodies = [
        request(response, reference=reference)
        for response, reference in zip(RESPONSES, REFERENCES, strict=True)
    ]
    with client(extract="answer") as asked, ThreadPoolExecutor(4) as pool:
        replies = [reply.json() for reply in pool.map(lambda body: asked.post("/verify", json=body), bodies)]
    assert [reply["reward"] for reply in replies] == [reply["bleu"] for reply in replies] == REWARDS
    assert [reply["reference"] for reply in replies] == REFERENCES
    assert replies[0]["response"]["output"][1]["content"][0]["text"] == RESPONSES[0]
    compared(f"NeMo Gym {version('nemo-gym')}", len(REWARDS))


def test_metrics_of_a_run() -> None:
    """NeMo Gym averages the numbers of all replies."""
    with client() as asked:
        replies = [
            asked.post("/verify", json=request(text, reference="the cat")).json()
            | {"_ng_task_index": i, "_ng_rollout_index": 0}
            for i, text in enumerate(["the cat", "a dog"])
        ]
        metrics = asked.post("/aggregate_metrics", json={"verify_responses": replies}).json()
    assert metrics["agent_metrics"]["mean/reward"] == metrics["agent_metrics"]["mean/bleu"] == 0.5
