//! How often a real model meets its contract, and after how many attempts: each strategy, with and without examples, through the real binary, on a
//! server with constrained decoding. Prints Markdown.
//!
//! `model ACCORD [RUNS] [MODEL]`: the binary, the runs for each variant (200), and `smollm2` or `tiny`.
//!
//! Model and server are installed by `tests/real/model/setup`. Every result is judged once more here, with the agent's
//! own schema: one that does not conform ends the bench.

#![expect(clippy::print_stdout, reason = "the tables are the output")]
#![expect(clippy::print_stderr, reason = "progress goes beside them")]

mod host;
mod runs;
mod server;
mod tables;
mod tasks;

use std::path::PathBuf;
use std::time::Instant;

use accord_client::api::Strategy;
use anyhow::{Context as _, Result};

use crate::host::Variant;

/// How many runs are in progress at once. The server has as many slots.
const AT_ONCE: usize = 2;

const RUNS: usize = 200;

const fn variant(name: &'static str, strategy: Strategy, with_examples: bool) -> Variant {
    Variant { name, strategy, with_examples }
}

/// Two examples each; at last none, so that the model sees what is made up from the schema.
const VARIANTS: [Variant; 4] = [
    variant("`native`", Strategy::Native, true),
    variant("`tool`", Strategy::Tool, true),
    variant("`prompt`", Strategy::Prompt, true),
    variant("`prompt`, no examples", Strategy::Prompt, false),
];

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let binary = PathBuf::from(arguments.next().context("name the accord binary")?);
    let count = arguments.next().map_or(Ok(RUNS), |text| text.parse()).context("RUNS is a number")?;
    let model = arguments.next().unwrap_or_else(|| "smollm2".to_owned());
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    runtime.block_on(bench(&binary, count, &model))
}

async fn bench(binary: &std::path::Path, count: usize, model: &str) -> Result<()> {
    let server = server::Server::start(model, AT_ONCE).await?;
    let host = host::Host::start(binary).await?;
    let tasks = tasks::all(&host.client).await?;
    println!("{count} runs for each variant over {} tasks, {model}, {AT_ONCE} at once.\n", tasks.len());
    let mut all = Vec::new();
    for variant in VARIANTS {
        let begun = Instant::now();
        let agents = host.agents(&tasks, variant, &server.url).await?;
        let ended = runs::all(&host.client, agents, count, AT_ONCE, |done| {
            let elapsed = begun.elapsed().as_secs();
            let completed = done.iter().filter(|run| run.completed).count();
            let first = done.iter().filter(|run| run.is_first_try()).count();
            eprintln!(
                "{} {}/{count} runs, {completed} completed, {first} at the first try, {elapsed} s",
                variant.name,
                done.len()
            );
        });
        all.push((variant.name, ended.await?));
    }
    print!("{}", tables::by_strategy(&all));
    print!("{}", tables::by_task(&all));
    print!("{}", tables::refused(&all));
    Ok(())
}
