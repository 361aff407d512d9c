//! The `accord` binary: arguments in, exit code out.
//!
//! Results go to stdout, progress and messages to stderr. Each command is a file under `commands`; it returns an
//! [`exit::Exit`] or a [`failure::Failure`], and only this file turns them into an exit code.
//!
//! The way of a command:
//!
//! 1. **Read.** `arguments` is the command line; `project` finds the folder, `config` its settings in layers, each with where it
//!    came from. `document`, `given`, `since` and `beginning` read files, parameters, times and shortened ids.
//! 2. **Reach.** Almost everything is asked of a coordinator over HTTP. `connection` finds the one that runs, or hosts one that
//!    only answers; `alone` hosts one with a runner where there is work to do. `host` puts them together from the configuration,
//!    for `accord up` as well: with `store` the only place that names concrete stores and executors.
//! 3. **Follow.** `follow` hears a run to its end, `progress` and `waiting` say meanwhile how it stands.
//! 4. **Tell.** `view` makes words and tables (`table`, `excerpt`) of what was answered, `output` writes them, and nobody else
//!    writes. `refusal` words what a coordinator refused, with what to do next; `failure` tells it, as JSON too.
//!
//! `accord check` and `accord schemas` need none of that: they are the contract crate at a prompt.

mod alone;
mod arguments;
mod beginning;
mod candidates;
mod commands;
mod config;
mod connection;
mod document;
mod each;
mod excerpt;
mod exit;
mod failure;
mod filters;
mod follow;
mod given;
mod host;
mod json;
mod lines;
mod local;
mod output;
mod paging;
mod progress;
mod project;
mod pushed;
mod refusal;
mod removal;
mod removed;
mod runtime;
mod since;
mod store;
mod suggestion;
mod table;
mod validated;
mod view;
mod waiting;

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
        Err(error) => return failure::usage(error, wants_json()).into(),
    };
    result.unwrap_or_else(|failure| failure::tell(failure, wants_json())).into()
}

/// Whether a program reads the answer, whichever command it is that was given: failures are told to it too, and wrong usage.
fn wants_json() -> bool {
    std::env::args_os().take_while(|argument| argument != "--").any(|argument| argument == "--json")
}
