# The few commands that people type. Everything else is cargo.

FUZZ_SECONDS ?= 600
FUZZ_TARGETS := judge compile
# The fuzzer builds with a sanitiser: another folder, so that the two builds do not undo each other.
FUZZ_TARGET_DIR ?= $(CURDIR)/fuzz/target

.PHONY: help test test-real run fuzz bench bench-coordinator bench-model peers deny

help:
	@echo 'make test   everything that must hold (.ci/run)'
	@echo 'make test-real  the same with real parts: generated clients, a real model (from PyPI and npm)'
	@echo 'make run    build, start, and run the example agents on a recorded model'
	@echo 'make fuzz   fuzz for FUZZ_SECONDS (600), where nightly and cargo-fuzz are'
	@echo 'make bench  what judging costs, as tables'
	@echo 'make bench-coordinator  what a run costs the coordinator, beside the disk'
	@echo 'make bench-model  how often a real model meets its contract, MODEL_RUNS (200) for each strategy'
	@echo 'make peers  the judge beside json_repair, jsonrepair and baml-py'
	@echo 'make deny   licences and sources of dependencies, where cargo-deny is'

test:
	@.ci/run

test-real:
	@cargo build --quiet --package accord-cli
	@tests/real/generators "$${CARGO_TARGET_DIR:-target}/debug/accord"
	@tests/real/model/setup >/dev/null
	@ACCORD_REAL=1 cargo test --quiet --package accord-cli --test real

run:
	@examples/first-run

fuzz:
	@if ! cargo +nightly fuzz --version >/dev/null 2>&1; then \
	  echo 'skipped: needs a nightly toolchain and cargo-fuzz (cargo install cargo-fuzz)'; \
	else \
	  for target in $(FUZZ_TARGETS); do \
	    CARGO_TARGET_DIR=$(FUZZ_TARGET_DIR) cargo +nightly fuzz run $$target -- \
	      -dict=fuzz/json.dict -max_len=1024 \
	      -max_total_time=$$(( $(FUZZ_SECONDS) / $(words $(FUZZ_TARGETS)) )) || exit 1; \
	  done; \
	fi

bench:
	@cargo run --release --quiet --package bench --bin ratios

bench-coordinator:
	@cargo build --release --quiet --package accord-cli --package bench
	@cargo run --release --quiet --package bench --bin coordinator -- "$${CARGO_TARGET_DIR:-target}/release/accord"

bench-model:
	@cargo build --release --quiet --package accord-cli --package bench
	@cargo run --release --quiet --package bench --bin model -- \
	  "$${CARGO_TARGET_DIR:-target}/release/accord" "$${MODEL_RUNS:-200}" "$${MODEL:-smollm2}"

peers:
	@bench/judge_peers

deny:
	@if cargo deny --version >/dev/null 2>&1; then cargo deny check bans licenses sources; \
	else echo 'skipped: needs cargo-deny (cargo install cargo-deny)'; fi
