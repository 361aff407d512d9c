"""What a `kill -9` at every moment of a run costs: Accord, and Pydantic AI with DBOS, on the same model in one run of this script.

Usage: compare.py ACCORD_BINARY [ROUNDS]. Prints a table: model requests and tool calls per run, which without a crash are 4 and 1 + 1.
"""

import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

from model import ANSWERS, Model

MOMENTS = [("request", 0), ("tool", "look"), ("request", 1), ("tool", "change"), ("request", 2), ("request", 3)]
HERE = pathlib.Path(__file__).parent
PATIENCE = 90

SERVER = r"""
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  case "$line" in
    *'"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}\n' "$id";;
    *'"tools/list"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"look","annotations":{"idempotentHint":true},"inputSchema":{"type":"object"}},{"name":"change","inputSchema":{"type":"object"}}]}}\n' "$id";;
    *'"tools/call"'*)
      tool=$(printf '%s' "$line" | sed -n 's/.*"name":"\([a-z]*\)".*/\1/p')
      number=$(printf '%s' "$line" | sed -n 's/.*"number":\([0-9]*\).*/\1/p')
      echo "$tool $number" >> calls
      if rm "hang-$tool-$number" 2>/dev/null; then while read -r line; do :; done; fi
      printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"done %s"}]}}\n' "$id" "$number";;
  esac
done
"""


def until(is_true, what: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while not is_true():
        if time.monotonic() > deadline:
            sys.exit(f"{what} took longer than {PATIENCE} seconds")
        time.sleep(0.02)


def arm(model: Model, folder: pathlib.Path, number: int, moment: tuple) -> None:
    kind, at = moment
    if kind == "request":
        model.hang_at[number] = at
    else:
        (folder / f"hang-{at}-{number}").touch()


def is_reached(model: Model, folder: pathlib.Path, number: int, moment: tuple) -> bool:
    kind, at = moment
    return number not in model.hang_at if kind == "request" else not (folder / f"hang-{at}-{number}").exists()


def kill(process: subprocess.Popen) -> None:
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def calls(folder: pathlib.Path, number: int) -> dict[str, int]:
    lines = (folder / "calls").read_text().splitlines()
    return {tool: lines.count(f"{tool} {number}") for tool in ("look", "change")}


class Accord:
    name = "Accord"

    def __init__(self, binary: str, folder: pathlib.Path) -> None:
        self.folder, self.model, self.binary = folder, Model("s__"), binary
        agent = {
            "name": "worker",
            "executor": {"type": "llm", "provider": "openai-compatible", "model": "m", "base_url": self.model.url},
            "output_schema": {"type": "object", "required": ["number"], "properties": {"number": {"type": "integer"}}},
            "output_schema_options": {"strategy": "prompt"},
            "mcp_servers": {"s": {"command": "sh", "args": ["-c", SERVER]}},
        }
        place = folder / ".accord/agents/worker"
        place.mkdir(parents=True)
        (place / "agent.json").write_text(json.dumps(agent))
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        environment = {**os.environ, "ACCORD_QUEUE__LEASE_SECONDS": "3"}
        self.coordinator = self.start("coordinator", "--listen", f"127.0.0.1:{self.port}", env=environment)
        until(self.is_up, "starting the coordinator")
        self.runner = self.start_runner()

    def start(self, *arguments: str, env=None) -> subprocess.Popen:
        quiet = subprocess.DEVNULL
        command = [self.binary, *arguments]
        return subprocess.Popen(command, cwd=self.folder, env=env, stdout=quiet, stderr=quiet, start_new_session=True)

    def start_runner(self) -> subprocess.Popen:
        return self.start("runner", "--coordinator", f"http://127.0.0.1:{self.port}")

    def ask(self, path: str, body=None) -> dict:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data, {"content-type": "application/json"})
        with urllib.request.urlopen(request) as response:
            return json.load(response)

    def is_up(self) -> bool:
        try:
            return bool(self.ask("/health"))
        except OSError:
            return False

    def round(self, number: int, moment: tuple) -> None:
        arm(self.model, self.folder, number, moment)
        run = self.ask("/runs", {"agent_name": "worker", "prompt": f"number-{number}."})["run_id"]
        until(lambda: is_reached(self.model, self.folder, number, moment), f"reaching {moment}")
        kill(self.runner)
        self.runner = self.start_runner()
        until(lambda: self.ask(f"/runs/{run}")["status"] == "completed", f"continuing after {moment}")
        assert self.ask(f"/runs/{run}")["result"]["result_data"] == {"number": number}

    def end(self) -> None:
        kill(self.runner)
        kill(self.coordinator)


class PydanticDbos:
    name = "Pydantic AI with DBOS"

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder, self.model = folder, Model("")

    def start(self, number: int) -> subprocess.Popen:
        command = [sys.executable, HERE / "pydantic_dbos.py", self.model.url, self.folder, str(number)]
        pipe, quiet = subprocess.PIPE, subprocess.DEVNULL
        return subprocess.Popen(command, stdout=pipe, stderr=quiet, start_new_session=True)

    def round(self, number: int, moment: tuple) -> None:
        arm(self.model, self.folder, number, moment)
        first = self.start(number)
        until(lambda: is_reached(self.model, self.folder, number, moment), f"reaching {moment}")
        kill(first)
        output, _ = self.start(number).communicate(timeout=PATIENCE)
        assert json.loads(output.splitlines()[-1]) == {"number": number}, output

    def end(self) -> None:
        pass


def main() -> None:
    binary, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
        peers = [Accord(binary, pathlib.Path(one)), PydanticDbos(pathlib.Path(two))]
        print("| kill -9 during | " + " | ".join(peer.name for peer in peers) + " |")
        print("|---|" + "---|" * len(peers))
        number = 0
        for moment in MOMENTS:
            cells: dict[str, set[str]] = {peer.name: set() for peer in peers}
            for _ in range(rounds):
                for peer in peers:
                    peer.round(number, moment)
                    made, used = peer.model.requests[number], calls(peer.folder, number)
                    cells[peer.name].add(f"{made} requests, look {used['look']}, change {used['change']}")
                number += 1
            kind, at = moment
            what = f"model request {at + 1} of {ANSWERS}" if kind == "request" else f"tool `{at}`"
            print(f"| {what} | " + " | ".join(" or ".join(sorted(cells[peer.name])) for peer in peers) + " |", flush=True)
        for peer in peers:
            peer.end()


if __name__ == "__main__":
    main()
