//! The `accord` binary: arguments in, exit code out.
//!
//! stdout is data, stderr is talk. Each command is a file under `commands`; it returns an [`exit::Exit`] or a
//! [`failure::Failure`], and only this file turns them into an exit code.

mod alone;
mod arguments;
mod beginning;
mod commands;
mod config;
mod connection;
mod document;
mod each;
mod excerpt;
mod exit;
mod failure;
mod follow;
mod given;
mod host;
mod json;
mod lines;
mod local;
mod old;
mod output;
mod paging;
mod progress;
mod project;
mod pushed;
mod refusal;
mod removed;
mod runtime;
mod since;
mod store;
mod table;
mod view;
mod waiting;

use std::process::ExitCode;

use clap::Parser;

/// Many small values are made and dropped on every thread; this allocator is quicker at that than the system's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let result = match arguments::Arguments::try_parse() {
        Ok(arguments) => commands::run(arguments.command),
        Err(error) => return failure::usage(&error, wants_json()).into(),
    };
    result.unwrap_or_else(|failure| failure::tell(failure, wants_json())).into()
}

/// Whether a program reads the answer, whichever command it is that was given: failures are told to it too, and wrong usage.
fn wants_json() -> bool {
    std::env::args_os().take_while(|argument| argument != "--").any(|argument| argument == "--json")
}
