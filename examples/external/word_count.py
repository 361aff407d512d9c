#!/usr/bin/env python3
"""An executor for Accord that counts the words of what it is asked.

It speaks the protocol of docs/guides/external-executors.md: one JSON object a line, on stdin and stdout. It can be asked
again in place, and it resumes from its `state`, so a session counts on where it was.
"""

import json
import sys


def say(message):
    print(json.dumps(message), flush=True)


def main():
    say({"type": "hello", "protocol": 1, "name": "word-count",
         "capabilities": {"resume": True, "native_schema": False, "reprompt": True}})
    total = 0
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "start":
            total = (message["state"] or {}).get("total", 0)
        elif message["type"] == "turn":
            words = len(message["prompt"].split())
            total += words
            print(f"counted {words} words", file=sys.stderr)
            say({"type": "usage", "input_tokens": words})
            say({"type": "answer", "session_id": message["session_id"], "turn": message["turn"],
                 "structured": {"words": words, "total": total}, "state": {"total": total}})
        elif message["type"] == "shutdown":
            return
        # Whatever else is said is for a newer program than this one.


main()
