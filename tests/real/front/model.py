"""A model for the tests of clients: Chat Completions for agents of type llm, Anthropic Messages for Claude Code, Responses for Codex.

It answers by what it is asked: with what nobody can use where the task is "impossible", with the roles of the messages to "Who spoke?",
with a sentiment where a schema wants a `label`, with an object in JSON mode, and otherwise with the number of messages that it was sent.
Where the task says "call NAME {…}" and there is a tool of that name, it calls it, and then says what the tools answered.
"""

import json
import re
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SENTIMENT = {"label": "positive", "score": 0.9}
# The tool that Claude Code makes of a schema.
STRUCTURED = "StructuredOutput"


def content(asked: object, messages: list[dict]) -> str:
    text = json.dumps(asked)
    if "impossible" in text:
        return "no idea"
    if messages and messages[-1]["content"] == "Who spoke?":
        return " ".join(message["role"] for message in messages)
    if "label" in text:
        return json.dumps(SENTIMENT)
    if '"json_object"' in text:
        return json.dumps({"n": "12", "nothing": "null", "list": [1.50]})
    said = sum(message["role"] in ("user", "assistant") for message in messages)
    return f"You sent {said} messages."


def events(named: list[dict]) -> tuple[str, str]:
    return "".join(f"event: {data['type']}\ndata: {json.dumps(data)}\n\n" for data in named), "text/event-stream"


def calls(body: dict) -> list[dict]:
    """The calls that the last message of the user asks for."""
    names = {tool["function"]["name"] for tool in body.get("tools", [])}
    last = body["messages"][-1]
    found = re.findall(r"call (\w+) (\{[^{}]*\})", str(last["content"])) if last["role"] == "user" else []
    return [
        {"index": index, "id": f"call_{index}", "type": "function", "function": {"name": name, "arguments": arguments}}
        for index, (name, arguments) in enumerate(found)
        if name in names
    ]


def chat(body: dict) -> tuple[str, str]:
    heard = [message["content"] for message in body["messages"] if message["role"] == "tool"]
    text = f"You heard {', '.join(heard)}." if heard else content(body, body["messages"])
    message = {"role": "assistant", "content": text}
    reason = "stop"
    if called := calls(body):
        message, reason = {"role": "assistant", "content": None, "tool_calls": called}, "tool_calls"
    usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
    whole = {"id": "c", "object": "chat.completion", "created": 0, "model": "m", "usage": usage}
    if body.get("stream") is True:
        chunk = {**whole, "object": "chat.completion.chunk"}
        chunk["choices"] = [{"index": 0, "delta": message, "finish_reason": reason}]
        return f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n", "text/event-stream"
    whole["choices"] = [{"index": 0, "message": message, "finish_reason": reason}]
    return json.dumps(whole), "application/json"


def messages(body: dict) -> tuple[str, str]:
    # The prompts of Claude Code itself have many words.
    tool = next((tool for tool in body.get("tools", []) if tool["name"] == STRUCTURED), None)
    text = content([body["messages"], tool], body["messages"])
    is_call = tool is not None and text.startswith("{")
    block = {"type": "tool_use", "id": "toolu_1", "name": STRUCTURED, "input": {}} if is_call else {"type": "text", "text": ""}
    delta = {"type": "input_json_delta", "partial_json": text} if is_call else {"type": "text_delta", "text": text}
    reason = "tool_use" if is_call else "end_turn"
    start = {"id": "msg_1", "type": "message", "role": "assistant", "model": body["model"], "content": []}
    start |= {"stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 100, "output_tokens": 1}}
    if body.get("stream") is not True:
        whole = {**block, "input": json.loads(text)} if is_call else {**block, "text": text}
        usage = {"input_tokens": 100, "output_tokens": 10}
        return json.dumps({**start, "content": [whole], "stop_reason": reason, "usage": usage}), "application/json"
    end = {"stop_reason": reason, "stop_sequence": None}
    return events([
        {"type": "message_start", "message": start},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": end, "usage": {"output_tokens": 10}},
        {"type": "message_stop"},
    ])


def responses(body: dict) -> tuple[str, str]:
    inputs = [item for item in body["input"] if item.get("role")]
    part = {"type": "output_text", "text": content([inputs, body.get("text")], inputs), "annotations": [], "logprobs": []}
    item = {"id": "msg_1", "type": "message", "status": "completed", "role": "assistant", "content": [part]}
    response = {"id": "resp_1", "object": "response", "created_at": 0, "status": "in_progress", "model": "m", "output": []}
    usage = {"input_tokens": 100, "output_tokens": 10, "total_tokens": 110}
    usage |= {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    done = {**response, "status": "completed", "output": [item], "usage": usage}
    added = {**item, "status": "in_progress", "content": []}
    return events([
        {"type": "response.created", "sequence_number": 0, "response": response},
        {"type": "response.output_item.added", "sequence_number": 1, "output_index": 0, "item": added},
        {"type": "response.output_item.done", "sequence_number": 2, "output_index": 0, "item": item},
        {"type": "response.completed", "sequence_number": 3, "response": done},
    ])


ROUTES = {"/v1/chat/completions": chat, "/v1/messages": messages, "/v1/responses": responses}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        pass

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        if slow := re.search(rb"take (\d+) seconds", body):
            time.sleep(int(slow.group(1)))
        route = ROUTES.get(self.path.split("?")[0])
        self.reply(*((200, *route(json.loads(body))) if route else (404, "{}", "application/json")))

    def do_GET(self) -> None:
        self.reply(404, "{}", "application/json")

    do_HEAD = do_GET

    def reply(self, status: int, text: str, kind: str) -> None:
        data = text.encode()
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)


def start() -> str:
    """Serves in the background; returns the URL."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"
