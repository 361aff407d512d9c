//! Whole cycles of a run, as fast as callers can.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};

use crate::http::Connection;
use crate::latency::Latencies;
use crate::server::Server;

/// The steps of a cycle that wait for the disk: create, claim with start, finish with one event. Reading does not.
pub const DURABLE_STEPS: usize = 3;

/// How fast, and for how much.
pub struct Pace {
    pub cycles_per_second: f64,
    /// Of all coordinators.
    pub cpu_milliseconds: f64,
    /// Written to disk in a cycle.
    pub bytes: f64,
    pub latencies: Latencies,
}

/// Runs cycles with this many callers for a while, spread over these coordinators.
pub async fn measure(servers: &[Server], callers: usize, round: Duration) -> Result<Pace> {
    let mut workers = Vec::new();
    for server in servers.iter().cycle().take(callers.max(servers.len())) {
        let mut worker = Worker::new(server).await?;
        worker.cycle().await?;
        workers.push(worker);
    }
    workers.truncate(callers);
    let (cpu, written, begun) = (cpu(servers)?, written(servers)?, Instant::now());
    let mut tasks = Vec::new();
    for mut worker in workers {
        tasks.push(tokio::spawn(async move {
            let mut times = Vec::new();
            while begun.elapsed() < round {
                let cycle = Instant::now();
                worker.cycle().await?;
                times.push(cycle.elapsed());
            }
            anyhow::Ok(times)
        }));
    }
    let mut times = Vec::new();
    for task in tasks {
        times.extend(task.await??);
    }
    let seconds = begun.elapsed().as_secs_f64();
    let (used, bytes) =
        (self::cpu(servers)?.saturating_sub(cpu), self::written(servers)?.saturating_sub(written));
    let cycles = times.len() as f64;
    Ok(Pace {
        cycles_per_second: cycles / seconds,
        cpu_milliseconds: used.as_secs_f64() * 1000.0 / cycles,
        bytes: bytes as f64 / cycles,
        latencies: Latencies::new(times),
    })
}

fn cpu(servers: &[Server]) -> Result<Duration> {
    servers.iter().map(Server::cpu).sum()
}

fn written(servers: &[Server]) -> Result<u64> {
    servers.iter().map(Server::written).sum()
}

/// A caller and a runner in one: it makes a run, takes one, ends it and reads it.
pub struct Worker {
    connection: Connection,
    runner_id: String,
}

/// A run that was handed out.
pub struct Taken {
    run_id: String,
    schema_hash: String,
    /// What shows that the run is ours.
    holding: String,
}

impl Worker {
    pub async fn new(server: &Server) -> Result<Self> {
        let mut connection = Connection::open(&server.address).await?;
        let profile = r#"{"profile":{"hostname":"bench","executor_types":["llm"],"concurrency":1}}"#;
        let answer = connection.post("/runner/register", profile).await?;
        let runner_id = answer.text("runner_id").context("no runner_id")?;
        Ok(Self { connection, runner_id })
    }

    async fn cycle(&mut self) -> Result<()> {
        self.create().await?;
        let taken = loop {
            if let Some(taken) = self.claim(5).await? {
                break taken;
            }
        };
        self.finish(taken).await
    }

    pub async fn create(&mut self) -> Result<()> {
        let create = r#"{"agent_name":"bench","prompt":"Sort this ticket: nobody can log in since nine"}"#;
        self.connection.post("/runs", create).await?;
        Ok(())
    }

    /// From a run that was claimed and started to its end, which is read.
    pub async fn finish(&mut self, taken: Taken) -> Result<()> {
        let Taken { run_id, schema_hash, holding } = taken;
        let event = r#"{"type":"message","role":"assistant","text":"{\"severity\": \"high\"}"}"#;
        let finish = format!(
            concat!(
                r#"{{"holding":{},"status":"completed","report":{{"events":[{}]}},"#,
                r#""result_data":{{"severity":"high","summary":"nobody can log in"}},"#,
                r#""raw":"{{\"severity\": \"high\", \"summary\": \"nobody can log in\"}}","#,
                r#""validation":{{"valid":true,"schema_name":null,"schema_hash":"{}","retry_count":0,"#,
                r#""strategy":"native","repairs":[],"attempts":1}}}}"#
            ),
            holding, event, schema_hash
        );
        self.connection.post(&format!("/runner/runs/{run_id}/finish"), &finish).await?;
        let read = self.connection.get(&format!("/runs/{run_id}")).await?;
        anyhow::ensure!(
            read.text("status").is_some_and(|status| status == "completed"),
            "{run_id} is not over"
        );
        Ok(())
    }

    /// Claims one run and waits at most this many seconds for it.
    pub async fn claim(&mut self, wait_seconds: u32) -> Result<Option<Taken>> {
        let runner_id = &self.runner_id;
        let body =
            format!(r#"{{"runner_id":"{runner_id}","max":1,"wait_seconds":{wait_seconds},"start":true}}"#);
        let answer = self.connection.post("/runner/claims", &body).await?;
        let Some(run_id) = answer.text("run_id") else { return Ok(None) };
        let lease_id = answer.text("lease_id").context("no lease_id")?;
        let attempt = answer.number("attempt").context("no attempt")?;
        let schema_hash = answer.text("schema_hash").context("no schema_hash")?;
        let holding = format!(r#"{{"runner_id":"{runner_id}","lease_id":"{lease_id}","attempt":{attempt}}}"#);
        Ok(Some(Taken { run_id, schema_hash, holding }))
    }
}
