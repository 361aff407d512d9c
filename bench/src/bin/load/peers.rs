//! Job queues on PostgreSQL, and pgbench with rows like those of Accord.
//!
//! Each runs in a process of its own, which is also its callers, and says what it measured as one line of JSON.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use accord_test_support::PostgresCluster;
use anyhow::{Context as _, Result, ensure};
use bench::latency::Latencies;
use serde::Deserialize;
use tokio::process::Command;

use crate::{DatabaseTime, Measured};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Peer {
    Pgbench,
    PgBoss,
    GraphileWorker,
    Procrastinate,
}

impl Peer {
    pub(crate) const ALL: [Self; 4] =
        [Self::Pgbench, Self::PgBoss, Self::GraphileWorker, Self::Procrastinate];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Pgbench => "pgbench",
            Self::PgBoss => "pg-boss",
            Self::GraphileWorker => "graphile-worker",
            Self::Procrastinate => "procrastinate",
        }
    }

    /// With what its cycle is.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Pgbench => "pgbench (the rows of a run, 5 commits)",
            Self::PgBoss => "pg-boss (send, fetch, complete)",
            Self::GraphileWorker => "graphile-worker (add, done)",
            Self::Procrastinate => "procrastinate (defer, done)",
        }
    }
}

/// What a job queue says.
#[derive(Deserialize)]
struct Said {
    cycles_per_second: f64,
    p50: f64,
    p99: f64,
    cpu_milliseconds: f64,
    cycles: f64,
}

pub(crate) async fn measure(
    peer: &Peer,
    folder: &Path,
    cluster: &PostgresCluster,
    callers: usize,
    round: Duration,
) -> Result<Measured> {
    let url = cluster.fresh_database()?;
    let (callers, seconds) = (callers.to_string(), round.as_secs().to_string());
    let database = DatabaseTime::begin(cluster)?;
    let said = match peer {
        Peer::Pgbench => pgbench(folder, cluster, &url, &callers, &seconds).await?,
        Peer::PgBoss | Peer::GraphileWorker => {
            let mut node = Command::new("node");
            node.arg(folder.join("queues.mjs")).args([peer.name(), &url, &callers, &seconds]);
            said(node).await?
        }
        Peer::Procrastinate => {
            let mut python = Command::new(folder.join("venv/bin/python"));
            python.arg(folder.join("procrastinate_cycles.py")).args([&url, &callers, &seconds]);
            said(python).await?
        }
    };
    let used = database.used()?.as_secs_f64() * 1000.0;
    Ok(Measured {
        cycles_per_second: said.cycles_per_second,
        p50: said.p50,
        p99: said.p99,
        cpu_milliseconds: said.cpu_milliseconds,
        database_cpu_milliseconds: Some(used / said.cycles),
    })
}

async fn said(command: Command) -> Result<Said> {
    let output = output(command).await?;
    let line = output.lines().last().context("it said nothing")?;
    serde_json::from_str(line).with_context(|| format!("expected JSON, got {line}"))
}

/// What a command prints. It ends with this.
async fn output(mut command: Command) -> Result<String> {
    let ended = command.stdin(Stdio::null()).kill_on_drop(true).output().await?;
    let (text, errors) = (String::from_utf8(ended.stdout)?, String::from_utf8_lossy(&ended.stderr));
    ensure!(ended.status.success(), "{}: {text}{errors}", ended.status);
    Ok(text)
}

/// Its log of transactions says how long each took; a shell says how much of the processor it used.
async fn pgbench(
    folder: &Path,
    cluster: &PostgresCluster,
    url: &str,
    callers: &str,
    seconds: &str,
) -> Result<Said> {
    let mut tables = Command::new(cluster.program("psql"));
    tables.args(["-Xq", "-v", "ON_ERROR_STOP=1", url, "-f"]).arg(folder.join("pgbench_tables.sql"));
    output(tables).await?;
    let logs = tempfile::tempdir_in(".")?;
    let mut command = Command::new("sh");
    command.args(["-c", "\"$@\" && times", "sh"]).arg(cluster.program("pgbench"));
    command.args(["-n", "-M", "prepared", "-c", callers, "-j", "1", "-T", seconds, "-l", "--log-prefix"]);
    command.arg(logs.path().join("log")).arg("-f").arg(folder.join("pgbench_cycle.sql")).arg(url);
    let text = output(command).await?;
    let mut times = Vec::new();
    for log in std::fs::read_dir(logs.path())? {
        for line in std::fs::read_to_string(log?.path())?.lines() {
            let micros = line.split(' ').nth(2).context("no latency")?.parse()?;
            times.push(Duration::from_micros(micros));
        }
    }
    let cycles = times.len() as f64;
    let rate = text.lines().find_map(|line| line.strip_prefix("tps = ")).context("no tps")?;
    let rate: f64 = rate.split(' ').next().unwrap_or_default().parse()?;
    let children = text.lines().last().context("no times")?;
    let used: f64 = children.split_whitespace().map(shell_seconds).sum::<Result<f64>>()?;
    let latencies = Latencies::new(times);
    Ok(Said {
        cycles_per_second: rate,
        p50: latencies.percentile(50),
        p99: latencies.percentile(99),
        cpu_milliseconds: used * 1000.0 / cycles,
        cycles,
    })
}

/// Seconds of `1m2.5s`.
fn shell_seconds(text: &str) -> Result<f64> {
    let parts = text.trim_end_matches('s').split_once('m').context("expected minutes and seconds")?;
    Ok(parts.0.parse::<f64>()? * 60.0 + parts.1.parse::<f64>()?)
}
