"""How the examples of each language are run: as a user would, with the tools of that language."""

import os
import pathlib
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[3]

MANIFEST = """
[package]
name = "example"
version = "0.1.0"
edition = "2024"

[workspace]

[[bin]]
name = "example"
path = "main.rs"

[dependencies]
accord-client = {{ path = "{root}/crates/client" }}
serde = {{ version = "1", features = ["derive"] }}
serde_json = "1"
tokio = {{ version = "1", features = ["macros", "rt-multi-thread"] }}
"""

TYPESCRIPT = ["--strict", "--target", "es2022", "--module", "nodenext", "--types", "node", "--skipLibCheck"]

# Seconds for a command: each start of a CLI takes some on a busy machine, and the first example in Rust builds the crates that the
# client needs.
PATIENCE, PATIENCE_OF_CARGO = 600, 1200


def prepare(work: pathlib.Path, tsc: pathlib.Path) -> None:
    """Installs Accord's TypeScript client and a manifest for Cargo beside the examples."""
    package = work / "node_modules/accord-agents-client"
    package.mkdir(parents=True)
    source = ROOT / "clients/typescript"
    shutil.copy(source / "package.json", package)
    subprocess.run([tsc, "--project", source, "--outDir", package / "dist"], check=True)
    (work / "package.json").write_text('{"type": "module"}')
    (work / "Cargo.toml").write_text(MANIFEST.format(root=ROOT))
    shutil.copy(ROOT / "Cargo.lock", work)


def commands(client: str, path: pathlib.Path, home: pathlib.Path) -> list[list]:
    """What to run for an example, one after the other."""
    match path.suffix:
        case ".py":
            return [[home / client / "bin/python", path]]
        case ".mjs":
            return [["node", path]]
        case ".ts":
            return [[home / "node/node_modules/.bin/tsc", *TYPESCRIPT, path], ["node", path.with_suffix(".js")]]
        case ".rs":
            return [["cargo", "run", "--quiet", "--manifest-path", path.parent / "Cargo.toml"]]
        case ".sh":
            return [["bash", "-eu", path]]
        case ".json":
            # Settings: a check of the client uses them.
            return [["python3", "-m", "json.tool", path]]
    raise ValueError(f"no way to run {path.name}")


def environment(path: pathlib.Path, home: pathlib.Path, binary: str, url: str) -> dict[str, str]:
    tools = [pathlib.Path(binary).parent, home.parent / "claude-code/node_modules/.bin"]
    found = {
        **os.environ,
        "ACCORD_URL": url,
        "OPENAI_AGENTS_DISABLE_TRACING": "1",
        "PATH": os.pathsep.join([*map(str, tools), os.environ["PATH"]]),
        "PYTHONPATH": str(ROOT / "clients/python"),
    }
    if path.suffix == ".rs":
        found.setdefault("CARGO_TARGET_DIR", str(home / "rust"))
    else:
        # Claude Code writes its settings there.
        found["HOME"] = str(path.parent)
    return found
