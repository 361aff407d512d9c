"""Runs the examples of docs/guides/clients.md and the checks in checks/ against `accord up` with a scripted model.

Usage: front.py ACCORD_BINARY FOLDER_OF_CLIENTS. Prints a line per client; fails if one of them failed.
"""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

import languages
import model

HERE = pathlib.Path(__file__).resolve().parent
GUIDE = HERE.parents[2] / "docs/guides/clients.md"
ADDRESS, FOLDER = "http://127.0.0.1:8765", "/path/to/project"

# <!-- example: NAME CLIENT prints TEXT -->, or without TEXT, then the code.
EXAMPLE = re.compile(r"<!-- example: (\S+) (\S+)(?: prints (.+?))? -->\n+```\w+\n(.*?)```\n", re.DOTALL)

SENTIMENT = {
    "type": "object",
    "required": ["label", "score"],
    "additionalProperties": False,
    "properties": {"label": {"enum": ["positive", "negative"]}, "score": {"type": "number"}},
}
COUNT = "import json,sys; print(json.dumps({'words': len(json.load(sys.stdin)['text'].split())}))"


def agents(base_url: str) -> list[dict]:
    llm = {"type": "llm", "provider": "openai-compatible", "model": "m", "base_url": base_url}
    text = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}}
    words = {"type": "object", "required": ["words"], "properties": {"words": {"type": "integer"}}}
    count = {"type": "process", "command": sys.executable, "args": ["-c", COUNT]}
    return [
        {"name": "assistant", "executor": llm},
        {"name": "sentiment", "executor": llm, "output_schema": SENTIMENT, "output_schema_options": {"max_retries": 1}},
        {"name": "word-count", "type": "procedural", "executor": count, "parameters_schema": text, "output_schema": words},
    ]


def start(binary: str, folder: pathlib.Path) -> tuple[subprocess.Popen, str]:
    for agent in agents(model.start()):
        place = folder / ".accord/agents" / agent["name"]
        place.mkdir(parents=True)
        (place / "agent.json").write_text(json.dumps(agent))
    environment = {**os.environ, "ACCORD_LOG__FILTER": "error"}
    command = [binary, "up", "--listen", "127.0.0.1:0"]
    up = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True, start_new_session=True)
    for line in up.stdout:
        if found := re.search(r"http://127\.0\.0\.1:\d+", line):
            return up, found.group()
    sys.exit("accord up ended before it said where it listens")


def run(client: str, path: pathlib.Path, home: pathlib.Path, binary: str, url: str) -> tuple[bool, str]:
    environment, output = languages.environment(path, home, binary, url), ""
    for command in languages.commands(client, path, home):
        patience = languages.PATIENCE_OF_CARGO if path.suffix == ".rs" else languages.PATIENCE
        try:
            done = subprocess.run(
                command, cwd=path.parent, env=environment, capture_output=True, text=True, timeout=patience
            )
        except subprocess.TimeoutExpired:
            return False, f"took longer than {patience} seconds"
        output += done.stdout + done.stderr
        if done.returncode != 0:
            return False, output
    return True, output


def main() -> None:
    binary, home = sys.argv[1], pathlib.Path(sys.argv[2])
    examples = EXAMPLE.findall(GUIDE.read_text())
    if not examples or len(examples) != GUIDE.read_text().count("<!-- example:"):
        sys.exit(f"{GUIDE} has examples that are not written as expected; these are: {[each[0] for each in examples]}")
    failures = 0
    with tempfile.TemporaryDirectory() as project:
        up, url = start(binary, pathlib.Path(project))
        try:
            # Beside the packages, where Node finds them.
            work = home / "node/work"
            shutil.rmtree(work, ignore_errors=True)
            work.mkdir()
            languages.prepare(work, home / "node/node_modules/.bin/tsc")
            for name, client, expected, code in examples:
                path = work / name
                path.write_text(code.replace(ADDRESS, url).replace(FOLDER, project))
                is_ok, output = run(client, path, home, binary, url)
                is_ok = is_ok and expected in output
                failures += report(f"guide {name}", is_ok, output)
            for check in sorted((HERE / "checks").iterdir()):
                path = work / check.name
                path.write_text(check.read_text())
                # CLIENT__NAME, because a file with the name of its client would be imported instead of it.
                client = check.stem.split("__")[0]
                failures += report(f"check {check.name}", *run(client, path, home, binary, url))
        finally:
            os.killpg(up.pid, signal.SIGTERM)
            up.wait()
    sys.exit(1 if failures else 0)


def report(name: str, is_ok: bool, output: str) -> int:
    print(f"{name}: {'ok' if is_ok else 'failed'}", flush=True)
    if not is_ok:
        print("  " + output.strip().replace("\n", "\n  "), flush=True)
    return not is_ok


if __name__ == "__main__":
    main()
