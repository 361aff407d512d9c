"""A model for Gemini CLI on loopback: hands in a wrong result, then the right one. Prints its address, and notes its requests."""

import http.server
import json
import sys

conversation = 0


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def body(self):
        if self.headers.get("transfer-encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("content-length") or 0))
        parts = []
        while size := int(self.rfile.readline(), 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def do_POST(self):
        global conversation
        body = json.loads(self.body() or b"{}")
        with open(sys.argv[1], "a") as file:
            file.write(json.dumps(body) + "\n")
        tools = [each["name"] for tool in body.get("tools", []) for each in tool.get("functionDeclarations", [])]
        submit = next((tool for tool in tools if "submit_result" in tool), None)
        part = {"text": "Handed in." if submit else f"There is no submit tool among {tools}."}
        if submit:
            word = {0: "urgent", 2: "high"}.get(conversation)
            conversation += 1
            if word:
                part = {"functionCall": {"name": submit, "args": {"severity": word}}}
        answer = {
            "candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}],
            "usageMetadata": {"promptTokenCount": 100, "candidatesTokenCount": 20, "totalTokenCount": 120},
        }
        text = json.dumps(answer)
        is_stream = "stream" in self.path
        data = (f"data: {text}\r\n\r\n" if is_stream else text).encode()
        self.send_response(200)
        self.send_header("content-type", "text/event-stream" if is_stream else "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
