//! How long claims, lists and statistics take in a database full of finished runs, beside one with a page of them.

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use accord_test_support::PostgresCluster;
use anyhow::{Context as _, Result, ensure};
use bench::cycle::Worker;
use bench::http::Connection;
use bench::latency::Latencies;
use bench::server::Server;
use tokio::process::Command;

/// Finished runs of the database that is called empty: more than a page, so that its lists are as long.
const FEW: usize = 120;

const SAMPLES: usize = 200;

/// Statistics of a full database may take long.
const SLOW_SAMPLES: usize = 10;

/// The ratio that claims and lists must not exceed, and the time of statistics.
const MOST: f64 = 1.5;
const MOST_STATISTICS_MS: f64 = 100.0;

/// Requests that read, as the dashboard and the command line send them.
const READS: [(&str, &str); 9] = [
    ("list of runs", "/runs?limit=50"),
    ("list of failed runs", "/runs?limit=50&status=failed"),
    ("list of completed runs", "/runs?limit=50&status=completed"),
    ("list of runs in the queue", "/runs?limit=50&status=pending"),
    ("list of one agent's runs", "/runs?limit=50&agent_name=bench"),
    ("list of runs, searched", "/runs?limit=50&q=ticket"),
    ("list of sessions", "/sessions?limit=50"),
    ("health with the database", "/ready"),
    ("metrics", "/metrics"),
];

const STATISTICS: [(&str, &str); 2] =
    [("statistics of all time", "/stats"), ("statistics of one agent", "/stats?agent_name=bench")];

pub(crate) async fn table(accord: &Path, peers: &Path) -> Result<()> {
    let runs: usize = crate::number("LOAD_RUNS", 1_000_000)?;
    let bytes: usize = crate::number("LOAD_RUN_BYTES", 20 * 1024)?;
    println!(
        "{runs} finished runs of {bytes} bytes; medians of {SAMPLES} requests, of statistics {SLOW_SAMPLES}\n"
    );
    println!("| database | request | with {FEW} runs, ms | with {runs} runs, ms | ratio | goal |");
    println!("|---|---|---:|---:|---:|---|");
    on_sqlite(accord, peers, runs, bytes).await?;
    on_postgres(accord, peers, runs, bytes).await
}

async fn on_sqlite(accord: &Path, peers: &Path, runs: usize, bytes: usize) -> Result<()> {
    let folder = tempfile::tempdir_in(".")?;
    let few = measured(&Server::start(accord, folder.path(), &["coordinator"]).await?, FEW).await?;
    let file = database_file(folder.path())?;
    let mut fill = Command::new("python3");
    fill.arg(peers.join("fill_sqlite.py")).arg(&file).args([runs.to_string(), bytes.to_string()]);
    filled("SQLite", fill).await?;
    eprintln!("{} MiB", std::fs::metadata(&file)?.len() >> 20);
    let many = measured(&Server::start(accord, folder.path(), &["coordinator"]).await?, 0).await?;
    print("SQLite", &few, &many);
    Ok(())
}

async fn on_postgres(accord: &Path, peers: &Path, runs: usize, bytes: usize) -> Result<()> {
    let (cluster, folder) = (PostgresCluster::start()?, tempfile::tempdir_in(".")?);
    let url = cluster.fresh_database()?;
    let arguments = ["coordinator", "--database", &url];
    let few = measured(&Server::start(accord, folder.path(), &arguments).await?, FEW).await?;
    let mut fill = Command::new(cluster.program("psql"));
    fill.args(["-Xq", &url, "-v", &format!("runs={runs}"), "-v", &format!("bytes={bytes}"), "-f"]);
    fill.arg(peers.join("fill_postgres.sql"));
    filled("PostgreSQL", fill).await?;
    let many = measured(&Server::start(accord, folder.path(), &arguments).await?, 0).await?;
    print("PostgreSQL", &few, &many);
    Ok(())
}

/// The file that the coordinator has made in its folder.
fn database_file(folder: &Path) -> Result<std::path::PathBuf> {
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "db") {
                return Ok(path);
            }
        }
    }
    anyhow::bail!("the coordinator has made no database")
}

async fn filled(database: &str, mut fill: Command) -> Result<()> {
    let begun = Instant::now();
    let ended = fill.stdin(Stdio::null()).kill_on_drop(true).output().await?;
    ensure!(ended.status.success(), "filling {database}: {}", String::from_utf8_lossy(&ended.stderr));
    eprintln!("{database} is filled after {} s", begun.elapsed().as_secs());
    Ok(())
}

/// Milliseconds of each request, in one order. First as many runs are carried out as are said.
async fn measured(server: &Server, first: usize) -> Result<Vec<Measured>> {
    let mut worker = Worker::new(server).await?;
    for _ in 0..first {
        worker.create().await?;
        let taken = worker.claim(5).await?.context("no run came")?;
        worker.finish(taken).await?;
    }
    let mut all = vec![
        Measured { request: "claim that finds nothing", times: claims_of_nothing(&mut worker).await? },
        Measured { request: "claim", times: claims(&mut worker).await? },
    ];
    let mut caller = Connection::open(&server.address).await?;
    for (request, path) in READS {
        all.push(Measured { request, times: reads(&mut caller, path, SAMPLES).await? });
    }
    for (request, path) in STATISTICS {
        // What the first one prepares stays for the others.
        eprintln!("{request}, the first: {:.0} ms", reads(&mut caller, path, 1).await?.percentile(50));
        all.push(Measured { request, times: reads(&mut caller, path, SLOW_SAMPLES).await? });
    }
    Ok(all)
}

struct Measured {
    request: &'static str,
    times: Latencies,
}

async fn claims_of_nothing(worker: &mut Worker) -> Result<Latencies> {
    let mut times = Vec::new();
    for _ in 0..SAMPLES {
        let begun = Instant::now();
        ensure!(worker.claim(0).await?.is_none(), "a run was left");
        times.push(begun.elapsed());
    }
    Ok(Latencies::new(times))
}

async fn claims(worker: &mut Worker) -> Result<Latencies> {
    let mut times: Vec<Duration> = Vec::new();
    for _ in 0..SAMPLES {
        worker.create().await?;
        let begun = Instant::now();
        let taken = worker.claim(5).await?.context("no run came")?;
        times.push(begun.elapsed());
        worker.finish(taken).await?;
    }
    Ok(Latencies::new(times))
}

async fn reads(caller: &mut Connection, path: &str, samples: usize) -> Result<Latencies> {
    let mut times = Vec::new();
    for _ in 0..samples {
        let begun = Instant::now();
        caller.get(path).await?;
        times.push(begun.elapsed());
    }
    Ok(Latencies::new(times))
}

fn print(database: &str, few: &[Measured], many: &[Measured]) {
    for (few, many) in few.iter().zip(many) {
        let (before, after) = (few.times.percentile(50), many.times.percentile(50));
        let is_met = match STATISTICS.iter().any(|(request, _)| *request == few.request) {
            true => after <= MOST_STATISTICS_MS,
            false => after <= before * MOST,
        };
        let goal = if is_met { "met" } else { "missed" };
        println!(
            "| {database} | {} | {before:.2} | {after:.2} | {:.2} | {goal} |",
            few.request,
            after / before
        );
    }
}
