#!/usr/bin/env python3
"""Speaks as Codex does, as far as the tests need it. ACT says what it does wrong."""

import json
import os
import subprocess
import sys
import time

ACT = os.environ.get("ACT", "")
LOG = os.environ["LOG"]
THREAD = "01a1-thread"
DRAFT = '{"n": 0}'
CUT = "Incomplete response returned, reason: max_output_tokens"

# What is said before work is no answer where nothing is said after it.
NOTHING_BEHIND_WORK = ("refusal-after-work", "cut-after-work")


def note(name, value):
    with open(f"{LOG}/{name}", "a") as file:
        file.write(json.dumps(value) + "\n")


def say(message):
    print(json.dumps(message), flush=True)


def misbehave():
    """What a broken program does in the middle of a turn."""
    if ACT in ("silence", "garbage", "bytes", "flood", "foreign"):
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
        sys.stdout.write('{"method":')
        sys.stdout.flush()
        print("out of memory, sk-very-secret", file=sys.stderr, flush=True)
        os._exit(9)
    elif ACT == "killed":
        os.kill(os.getpid(), 9)
    if ACT in ("silence", "garbage", "bytes", "flood"):
        time.sleep(300)


def text_of(prompt, turns):
    return {"first": "one", "prose": "I think so"}.get(prompt, json.dumps({"turn": turns, "prompt": prompt}))


def app_server():
    if ACT == "no-app-server":
        sys.exit("error: unrecognized subcommand 'app-server'")
    turns = 0
    for line in sys.stdin:
        message = json.loads(line)
        method, params = message.get("method"), message.get("params", {})
        note("messages", message)

        def answer(result):
            say({"id": message["id"], "result": result})

        def tell(method, **params):
            say({"method": method, "params": {"threadId": THREAD, **params}})

        def ask(request_id, method, **params):
            say({"id": request_id, "method": method, "params": {"threadId": THREAD, **params}})

        if method == "initialize":
            answer({"userAgent": "fake"})
        elif method in ("thread/start", "thread/resume"):
            if ACT == "lost":
                say({"id": message["id"], "error": {"code": -32600, "message": "no rollout found for thread id x"}})
                continue
            if ACT == "bad-server":
                words = "error creating thread: required MCP servers failed to initialize: docs: no such file"
                say({"id": message["id"], "error": {"code": -32603, "message": words}})
                continue
            answer({"thread": {"id": "other" if ACT == "other-thread" else THREAD}, "model": "fake-model"})
        elif method == "turn/start":
            turns += 1
            answer({"turn": {"id": f"turn-{turns}"}})
            if ACT == "approvals":
                change = {"path": "/p/b", "diff": "+b"}
                tell("item/started", item={"type": "fileChange", "id": "c2", "changes": [change]})
                params = {"turnId": f"turn-{turns}", "kind": "command", "command": "touch a", "cwd": "/p"}
                ask("ask-c1", "item/commandExecution/requestApproval", itemId="c1", **params)
                ask("ask-c2", "item/fileChange/requestApproval", itemId="c2", turnId=f"turn-{turns}")
                continue
            say({"id": "ask-1", "method": "item/commandExecution/requestApproval", "params": {}})
            misbehave()
            if ACT == "foreign":
                tell("turn/completed", threadId="elsewhere", turn={"id": "x", "status": "completed"})
                continue
            if ACT in NOTHING_BEHIND_WORK:
                tell("item/completed", item={"type": "agentMessage", "id": "m0", "text": DRAFT})
            tell("item/started", item={"type": "commandExecution", "id": "c1", "command": "ls"})
            tell("item/completed", item={"type": "commandExecution", "id": "c1", "command": "ls", "exitCode": 0,
                                         "status": "completed", "aggregatedOutput": "sk-very-secret\n"})
            is_silent = ACT == "refusal" or ACT in NOTHING_BEHIND_WORK
            if not is_silent:
                tell("item/completed", item={"type": "agentMessage", "id": "m0", "text": "on the way"})
            prompt = params["input"][0]["text"]
            for _ in range(20 if ACT == "steps" else 1):
                tell("thread/tokenUsage/updated", turnId=f"turn-{turns}",
                     tokenUsage={"total": {"inputTokens": 10 * turns, "outputTokens": 5 * turns}})
            if not is_silent:
                tell("item/completed", item={"type": "agentMessage", "id": "m1", "text": text_of(prompt, turns)})
            if ACT == "cut-after-work":
                tell("turn/completed", turn={"id": f"turn-{turns}", "status": "failed", "error": {"message": CUT}})
                continue
            tell("turn/completed", turn={"id": f"turn-{turns}", "status": "completed", "error": None})
        elif method == "turn/interrupt":
            answer({})
            tell("turn/completed", turn={"id": params["turnId"], "status": "interrupted"})


def execute():
    note("arguments", sys.argv[1:])
    note("environment", {name: os.environ[name] for name in os.environ if "TOKEN" in name or "ACCORD" in name})
    prompt = sys.stdin.read()
    note("prompts", prompt)
    if ACT == "lost":
        sys.exit("Error: thread/resume failed: no rollout found for thread id x (code -32600)")
    resumed = "resume" in sys.argv
    say({"type": "thread.started", "thread_id": "other" if ACT == "other-thread" else THREAD})
    say({"type": "turn.started"})
    misbehave()
    if ACT == "denied":
        message = "unexpected status 401 Unauthorized: bad key sk-very-secret"
        say({"type": "error", "message": message})
        say({"type": "turn.failed", "error": {"message": message}})
        sys.exit(1)
    if ACT in NOTHING_BEHIND_WORK:
        say({"type": "item.completed", "item": {"id": "i0", "type": "agent_message", "text": DRAFT}})
        for kind, status in (("started", "in_progress"), ("completed", "completed")):
            work = {"id": "i1", "type": "command_execution", "command": "ls", "exit_code": 0, "status": status}
            say({"type": f"item.{kind}", "item": work})
    elif ACT != "refusal":
        say({"type": "item.completed", "item": {"id": "i0", "type": "agent_message", "text": "on the way"}})
        say({"type": "item.completed", "item": {"id": "i1", "type": "agent_message", "text": "resumed" if resumed else "begun"}})
    if ACT == "cut-after-work":
        say({"type": "error", "message": CUT})
        say({"type": "turn.failed", "error": {"message": CUT}})
        sys.exit(1)
    times = 2 if resumed else 1
    say({"type": "turn.completed", "usage": {"input_tokens": 10 * times, "output_tokens": 5 * times}})


note("pids", os.getpid())
if sys.argv[1] == "app-server":
    app_server()
else:
    ACT = os.environ.get("THEN", "")
    execute()
