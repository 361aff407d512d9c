"""A chat-completions model for the tests of clients.

It answers by what it is asked: with a sentiment where a schema wants a `label`, with what nobody can use where the task is
"impossible", and otherwise with the number of messages that it was sent.
"""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SENTIMENT = {"label": "positive", "score": 0.9}


def content(body: dict) -> str:
    text = json.dumps(body)
    if "impossible" in text:
        return "no idea"
    if "label" in text:
        return json.dumps(SENTIMENT)
    said = sum(message["role"] in ("user", "assistant") for message in body["messages"])
    return f"You sent {said} messages."


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        pass

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        message = {"role": "assistant", "content": content(body)}
        usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
        whole = {"id": "c", "object": "chat.completion", "created": 0, "model": "m", "usage": usage}
        if body.get("stream") is True:
            chunk = {**whole, "object": "chat.completion.chunk"}
            chunk["choices"] = [{"index": 0, "delta": message, "finish_reason": "stop"}]
            text, kind = f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n", "text/event-stream"
        else:
            whole["choices"] = [{"index": 0, "message": message, "finish_reason": "stop"}]
            text, kind = json.dumps(whole), "application/json"
        data = text.encode()
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def start() -> str:
    """Serves in the background; returns the base URL."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/v1"
