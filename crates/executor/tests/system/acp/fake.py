#!/usr/bin/env python3
"""Speaks as an ACP agent does, as far as the tests need it. ACT says what it does wrong, or how it answers."""

import json
import os
import subprocess
import sys
import time

ACT = os.environ.get("ACT", "")
LOG = os.environ["LOG"]
SESSION = "sess-1"


def note(name, value):
    with open(f"{LOG}/{name}", "a") as file:
        file.write(json.dumps(value) + "\n")


def say(message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def hear():
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    message = json.loads(line)
    note("messages", message)
    return message


def update(what, /, **fields):
    say({"method": "session/update", "params": {"sessionId": SESSION, "update": {"sessionUpdate": what, **fields}}})


def text(words):
    update("agent_message_chunk", content={"type": "text", "text": words})


def misbehave():
    """What a broken program does in the middle of a turn."""
    if ACT in ("silence", "deaf", "garbage", "bytes", "flood"):
        child = subprocess.Popen(["sleep", "300"])
        with open(f"{LOG}/part", "w") as file:
            file.write(str(child.pid))
        os.rename(f"{LOG}/part", "pid")
    if ACT == "garbage":
        print("loading…", flush=True)
    elif ACT == "bytes":
        sys.stdout.buffer.write(b"\xff\n")
        sys.stdout.flush()
    elif ACT == "flood":
        for _ in range(100):
            sys.stdout.write("x" * 1_000_000)
        print(flush=True)
    elif ACT == "half":
        sys.stdout.write('{"jsonrpc":')
        sys.stdout.flush()
        print("out of memory, sk-very-secret", file=sys.stderr, flush=True)
        os._exit(9)
    elif ACT == "killed":
        os.kill(os.getpid(), 9)
    if ACT in ("deaf", "garbage", "bytes", "flood"):
        time.sleep(300)


def submit(servers, value):
    """Calls the submit tool as an MCP client does: starts the server and calls it once."""
    server = next(each for each in servers if each["name"] == "accord_submit")
    options = dict(zip(server["args"][1::2], server["args"][2::2]))
    with open(options["--out"], "a") as file:
        file.write(json.dumps(value) + "\n")


def call_submit(servers, call_id, value):
    name = "mcp__accord_submit__submit_result"
    update("tool_call", toolCallId=call_id, title=name, name=name, kind="other", status="pending", rawInput=value)
    if permission(call_id, name, "other", value) != "yes":
        update("tool_call_update", toolCallId=call_id, status="failed")
        return
    submit(servers, value)
    update("tool_call_update", toolCallId=call_id, status="completed")


def permission(call_id, name, kind, arguments):
    """The option that the client chooses, or that it chose none."""
    options = [
        {"optionId": "always", "name": "Always", "kind": "allow_always"},
        {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
        {"optionId": "no", "name": "No", "kind": "reject_once"},
    ]
    call = {"toolCallId": call_id, "title": name, "kind": kind, "rawInput": arguments}
    say({"id": f"ask-{call_id}", "method": "session/request_permission",
         "params": {"sessionId": SESSION, "toolCall": call, "options": options}})
    while True:
        message = hear()
        if message.get("id") == f"ask-{call_id}":
            outcome = message["result"]["outcome"]
            return outcome.get("optionId", outcome["outcome"])


def run_command(call_id, command):
    update("tool_call", toolCallId=call_id, title=command, kind="execute", status="pending", rawInput={})
    update("tool_call_update", toolCallId=call_id, rawInput={"command": command})
    if ACT == "asks" and permission(call_id, command, "execute", {"command": command}) != "yes":
        update("tool_call_update", toolCallId=call_id, status="failed",
               content=[{"type": "content", "content": {"type": "text", "text": "denied"}}])
        return
    update("tool_call_update", toolCallId=call_id, status="completed",
           content=[{"type": "content", "content": {"type": "text", "text": "sk-very-secret"}}])


def prompt(request, turns, servers):
    """One turn; its reason to stop."""
    words = request["params"]["prompt"][0]["text"]
    misbehave()
    if ACT == "silence":
        while True:
            message = hear()
            if message.get("method") == "session/cancel":
                return "cancelled"
    say({"id": "files", "method": "fs/read_text_file", "params": {"sessionId": SESSION, "path": "/etc/passwd"}})
    if ACT == "foreign":
        say({"method": "session/update", "params": {"sessionId": "elsewhere", "update": {
            "sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "not ours"}}}})
    update("future_update", anything=1)
    if ACT == "steps":
        for number in range(20):
            run_command(f"c{turns}-{number}", "ls")
    if ACT == "submits":
        call_submit(servers, f"s{turns}", {"n": "one"} if turns == 1 else {"n": turns})
        text("Handed in.")
        return "end_turn"
    text("I look. ")
    run_command(f"c{turns}", "ls")
    update("usage_update", used=100, size=1000, cost={"amount": 0.25 * turns, "currency": "USD"})
    if ACT == "refuses":
        text("Not that.")
        return "refusal"
    if ACT == "cut":
        text('{"n": ')
        return "max_tokens"
    answer = json.dumps({"turn": turns, "prompt": words})
    text(answer[:5])
    text(answer[5:])
    return "end_turn"


def main():
    note("pids", os.getpid())
    turns, servers = 0, []
    while True:
        message = hear()
        method, params = message.get("method"), message.get("params", {})

        def answer(result):
            say({"id": message["id"], "result": result})

        def refuse(code, words):
            say({"id": message["id"], "error": {"code": code, "message": words}})

        if method == "initialize":
            if ACT == "stranger":
                refuse(-32601, "Method not found")
                continue
            resume = {"resume": {}} if ACT == "resumes" else {}
            answer({"protocolVersion": 2 if ACT == "newer" else 1,
                    "agentCapabilities": {"loadSession": ACT != "forgets", "sessionCapabilities": resume},
                    "authMethods": [{"id": "by-key", "name": "API key"}]})
        elif method == "authenticate":
            answer({}) if params["methodId"] == "by-key" else refuse(-32602, "no such method")
        elif method == "session/new":
            servers = params.get("mcpServers", [])
            if ACT == "locked":
                refuse(-32000, "Authentication required")
                continue
            options = [{"id": "m", "name": "Model", "category": "model", "type": "select", "currentValue": "small",
                        "options": [{"value": "small", "name": "Small"}, {"value": "large", "name": "Large"}]}]
            answer({"sessionId": SESSION, "configOptions": [] if ACT == "one-model" else options})
        elif method in ("session/load", "session/resume"):
            servers = params.get("mcpServers", [])
            if ACT == "lost":
                refuse(-32002, "Resource not found")
                continue
            if method == "session/load":
                text("what was said before")
            answer({})
        elif method == "session/set_config_option":
            answer({"configOptions": []}) if params["value"] == "large" else refuse(-32602, "no such model")
        elif method == "session/prompt":
            turns += 1
            if ACT == "fails":
                say({"id": message["id"], "error": {"code": -32603, "message": "Internal error",
                                                    "data": {"details": "bad key sk-very-secret"}}})
                continue
            reason = prompt(message, turns, servers)
            usage = {"inputTokens": 10, "outputTokens": 5, "cachedReadTokens": 2, "totalTokens": 17}
            answer({"stopReason": reason, "usage": usage})


main()
