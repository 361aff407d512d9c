#!/usr/bin/env python3
"""Packages a built binary: a wheel, an npm package and a .deb. Usage: build.py BINARY FOLDER

The packages are made here and not by maturin and cargo-deb: those build the binary themselves, once per package, and what they
add to it is the few files below.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

# `accord` is taken on npm and crates.io; this name is free there and on PyPI. The binary is `accord`.
NAME = "accord-agents"
SUMMARY = "Runs AI agents under contract: a result conforms to its schema, or the run fails"
HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
LICENSES = ("LICENSE-APACHE", "LICENSE-MIT")


def architecture() -> tuple[str, str, str]:
    """The machine as wheels, npm and Debian call it."""
    names = {"x86_64": ("x86_64", "x64", "amd64"), "aarch64": ("aarch64", "arm64", "arm64")}
    machine = subprocess.check_output(["uname", "-m"], text=True).strip()
    if machine not in names:
        sys.exit(f"expected x86_64 or aarch64, got {machine}")
    return names[machine]


def glibc(binary: bytes) -> tuple[int, int]:
    """The C library that a binary needs, by the newest of the symbols that it names."""
    versions = re.findall(rb"GLIBC_2\.(\d+)", binary)
    return (2, max((int(minor) for minor in versions), default=17))


def wheel(binary: Path, version: str, folder: Path) -> Path:
    """The binary as a script of a package that has nothing else."""
    major, minor = glibc(binary.read_bytes())
    tag = f"py3-none-manylinux_{major}_{minor}_{architecture()[0]}"
    stem = f"{NAME.replace('-', '_')}-{version}"
    path = folder / f"{stem}-{tag}.whl"
    metadata = (
        f"Metadata-Version: 2.3\nName: {NAME}\nVersion: {version}\nSummary: {SUMMARY}\n"
        "License-Expression: Apache-2.0 OR MIT\nRequires-Python: >=3.8\nDescription-Content-Type: text/markdown\n\n"
        + (ROOT / "README.md").read_text()
    )
    about = f"Wheel-Version: 1.0\nGenerator: accord\nRoot-Is-Purelib: false\nTag: {tag}\n"
    files = {f"{stem}.data/scripts/accord": binary.read_bytes(), f"{stem}.dist-info/METADATA": metadata.encode()}
    for name in LICENSES:
        files[f"{stem}.dist-info/licenses/{name}"] = (ROOT / name).read_bytes()
    files[f"{stem}.dist-info/WHEEL"] = about.encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        records = []
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, date_time=(2020, 1, 1, 0, 0, 0))
            # With the bit for a regular file: without it, pip does not make the script executable.
            entry.external_attr = (0o100755 if name.endswith("/accord") else 0o100644) << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            records.append(f"{name},sha256={digest},{len(content)}\n")
        record = f"{stem}.dist-info/RECORD"
        archive.writestr(zipfile.ZipInfo(record, date_time=(2020, 1, 1, 0, 0, 0)), "".join(records) + f"{record},,\n")
    return path


def npm(binary: Path, version: str, folder: Path) -> Path:
    """The binary as the command of a package for this system alone."""
    stage = fresh(folder / "npm")
    manifest = {
        "name": NAME,
        "version": version,
        "description": SUMMARY,
        "license": "Apache-2.0 OR MIT",
        "bin": {"accord": "bin/accord"},
        "os": ["linux"],
        "cpu": [architecture()[1]],
        "libc": ["glibc"],
        "files": ["bin/accord", *LICENSES],
    }
    (stage / "package.json").write_text(json.dumps(manifest, indent=2) + "\n")
    copy(binary, stage / "bin/accord", 0o755)
    for name in ("README.md", *LICENSES):
        copy(ROOT / name, stage / name)
    packed = subprocess.check_output(["npm", "pack", "--silent", "--offline", str(stage)], cwd=folder, text=True)
    shutil.rmtree(stage)
    return folder / packed.strip().splitlines()[-1]


def deb(binary: Path, version: str, folder: Path) -> Path:
    """The binary with a systemd unit, which is not enabled: a project has to be chosen first."""
    stage, machine = fresh(folder / "deb"), architecture()[2]
    copy(binary, stage / "usr/bin/accord", 0o755)
    copy(HERE / "systemd/accord.service", stage / "usr/lib/systemd/system/accord.service")
    copy(HERE / "systemd/accord.sysusers", stage / "usr/lib/sysusers.d/accord.conf")
    copy(ROOT / "LICENSE-MIT", stage / f"usr/share/doc/{NAME}/copyright")
    copy(ROOT / "LICENSE-APACHE", stage / f"usr/share/doc/{NAME}/LICENSE-APACHE")
    completions = subprocess.check_output([str(binary), "completions", "bash"])
    path = stage / "usr/share/bash-completion/completions/accord"
    path.parent.mkdir(parents=True)
    path.write_bytes(completions)
    size = sum(file.stat().st_size for file in stage.rglob("*") if file.is_file()) // 1024
    major, minor = glibc(binary.read_bytes())
    control = (
        f"Package: {NAME}\nVersion: {version}\nArchitecture: {machine}\nSection: utils\nPriority: optional\n"
        f"Installed-Size: {size}\nDepends: libc6 (>= {major}.{minor}), libgcc-s1, ca-certificates\n"
        f"Maintainer: The Accord developers <accord@localhost>\nDescription: {SUMMARY}\n"
    )
    (stage / "DEBIAN").mkdir()
    (stage / "DEBIAN/control").write_text(control)
    for script in ("postinst", "prerm"):
        copy(HERE / "deb" / script, stage / "DEBIAN" / script, 0o755)
    path = folder / f"{NAME}_{version}_{machine}.deb"
    command = ["dpkg-deb", "--root-owner-group", "-Zgzip", "--build", str(stage), str(path)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    shutil.rmtree(stage)
    return path


def fresh(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def copy(source: Path, target: Path, mode: int = 0o644) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    target.chmod(mode)


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit("usage: build.py BINARY FOLDER")
    binary, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    version = subprocess.check_output([str(binary), "--version"], text=True).split()[-1]
    fresh(folder)
    for make, program in ((wheel, None), (npm, "npm"), (deb, "dpkg-deb")):
        if program and not shutil.which(program):
            print(f"skipped {make.__name__}: needs {program}")
            continue
        print(make(binary, version, folder))


if __name__ == "__main__":
    main()
