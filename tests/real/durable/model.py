"""A chat-completions model without memory, for counting what a crash costs.

What it says follows from how often it has spoken in the conversation: two tool calls, an answer that does not conform, one that
does. It hangs once at the request of a run that the test names.
"""

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ANSWERS = 4


class Model:
    def __init__(self, prefix: str) -> None:
        self.prefix, self.lock = prefix, threading.Lock()
        self.requests: dict[int, int] = {}
        self.hang_at: dict[int, int] = {}
        self.hung = threading.Event()
        model = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: object) -> None:
                pass

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                reply = model.reply(body)
                if reply is None:
                    model.hung.set()
                    self.rfile.read(1)  # Until the client is gone.
                    return
                self.answer(reply, body.get("stream") is True)

            def answer(self, message: dict, is_streamed: bool) -> None:
                usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
                finish = "tool_calls" if message.get("tool_calls") else "stop"
                whole = {"id": "c", "object": "chat.completion", "created": 0, "model": "m", "usage": usage}
                if is_streamed:
                    calls = [{"index": 0, **call} for call in message.get("tool_calls", [])]
                    delta = {**message, **({"tool_calls": calls} if calls else {})}
                    chunk = {**whole, "object": "chat.completion.chunk"}
                    chunk["choices"] = [{"index": 0, "delta": delta, "finish_reason": finish}]
                    text, kind = f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n", "text/event-stream"
                else:
                    whole["choices"] = [{"index": 0, "message": message, "finish_reason": finish}]
                    text, kind = json.dumps(whole), "application/json"
                data = text.encode()
                self.send_response(200)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"

    def reply(self, body: dict) -> dict | None:
        number = int(re.search(r"number-(\d+)\.", json.dumps(body)).group(1))
        # What comes before the task are examples.
        task = next(at for at, message in enumerate(body["messages"]) if f"number-{number}." in json.dumps(message))
        said = sum(message["role"] == "assistant" for message in body["messages"][task:])
        with self.lock:
            self.requests[number] = self.requests.get(number, 0) + 1
            if self.hang_at.get(number) == said:
                del self.hang_at[number]
                return None
        tool = {0: "look", 1: "change"}.get(said)
        if tool is None:
            content = "not yet" if said == 2 else json.dumps({"number": number})
            return {"role": "assistant", "content": content}
        function = {"name": self.prefix + tool, "arguments": json.dumps({"number": number})}
        call = {"id": f"call_{number}_{said}", "type": "function", "function": function}
        return {"role": "assistant", "content": None, "tool_calls": [call]}
