//! Whole cycles of a run on the store on PostgreSQL alone, as fast as callers can: cycles per second, processor time of this
//! process, and what the server executed.
//!
//! `cargo run --release --bin store [-- <callers>…]`; with `STATEMENTS=1` every statement is listed too.

#![expect(clippy::print_stdout, reason = "the table is the output")]

use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use accord_store::Store;
use accord_store_postgres::PostgresStore;
use accord_test_support::{PostgresCluster, PostgresOptions};
use anyhow::{Context as _, Result, ensure};
use bench::store;

const ROUND: Duration = Duration::from_secs(6);
const CALLERS: [usize; 3] = [1, 8, 64];

/// The server publishes its counts a moment after a statement.
const PUBLISHED: Duration = Duration::from_millis(1500);

const COUNTS: &str = "
SELECT sum(calls), sum(total_exec_time),
    (SELECT xact_commit FROM pg_stat_database WHERE datname = current_database())
FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid WHERE d.datname = current_database()";

const STATEMENTS: &str = "
SELECT calls, total_exec_time, left(regexp_replace(query, '\\s+', ' ', 'g'), 110)
FROM pg_stat_statements WHERE calls > 5 ORDER BY total_exec_time DESC LIMIT 30";

fn main() -> Result<()> {
    let callers: Vec<usize> =
        std::env::args().skip(1).map(|number| number.parse()).collect::<Result<_, _>>()?;
    let callers = if callers.is_empty() { CALLERS.to_vec() } else { callers };
    let options = PostgresOptions { with_counted_statements: true, ..PostgresOptions::default() };
    let cluster = PostgresCluster::start_with(options)?;
    let url = cluster.fresh_database()?;
    let server = Server { cluster: &cluster, url: &url };
    server.ask("CREATE EXTENSION pg_stat_statements")?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        let store: Arc<dyn Store> = Arc::new(PostgresStore::connect(&url).await?);
        println!("| callers | cycles/s | CPU ms per cycle | commits per cycle | statements per cycle | executed, ms per cycle |");
        println!("|---:|---:|---:|---:|---:|---:|");
        for callers in callers {
            measure(&server, &store, callers).await?;
        }
        Ok(())
    })
}

async fn measure(server: &Server<'_>, store: &Arc<dyn Store>, callers: usize) -> Result<()> {
    // Prepares the statements.
    store::measure(store, 1, Duration::from_millis(500)).await?;
    tokio::time::sleep(PUBLISHED).await;
    server.ask("SELECT pg_stat_statements_reset()")?;
    let [_, _, commits] = server.counts()?;
    let pace = store::measure(store, callers, ROUND).await?;
    tokio::time::sleep(PUBLISHED).await;
    let [calls, executed, after] = server.counts()?;
    println!(
        "| {callers} | {:.0} | {:.2} | {:.2} | {:.1} | {:.2} |",
        pace.cycles_per_second,
        pace.cpu_milliseconds,
        (after - commits) / pace.cycles,
        calls / pace.cycles,
        executed / pace.cycles
    );
    if std::env::var_os("STATEMENTS").is_some() {
        for line in server.ask(STATEMENTS)?.lines() {
            let mut parts = line.splitn(3, '|');
            let mut number = || -> Result<f64> { Ok(parts.next().context("no number")?.parse()?) };
            let (calls, time) = (number()?, number()?);
            println!(
                "  {:.2} calls, {:.3} ms each, {:.3} ms per cycle: {}",
                calls / pace.cycles,
                time / calls,
                time / pace.cycles,
                parts.next().unwrap_or_default()
            );
        }
    }
    Ok(())
}

/// The database, asked by `psql`.
struct Server<'a> {
    cluster: &'a PostgresCluster,
    url: &'a str,
}

impl Server<'_> {
    fn ask(&self, sql: &str) -> Result<String> {
        let asked =
            Command::new(self.cluster.program("psql")).args(["-XAtq", self.url, "-c", sql]).output()?;
        ensure!(asked.status.success(), "{}", String::from_utf8_lossy(&asked.stderr));
        Ok(String::from_utf8(asked.stdout)?)
    }

    /// Statements, milliseconds that they took, and commits.
    fn counts(&self) -> Result<[f64; 3]> {
        let line = self.ask(COUNTS)?;
        let numbers: Vec<f64> = line.trim().split('|').map(str::parse).collect::<Result<_, _>>()?;
        numbers.try_into().ok().context("not three numbers")
    }
}
