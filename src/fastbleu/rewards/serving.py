"""A reward served by HTTP, for hosts that ask a remote reward model: JSON in, JSON out."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from http.server import ThreadingHTTPServer
    from typing import Any

#: Larger requests are refused before they are read. A batch of 1,024 texts of 10,000 characters has 10 MB.
LARGEST_REQUEST = 256 * 1024 * 1024


def serve(answer: Callable[[Any], Any], host: str = "127.0.0.1", port: int = 5000) -> ThreadingHTTPServer:
    """Make a server that answers each POST, on any path, with the JSON of `answer(request)`.

    Args:
        answer: From the request's JSON to what can be written as JSON: the method `answer` of a host's reward.
        host: The address to listen on; "0.0.0.0" for all of this machine.
        port: The port; 0 for any that is free, which `server_address` then names.

    Returns:
        The server, which listens already; `serve_forever()` answers, `shutdown()` from another thread ends that. A
        request that is not JSON, or whose samples raise, gets status 400 and `{"error": ...}`.

    Example:
        >>> server = serve(lambda request: request["response"], port=0)
        >>> server.server_address[0]
        '127.0.0.1'
        >>> server.server_close()
    """
    import json
    from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"  # keeps connections open

        def do_POST(self) -> None:
            length = self.headers.get("Content-Length", "")
            if not length.isdecimal() or int(length) > LARGEST_REQUEST:
                self.close_connection = True
                self.reply(411 if not length else 413, {"error": "a Content-Length is missing or too large"})
                return
            body = self.rfile.read(int(length))
            try:
                reply = answer(json.loads(body))
            except (TypeError, ValueError, RecursionError) as error:  # the last of brackets without end
                self.reply(400, {"error": f"{type(error).__name__}: {error}"})
            else:
                self.reply(200, reply)

        def reply(self, status: int, value: Any) -> None:
            body = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *message: Any) -> None:
            """Nothing: one line for each sample would hide all others."""

    return ThreadingHTTPServer((host, port), Handler)
