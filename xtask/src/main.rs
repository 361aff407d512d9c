//! House tasks: `cargo xtask tidy` checks the rules that the compiler does not know, `cargo xtask corpus`
//! scores the judge over recorded answers, `cargo xtask gen` writes the files that are made from code, `cargo xtask lines` counts
//! product code.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command line tool prints")]

mod corpus;
mod generate;
mod tidy;

use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask tidy
       cargo xtask gen
       cargo xtask lines
       cargo xtask corpus FILE [--verbose] [--mode-override strict|lenient]";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let passed = match arguments.split_first() {
        Some((command, [])) if command == "tidy" => tidy::run(),
        Some((command, [])) if command == "gen" => generate::run(),
        Some((command, [])) if command == "lines" => tidy::count_lines(),
        Some((command, rest)) if command == "corpus" => corpus::run(rest),
        _ => Err(anyhow::anyhow!(USAGE)),
    };
    match passed {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::from(2)
        }
    }
}
