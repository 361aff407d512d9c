//! What the coordinator costs, as Markdown: CPU and pace of whole cycles, beside what the disk can do; the latency of an
//! idle claim; memory; the time to be ready.
//!
//! The coordinator is the real binary in a process of its own, with its database on disk and full durability. Callers speak
//! plain HTTP/1.1 over connections that stay open, so that what they cost themselves stays small. CPU is what the kernel
//! accounts to the coordinator's process.

#![expect(clippy::print_stdout, reason = "the tables are the output")]

mod cycle;
mod disk;
mod http;
mod latency;
mod memory;
mod server;

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result};

/// How long each pace is measured.
const ROUND: Duration = Duration::from_secs(8);

/// How many callers at once.
const CALLERS: [usize; 3] = [1, 8, 64];

fn main() -> Result<()> {
    let binary = PathBuf::from(std::env::args().nth(1).context("name the accord binary")?);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    runtime.block_on(async {
        paces(&binary).await?;
        latency::idle_claims(&binary).await?;
        memory::figures(&binary).await
    })
}

async fn paces(binary: &std::path::Path) -> Result<()> {
    println!("## One cycle\n");
    println!("Create, claim, start, one event, finish, read; SQLite on disk, `synchronous=FULL`.\n");
    println!(
        "| callers | cycles/s | coordinator CPU ms per cycle | grouped commits/s of the bare disk | disk's limit, cycles/s | ratio |"
    );
    println!("|---:|---:|---:|---:|---:|---:|");
    for callers in CALLERS {
        let folder = tempfile::tempdir_in(".")?;
        let commits = disk::grouped_commits(folder.path(), callers)?;
        let limit = commits * callers as f64 / cycle::DURABLE_STEPS as f64;
        let server = server::Server::start(binary, folder.path(), &["coordinator"]).await?;
        let pace = cycle::measure(&server, callers, ROUND).await?;
        println!(
            "| {callers} | {:.0} | {:.3} | {commits:.0} | {limit:.0} | {:.2} |",
            pace.cycles_per_second,
            pace.cpu_milliseconds,
            pace.cycles_per_second / limit
        );
    }
    println!();
    Ok(())
}
