"""The official client for Python: a timeout with its default retries is one run, and one that hangs up stops it."""

import json
import os
import time
import urllib.request

import openai

url = os.environ["ACCORD_URL"]


def runs() -> list[dict]:
    with urllib.request.urlopen(url + "/runs?limit=500") as answer:
        return json.load(answer)["items"]


before = len(runs())
client = openai.OpenAI(base_url=url + "/v1", api_key="unused", timeout=1.0)
try:
    client.chat.completions.create(model="assistant", messages=[{"role": "user", "content": "take 30 seconds"}])
    raise SystemExit("expected a timeout")
except openai.APITimeoutError:
    pass
assert len(runs()) == before + 1, f"{len(runs()) - before} runs for one request"

# Nobody waits any more: front.linger_seconds is 3 here.
for _ in range(100):
    last = runs()[0]
    if last["status"] == "stopped":
        break
    time.sleep(0.5)
assert last["status"] == "stopped" and "nobody waits" in last["error"]["message"], last
