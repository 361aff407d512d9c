#!/usr/bin/env python3
"""Serves a GGUF model on loopback with llama.cpp's own server (the wheel xllamacpp).

usage: serve.py MODEL [--port PORT] [--slots N] [--context TOKENS] [--threads N]

Prints one line with its address when it is ready, and ends with SIGTERM, with Ctrl-C, or when its stdin is closed:
whoever started it and is gone leaves nothing running.
"""

import argparse
import signal
import sys
import threading

import xllamacpp


def parameters(arguments):
    wanted = xllamacpp.CommonParams()
    wanted.model.path = arguments.model
    wanted.hostnames = ["127.0.0.1"]
    wanted.port = arguments.port
    wanted.n_parallel = arguments.slots
    wanted.n_ctx = arguments.context
    wanted.use_jinja = True
    wanted.cpuparams.n_threads = arguments.threads
    wanted.cpuparams_batch.n_threads = arguments.threads
    return wanted


def ends_with_stdin(over):
    while sys.stdin.buffer.read(4096):
        pass
    over.set()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--slots", type=int, default=2)
    parser.add_argument("--context", type=int, default=8192, help="tokens of all slots together")
    parser.add_argument("--threads", type=int, default=1, help="one is quickest where others compute too")
    arguments = parser.parse_args()

    over = threading.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda *_: over.set())
    server = xllamacpp.Server(parameters(arguments))
    print(f"listening at {server.listening_address}", flush=True)
    threading.Thread(target=ends_with_stdin, args=(over,), daemon=True).start()
    over.wait()


if __name__ == "__main__":
    main()
