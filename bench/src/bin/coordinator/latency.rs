//! How long it takes from the request for a run to a runner that waits for one.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;
use serde_json::json;

use bench::cycle::Worker;
use bench::http::Connection;
use bench::latency::Latencies;
use bench::server::Server;

const SAMPLES: usize = 500;

/// An otherwise idle coordinator, one waiting runner, one run after the other.
pub(crate) async fn idle_claims(binary: &Path) -> Result<()> {
    let folder = tempfile::tempdir_in(".")?;
    let server = Server::start(binary, folder.path(), &["coordinator"]).await?;
    let mut worker = Worker::new(&server).await?;
    let mut caller = Connection::open(&server.address).await?;
    let body = json!({"agent_name": "bench", "prompt": "x"}).to_string();
    let (mut acknowledged, mut claimed) = (Vec::new(), Vec::new());
    for _ in 0..SAMPLES {
        let claim = tokio::spawn(async move {
            let run = worker.claim(30).await;
            (worker, run, Instant::now())
        });
        // The claim is to wait already when the run comes.
        tokio::time::sleep(Duration::from_millis(5)).await;
        let begun = Instant::now();
        caller.post("/runs", &body).await?;
        acknowledged.push(begun.elapsed());
        let (back, run, at) = claim.await?;
        anyhow::ensure!(run?.is_some(), "no run came");
        claimed.push(at.saturating_duration_since(begun));
        worker = back;
    }
    println!("## Latency of an idle claim\n");
    println!("| from the request | p50 ms | p99 ms |");
    println!("|---|---:|---:|");
    for (name, times) in
        [("to its answer (one commit)", acknowledged), ("to the waiting runner (two commits)", claimed)]
    {
        let times = Latencies::new(times);
        println!("| {name} | {:.2} | {:.2} |", times.percentile(50), times.percentile(99));
    }
    println!();
    Ok(())
}
