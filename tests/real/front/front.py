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
# What a command says has to be JSON; that it conforms is the contract.
TAG = "import sys; print('{\"label\": 0}' if 'impossible' in sys.stdin.read() else '{\"label\": \"positive\", \"score\": 0.9}')"
# Settings of this machine that must not reach the CLIs.
OWN = ("ANTHROPIC_", "OPENAI_", "CLAUDE", "CODEX_", "OTEL_")


def executors(url: str, folder: pathlib.Path, installed: pathlib.Path) -> dict[str, dict]:
    """By the name of an agent without a contract; NAME-sentiment is the same with one."""
    programs = {}
    for name, package in (("claude", "claude-code"), ("codex", "codex")):
        programs[name] = installed / package / "node_modules/.bin" / name
        if not programs[name].exists():
            sys.exit(f"{programs[name]} is missing: run crates/cli/tests/real/setup")
        (folder / name / "home").mkdir(parents=True)
    home = {name: {"HOME": str(folder / name / "home")} for name in programs}
    claude = {**home["claude"], "CLAUDE_CONFIG_DIR": str(folder / "claude"), "CLAUDE_CODE_MAX_RETRIES": "1"}
    claude |= {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "sk-ant-test"}
    codex = {**home["codex"], "CODEX_HOME": str(folder / "codex"), "OPENAI_BASE_URL": f"{url}/v1", "OPENAI_API_KEY": "sk-test"}
    retries = ("request_max_retries", "stream_max_retries")
    args = [arg for key in retries for arg in ("-c", f"model_providers.accord.{key}=0")]
    return {
        "assistant": {"type": "llm", "provider": "openai-compatible", "model": "m", "base_url": f"{url}/v1"},
        "claude": {"type": "claude-code", "command": str(programs["claude"]), "model": "claude-test", "env": claude},
        "codex": {"type": "codex", "command": str(programs["codex"]), "model": "gpt-test", "args": args, "env": codex},
        "command": {"type": "process", "command": sys.executable, "args": ["-c", TAG]},
    }


def agents(url: str, folder: pathlib.Path, installed: pathlib.Path) -> list[dict]:
    found = []
    for name, executor in executors(url, folder, installed).items():
        agent = {"name": name, "executor": executor}
        if executor["type"] == "process":
            agent["type"] = "procedural"
        own = "sentiment" if name == "assistant" else f"{name}-sentiment"
        contract = {"output_schema": SENTIMENT, "output_schema_options": {"max_retries": 1}}
        found += [agent, {**agent, "name": own, **contract}]
    text = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}}
    words = {"type": "object", "required": ["words"], "properties": {"words": {"type": "integer"}}}
    count = {"type": "process", "command": sys.executable, "args": ["-c", COUNT]}
    contract = {"parameters_schema": text, "output_schema": words}
    return [*found, {"name": "word-count", "type": "procedural", "executor": count, **contract}]


# Two agents judge the same text at once.
WORKFLOW = {
    "name": "second-opinion",
    "nodes": {
        "input": {"type": "input"},
        "first": {"type": "agent", "agent": "sentiment", "prompt": "{{ input.prompt }}"},
        "second": {"type": "agent", "agent": "command-sentiment", "prompt": "{{ input.prompt }}"},
        "output": {"type": "output", "value": {"first": "{{ first.label }}", "second": "{{ second.label }}"}},
    },
    "edges": [
        {"from": "input", "to": "first"},
        {"from": "input", "to": "second"},
        {"from": "first", "to": "output"},
        {"from": "second", "to": "output"},
    ],
}


def start(binary: str, folder: pathlib.Path, installed: pathlib.Path) -> tuple[subprocess.Popen, str]:
    for agent in agents(model.start(), folder, installed):
        place = folder / ".accord/agents" / agent["name"]
        place.mkdir(parents=True)
        (place / "agent.json").write_text(json.dumps(agent))
    workflows = folder / ".accord/workflows"
    workflows.mkdir()
    (workflows / f"{WORKFLOW['name']}.json").write_text(json.dumps(WORKFLOW))
    environment = {name: value for name, value in os.environ.items() if not name.startswith(OWN)}
    environment["ACCORD_LOG__FILTER"] = "error"
    environment["ACCORD_FRONT__LINGER_SECONDS"] = "3"
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
        up, url = start(binary, pathlib.Path(project), home.parent)
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
