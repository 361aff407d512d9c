//! The `accord` binary: arguments in, exit code out.
//!
//! Results go to stdout, progress and messages to stderr. Each command is a file under `commands`; it returns an
//! [`exit::Exit`] or a [`failure::Failure`], and only this file turns them into an exit code.
//!
//! The path of a command:
//!
//! 1. **Read.** `arguments` is the command line; `project` finds the folder, `config` its layered settings, each with its
//!    origin. `document`, `task_parameters`, `since` and `id_prefix` read files, parameters, times and shortened ids;
//!    `definitions` has what agents and workflows have in common.
//! 2. **Connect.** Almost everything is a request to a coordinator. `connection` finds the one that runs, or hosts one that only
//!    answers; `own_coordinator` hosts one with a runner if there is work to do. `host` builds them from the configuration, also
//!    for `accord up`; with `store` it is the only place that names concrete stores and executors.
//! 3. **Follow.** `follow` waits until a run is finished; `progress`, `open_inputs` and `unclaimed_runs` report meanwhile, and `terminal`
//!    asks the person there.
//! 4. **Print.** `view` turns responses into text and tables (`table`, `excerpt`), and `output` writes them. `refusal` explains
//!    what a coordinator refused and what to do next; `failure` prints it, as JSON too.
//!
//! `accord check` and `accord schemas` need none of that: they are the contract crate at a prompt.

mod arguments;
mod call;
mod candidates;
mod commands;
mod config;
mod connection;
mod definitions;
mod document;
mod excerpt;
mod exit;
mod failure;
mod follow;
mod for_each;
mod host;
mod id_prefix;
mod json;
mod lines;
mod meter;
mod open_inputs;
mod output;
mod own_coordinator;
mod paging;
mod progress;
mod project;
mod refusal;
mod removal;
mod runtime;
mod since;
mod store;
mod table;
mod task_parameters;
mod terminal;
mod unclaimed_runs;
mod usage;
mod view;

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser};
use clap_complete::CompleteEnv;

/// Many small values are made and dropped on every thread; this allocator is quicker at that than the system's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // A shell that completes asks for candidates, and for nothing else.
    CompleteEnv::with_factory(arguments::Arguments::command).var(candidates::VARIABLE).complete();
    let result = match arguments::Arguments::try_parse() {
        Ok(arguments) => runtime::on_known_stack(|| commands::run(arguments.command)).flatten(),
        Err(error) => return usage::report(error, wants_json()).into(),
    };
    result.unwrap_or_else(|failure| failure::report(failure, wants_json())).into()
}

/// Whether the command line has `--json`, whatever the command: failures and wrong usage are JSON then, too.
fn wants_json() -> bool {
    std::env::args_os().take_while(|argument| argument != "--").any(|argument| argument == "--json")
}
