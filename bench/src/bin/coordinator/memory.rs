//! Memory at rest and under ten thousand sessions that wait on a slow model, and the time to be ready.

use std::path::Path;
use std::time::Duration;

use accord_test_support::{ModelServer, Reply, Script};
use anyhow::{Result, ensure};
use serde_json::json;
use tokio::time::timeout;

use bench::http::Connection;
use bench::server::Server;

const SESSIONS: usize = 10_000;
const STARTS: usize = 20;

/// How long all sessions together may take to reach the model.
const PATIENCE: Duration = Duration::from_secs(300);

pub(crate) async fn figures(binary: &Path) -> Result<()> {
    println!("## Starting and memory\n");
    println!("| what | figure |");
    println!("|---|---:|");
    let folder = tempfile::tempdir_in(".")?;
    let mut ready = Vec::new();
    let mut idle = 0.0;
    for _ in 0..STARTS {
        let server = Server::start(binary, folder.path(), &["up"]).await?;
        ready.push(server.ready_after);
        idle = server.resident()?;
    }
    ready.sort();
    let median = ready.get(STARTS / 2).copied().unwrap_or_default();
    println!("| ready after, median of {STARTS} | {:.0} ms |", median.as_secs_f64() * 1000.0);
    println!("| resident, idle (coordinator and runner) | {idle:.0} MiB |");
    println!("| resident, {SESSIONS} sessions waiting on a slow model | {:.0} MiB |", waiting(binary).await?);
    println!();
    Ok(())
}

async fn waiting(binary: &Path) -> Result<f64> {
    let model = ModelServer::start(Script::handler(|_, _| Reply::hang())).await?;
    let folder = tempfile::tempdir_in(".")?;
    let slow = folder.path().join(".accord/agents/slow");
    std::fs::create_dir_all(&slow)?;
    let executor =
        format!("{{ type: llm, provider: anthropic, model: slow, base_url: \"{}\" }}", model.url());
    let schema = "{ type: object, required: [a], properties: { a: { type: string } } }";
    std::fs::write(
        slow.join("agent.yaml"),
        format!("name: slow\nexecutor: {executor}\noutput_schema: {schema}\n"),
    )?;
    let concurrency = SESSIONS.to_string();
    let server = Server::start(binary, folder.path(), &["up", "--concurrency", &concurrency]).await?;
    let mut caller = Connection::open(&server.address).await?;
    let body = json!({"agent_name": "slow", "prompt": "take your time"}).to_string();
    for _ in 0..SESSIONS {
        caller.post("/runs", &body).await?;
    }
    let waiting = timeout(PATIENCE, model.wait_for_requests(SESSIONS)).await;
    let asked = model.requests().len();
    ensure!(
        waiting.is_ok(),
        "only {asked} of {SESSIONS} sessions asked the model in {} s",
        PATIENCE.as_secs()
    );
    ensure!(asked == SESSIONS, "{SESSIONS} sessions asked the model {asked} times: not all of them wait");
    server.resident()
}
