//! The cost of the coordinator, as Markdown: CPU and throughput of whole cycles, compared with the
//! limits of store and disk and with a minimal server; the latency of an idle claim; memory; the
//! startup time.
//!
//! The coordinator is the real binary in a separate process, with its database on disk and full
//! durability. Callers use plain HTTP/1.1 over persistent connections, so that their own cost stays
//! small. CPU is the kernel's accounting of the coordinator's process. The arguments select parts
//! (`paces`, `latency`, `memory`) and numbers of callers; by default all are measured.

#![expect(clippy::print_stdout, reason = "the tables are the output")]

mod disk;
mod floor;
mod latency;
mod memory;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use accord_store::Store;
use accord_store_sqlite::SqliteStore;
use anyhow::{Context as _, Result};
use bench::server::Server;
use bench::{cycle, store};

/// How long each pace is measured.
const ROUND: Duration = Duration::from_secs(8);

/// How many callers at once.
const CALLERS: [usize; 3] = [1, 8, 64];

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let binary = PathBuf::from(arguments.next().context("name the accord binary")?);
    let parts: Vec<String> = arguments.collect();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    if binary == Path::new(floor::SERVE) {
        let [step, .., folder] = parts.as_slice() else { anyhow::bail!("how many bytes, and where?") };
        return runtime.block_on(floor::serve(Path::new(folder), step.parse()?));
    }
    let (callers, parts): (Vec<String>, Vec<String>) =
        parts.into_iter().partition(|part| part.parse::<usize>().is_ok());
    let callers: Vec<usize> = callers.iter().filter_map(|number| number.parse().ok()).collect();
    let callers = if callers.is_empty() { CALLERS.to_vec() } else { callers };
    let wanted = |part: &str| parts.is_empty() || parts.iter().any(|wanted| wanted == part);
    runtime.block_on(async {
        if wanted("paces") {
            paces(&binary, &callers).await?;
        }
        if wanted("latency") {
            latency::idle_claims(&binary).await?;
        }
        if wanted("memory") {
            memory::figures(&binary).await?;
        }
        Ok(())
    })
}

async fn paces(binary: &Path, callers: &[usize]) -> Result<()> {
    println!("## One cycle\n");
    println!("Create, claim with start, finish with one event, read; SQLite on disk, `synchronous=FULL`.\n");
    println!(
        "| callers | cycles/s | coordinator CPU ms per cycle | the least, CPU ms | ratio | the store alone, cycles/s | ratio | KiB written per cycle | commits/s of the bare disk | disk's limit, cycles/s | ratio |"
    );
    println!("|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
    for &callers in callers {
        let folder = tempfile::tempdir_in(".")?;
        let servers = [Server::start(binary, folder.path(), &["coordinator"]).await?];
        let pace = cycle::measure(&servers, callers, ROUND).await?;
        drop(servers);
        let least = floor::cpu(folder.path(), callers, pace.bytes, ROUND / 2).await?;
        let alone: Arc<dyn Store> = Arc::new(SqliteStore::open(folder.path().join("alone.db"))?);
        let alone = store::measure(&alone, callers, ROUND / 2).await?.cycles_per_second;
        // At best one commit carries a step of every caller.
        let cycles_in_commit = callers as f64 / cycle::DURABLE_STEPS as f64;
        let commits = disk::commits(folder.path(), (pace.bytes * cycles_in_commit) as usize)?;
        let limit = commits * cycles_in_commit;
        println!(
            "| {callers} | {:.0} | {:.3} | {least:.3} | {:.2} | {alone:.0} | {:.2} | {:.0} | {commits:.0} | {limit:.0} | {:.2} |",
            pace.cycles_per_second,
            pace.cpu_milliseconds,
            pace.cpu_milliseconds / least,
            pace.cycles_per_second / alone,
            pace.bytes / 1024.0,
            pace.cycles_per_second / limit
        );
    }
    println!();
    Ok(())
}
