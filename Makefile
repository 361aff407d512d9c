# The most used commands. Everything else is cargo.

# Per target.
FUZZ_SECONDS ?= 600
FUZZ_TARGETS ?= judge compile schema template diff cel yaml workflow http
# The fuzzer builds with a sanitiser, in a folder of its own, so that the two builds do not invalidate each other.
FUZZ_TARGET_DIR ?= $(CURDIR)/fuzz/target

.PHONY: help test soak test-dashboard test-real package release run dashboard fuzz bench bench-coordinator bench-slow-disk bench-front bench-load bench-workflow bench-model peers deny check-workflows

help:
	@echo 'make run                Build Accord, run the example agents with recorded answers, and keep the server running'
	@echo 'make test               Run all checks and tests (.ci/run); the first time takes about 40 minutes on two cores'
	@echo 'make soak               Kill coordinators and runners SOAK_ROUNDS (100) times, attack every route, and CHAOS_RUNS (1000)'
	@echo 'make test-real          Run the tests with real agent CLIs, MCP clients, models and generated clients'
	@echo 'make test-dashboard     Lint and test the dashboard, including end-to-end tests in Chromium'
	@echo 'make package            Build a wheel, an npm package and a .deb of ACCORD_BIN (default: a release build), and try each'
	@echo 'make dashboard          Build the dashboard (needs Node 20.19 or newer); cargo build embeds it'
	@echo 'make fuzz               Fuzz each of FUZZ_TARGETS for FUZZ_SECONDS (600); needs nightly and cargo-fuzz'
	@echo 'make bench              Measure validation, as tables'
	@echo 'make bench-coordinator  Measure the cost of a run for the coordinator, compared with the disk'
	@echo 'make bench-slow-disk    The same on a disk with SYNC_MS (5) of extra latency; needs a C compiler'
	@echo 'make bench-front        Measure the OpenAI-compatible front beside the LiteLLM proxy, at FRONT_RATE (100) requests/s'
	@echo 'make bench-load         Measure throughput with rising numbers of callers on both databases, beside job queues on PostgreSQL;'
	@echo '                        LOAD=million: claims, lists and statistics with LOAD_RUNS (1000000) finished runs'
	@echo 'make bench-workflow     Measure graphs and the comparison of parallel results'
	@echo 'make bench-model        Measure how often a real model meets its contract, MODEL_RUNS (200) per strategy'
	@echo 'make check-workflows    Check the GitHub workflows with actionlint'
	@echo 'make peers              Compare with json_repair, jsonrepair and baml-py'
	@echo 'make deny               Check licences and sources of dependencies; needs cargo-deny'

# One folder for `make run` and `make test`, so that neither builds again what the other has built.
export CARGO_TARGET_DIR ?= $(CURDIR)/target

# An example makes cargo take the features that the tests need, so that their dependencies are those of `make test`.
BUILD = cargo build --quiet --workspace --bin accord --example typed_result

test:
	@.ci/run

# Every hostile input is sent to every place; HOSTILE_ROUNDS=4 sends four of each family.
SOAK_ROUNDS ?= 100
HOSTILE_ROUNDS ?= all
CHAOS_RUNS ?= 1000
CHAOS_TASKS ?= 150
soak:
	@KILL_ROUNDS=$(SOAK_ROUNDS) WORKFLOW_KILL_ROUNDS=$(SOAK_ROUNDS) HOSTILE_ROUNDS=$(HOSTILE_ROUNDS) \
	  CHAOS_RUNS=$(CHAOS_RUNS) CHAOS_TASKS=$(CHAOS_TASKS) \
	  cargo test --workspace --test e2e -- kill_nine at_most_one_request hostile chaos
	@EFFECT_FAULTS=$(SOAK_ROUNDS) cargo test --workspace --test http some_calls_on_postgresql

test-real:
	@crates/cli/tests/real/setup
	@crates/cli/tests/real/setup-mcp
	@tests/real/model/setup
	@ACCORD_REAL=1 ACCORD_REAL_MODEL=1 cargo test --workspace --test real --test real_mcp --test real_model
	@$(BUILD)
	@tests/real/generators "$$CARGO_TARGET_DIR/debug/accord"
	@tests/real/durable/run "$$CARGO_TARGET_DIR/debug/accord"
	@tests/real/clients/run "$$CARGO_TARGET_DIR/debug/accord"
	@tests/real/front/run "$$CARGO_TARGET_DIR/debug/accord"
	@tests/real/mcp-conformance "$$CARGO_TARGET_DIR/debug/accord"

# A binary that is already built can be packaged: ACCORD_BIN=target/debug/accord make package
package: $(if $(ACCORD_BIN),,release)
	@packaging/build.py "$${ACCORD_BIN:-$$CARGO_TARGET_DIR/release/accord}" "$$CARGO_TARGET_DIR/packages"
	@packaging/try "$$CARGO_TARGET_DIR/packages"

release: dashboard
	@cargo build --release --locked --package accord-cli

test-dashboard: dashboard
	@$(BUILD)
	@cd dashboard && npm run --silent lint && npm run --silent typecheck && npm test --silent && npm run --silent test:e2e

run: dashboard
	@examples/first-run

# Without Node, the binary is built without the dashboard.
dashboard:
	@if command -v npm >/dev/null 2>&1; then $(MAKE) --no-print-directory dashboard/dist/index.html; \
	else echo 'Skipping the dashboard: building it needs Node 20.19 or newer.'; fi

dashboard/dist/index.html: dashboard/node_modules/.package-lock.json dashboard/openapi.json dashboard/index.html \
    dashboard/vite.config.ts $(shell find dashboard/src dashboard/public -type f -not -name schema.ts)
	@cd dashboard && npm run --silent build

dashboard/node_modules/.package-lock.json: dashboard/package-lock.json
	@cd dashboard && npm ci --no-audit --no-fund

fuzz:
	@if ! cargo +nightly fuzz --version >/dev/null 2>&1; then \
	  echo 'skipped: needs a nightly toolchain and cargo-fuzz (cargo install cargo-fuzz)'; \
	else \
	  for target in $(FUZZ_TARGETS); do \
	    dictionary=fuzz/$$target.dict; [ -f "$$dictionary" ] || dictionary=fuzz/json.dict; \
	    mkdir -p fuzz/corpus/$$target fuzz/seeds/$$target; \
	    echo "== $$target, $(FUZZ_SECONDS) s"; \
	    CARGO_TARGET_DIR=$(FUZZ_TARGET_DIR) cargo +nightly fuzz run $$target fuzz/corpus/$$target fuzz/seeds/$$target -- \
	      -dict=$$dictionary -max_len=2048 -timeout=30 -rss_limit_mb=2560 -print_final_stats=1 \
	      -max_total_time=$(FUZZ_SECONDS) || exit 1; \
	  done; \
	fi

bench:
	@cargo run --release --quiet --bin ratios

bench-coordinator:
	@cargo build --release --quiet --package accord-cli --package bench
	@cargo run --release --quiet --bin coordinator -- "$$CARGO_TARGET_DIR/release/accord"

SYNC_MS ?= 5
bench-slow-disk:
	@cargo build --release --quiet --package accord-cli --package bench
	@cc -O2 -shared -fPIC -o "$$CARGO_TARGET_DIR/slow_disk.so" bench/slow_disk.c
	@SYNC_US="$$(( $(SYNC_MS) * 1000 ))" LD_PRELOAD="$$(realpath "$$CARGO_TARGET_DIR/slow_disk.so")" \
	  "$$CARGO_TARGET_DIR/release/coordinator" "$$CARGO_TARGET_DIR/release/accord" paces

FRONT_RATE ?= 100
bench-front:
	@cargo build --release --quiet --package accord-cli --package bench
	@bench/front/run "$$CARGO_TARGET_DIR/release/front" "$$CARGO_TARGET_DIR/release/accord" $(FRONT_RATE)

LOAD ?=
bench-load:
	@cargo build --release --quiet --package accord-cli --package bench
	@bench/load/run "$$CARGO_TARGET_DIR/release/load" "$$CARGO_TARGET_DIR/release/accord" $(LOAD)

bench-workflow:
	@cargo run --release --quiet --bin workflow

bench-model:
	@cargo build --release --quiet --package accord-cli --package bench
	@cargo run --release --quiet --bin model -- \
	  "$$CARGO_TARGET_DIR/release/accord" "$${MODEL_RUNS:-200}" "$${MODEL:-smollm2}"

check-workflows:
	@packaging/check-workflows

peers:
	@bench/judge_peers

deny:
	@if cargo deny --version >/dev/null 2>&1; then cargo deny check bans licenses sources; \
	else echo 'skipped: needs cargo-deny (cargo install cargo-deny)'; fi
