//! Accord under load beside job queues on the same machine in the same run, as one Markdown table.
//!
//! `load ACCORD PEERS [million]`: the binary, and the folder that `bench/load/run` has installed the job queues into. `ACCORD` is
//! started as coordinators, with SQLite and with PostgreSQL; callers do whole cycles over HTTP on loopback. The server of PostgreSQL is
//! started here, on a free port, and one database after the other is made in it. With `million` nothing of that, but how long a
//! claim, lists and statistics take in a database full of finished runs.
//!
//! Environment: `LOAD_CALLERS` (1 8 64 256), `LOAD_COORDINATORS` (1 2 4), `LOAD_SECONDS` (6) for each row, `LOAD_SYSTEMS` (all),
//! `LOAD_RUNS` (1000000) and `LOAD_RUN_BYTES` (20480) for `million`.

#![expect(clippy::print_stdout, reason = "the tables are the output")]
#![expect(clippy::print_stderr, reason = "progress goes beside them")]

mod full;
mod peers;
mod table;

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use accord_test_support::PostgresCluster;
use anyhow::{Context as _, Result, bail};
use bench::server::Server;
use bench::{cycle, processor};
use table::{Row, System};
use tokio::signal::unix::{SignalKind, signal};

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let accord = PathBuf::from(arguments.next().context("name the accord binary")?);
    let peers = PathBuf::from(arguments.next().context("name the folder of the job queues")?);
    let full = arguments.next().is_some_and(|part| part == "million");
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    runtime.block_on(async {
        let work = async {
            match full {
                true => full::table(&accord, &peers).await,
                false => walk(&accord, &peers).await,
            }
        };
        let mut terminated = signal(SignalKind::terminate())?;
        // What was started ends with what is dropped here.
        tokio::select! {
            done = work => done,
            _ = tokio::signal::ctrl_c() => bail!("interrupted"),
            _ = terminated.recv() => bail!("terminated"),
        }
    })
}

async fn walk(accord: &Path, peers: &Path) -> Result<()> {
    let callers: Vec<usize> = numbers("LOAD_CALLERS", &[1, 8, 64, 256])?;
    let coordinators: Vec<usize> = numbers("LOAD_COORDINATORS", &[1, 2, 4])?;
    let round = Duration::from_secs(number("LOAD_SECONDS", 6)?);
    let chosen = std::env::var("LOAD_SYSTEMS").unwrap_or_default();
    let chosen: Vec<&str> = chosen.split_whitespace().collect();
    let cluster = PostgresCluster::start()?;
    let mut rows = Vec::new();
    for system in System::all(&coordinators) {
        if !chosen.is_empty() && !chosen.contains(&system.name()) {
            continue;
        }
        for &callers in &callers {
            eprintln!("{}, {callers} callers", system.title());
            let measured = match &system {
                System::AccordOnSqlite => on_sqlite(accord, callers, round).await,
                System::AccordOnPostgres(count) => {
                    on_postgres(accord, &cluster, *count, callers, round).await
                }
                System::Peer(peer) => peers::measure(peer, peers, &cluster, callers, round).await,
            };
            let measured = measured.with_context(|| format!("{}, {callers} callers", system.title()))?;
            rows.push(Row { system: system.clone(), callers, measured });
        }
    }
    println!("{}", table::markdown(&rows));
    Ok(())
}

/// What was measured of one system with one number of callers.
#[derive(Debug, Clone)]
struct Measured {
    cycles_per_second: f64,
    p50: f64,
    p99: f64,
    /// Of the coordinators; of job queues the whole process, which includes their callers.
    cpu_milliseconds: f64,
    database_cpu_milliseconds: Option<f64>,
}

async fn on_sqlite(accord: &Path, callers: usize, round: Duration) -> Result<Measured> {
    let folder = tempfile::tempdir_in(".")?;
    let servers = [Server::start(accord, folder.path(), &["coordinator"]).await?];
    Ok(Measured::of(&cycle::measure(&servers, callers, round).await?, None))
}

async fn on_postgres(
    accord: &Path,
    cluster: &PostgresCluster,
    count: usize,
    callers: usize,
    round: Duration,
) -> Result<Measured> {
    let url = cluster.fresh_database()?;
    let (mut folders, mut servers) = (Vec::new(), Vec::new());
    for _ in 0..count {
        let folder = tempfile::tempdir_in(".")?;
        servers.push(Server::start(accord, folder.path(), &["coordinator", "--database", &url]).await?);
        folders.push(folder);
    }
    let database = DatabaseTime::begin(cluster)?;
    let pace = cycle::measure(&servers, callers, round).await?;
    let used = database.used()?;
    Ok(Measured::of(
        &pace,
        Some(used.as_secs_f64() * 1000.0 / (pace.cycles_per_second * round.as_secs_f64())),
    ))
}

impl Measured {
    fn of(pace: &cycle::Pace, database_cpu_milliseconds: Option<f64>) -> Self {
        Self {
            cycles_per_second: pace.cycles_per_second,
            p50: pace.latencies.percentile(50),
            p99: pace.latencies.percentile(99),
            cpu_milliseconds: pace.cpu_milliseconds,
            database_cpu_milliseconds,
        }
    }
}

/// The processor time of the database's server from here on.
struct DatabaseTime {
    process: u32,
    before: Duration,
}

impl DatabaseTime {
    fn begin(cluster: &PostgresCluster) -> Result<Self> {
        let process = cluster.server_process().context("PostgreSQL has no process")?;
        Ok(Self { process, before: processor::with_children(process)? })
    }

    fn used(&self) -> Result<Duration> {
        Ok(processor::with_children(self.process)?.saturating_sub(self.before))
    }
}

/// A setting of the environment.
fn number<T: FromStr>(name: &str, otherwise: T) -> Result<T> {
    match std::env::var(name) {
        Ok(text) => text.parse().ok().with_context(|| format!("{name}: expected a number, got {text:?}")),
        Err(_) => Ok(otherwise),
    }
}

/// A setting of several numbers, separated by spaces.
fn numbers(name: &str, otherwise: &[usize]) -> Result<Vec<usize>> {
    let Ok(text) = std::env::var(name) else { return Ok(otherwise.to_vec()) };
    let numbers = text.split_whitespace().map(|part| {
        part.parse()
            .ok()
            .filter(|number| *number > 0)
            .with_context(|| format!("{name}: expected numbers, got {text:?}"))
    });
    numbers.collect()
}
