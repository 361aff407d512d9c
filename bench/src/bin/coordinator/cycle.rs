//! Whole cycles of a run, as fast as callers can.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};

use bench::http::Connection;
use bench::server::Server;

/// The steps of a cycle that wait for the disk: create, claim with start, finish with one event. Reading does not.
pub(crate) const DURABLE_STEPS: usize = 3;

/// How fast, and for how much.
pub(crate) struct Pace {
    pub(crate) cycles_per_second: f64,
    pub(crate) cpu_milliseconds: f64,
    /// Written to disk in a cycle.
    pub(crate) bytes: f64,
}

/// Runs cycles with this many callers for a while.
pub(crate) async fn measure(server: &Server, callers: usize, round: Duration) -> Result<Pace> {
    let mut workers = Vec::new();
    for _ in 0..callers {
        let mut worker = Worker::new(server).await?;
        worker.cycle().await?;
        workers.push(worker);
    }
    let (cpu, written, begun) = (server.cpu()?, server.written()?, Instant::now());
    let mut tasks = Vec::new();
    for mut worker in workers {
        tasks.push(tokio::spawn(async move {
            let mut cycles = 0_u64;
            while begun.elapsed() < round {
                worker.cycle().await?;
                cycles += 1;
            }
            anyhow::Ok(cycles)
        }));
    }
    let mut cycles = 0;
    for task in tasks {
        cycles += task.await??;
    }
    let (seconds, used) = (begun.elapsed().as_secs_f64(), server.cpu()?.saturating_sub(cpu));
    let (cycles, written) = (cycles as f64, server.written()?.saturating_sub(written));
    Ok(Pace {
        cycles_per_second: cycles / seconds,
        cpu_milliseconds: used.as_secs_f64() * 1000.0 / cycles,
        bytes: written as f64 / cycles,
    })
}

/// A caller and a runner in one: it makes a run, takes one, ends it and reads it.
pub(crate) struct Worker {
    connection: Connection,
    runner_id: String,
}

/// A run that was handed out.
pub(crate) struct Taken {
    run_id: String,
    schema_hash: String,
    /// What shows that the run is ours.
    holding: String,
}

impl Worker {
    pub(crate) async fn new(server: &Server) -> Result<Self> {
        let mut connection = Connection::open(&server.address).await?;
        let profile = r#"{"profile":{"hostname":"bench","executor_types":["llm"],"concurrency":1}}"#;
        let answer = connection.post("/runner/register", profile).await?;
        let runner_id = answer.text("runner_id").context("no runner_id")?;
        Ok(Self { connection, runner_id })
    }

    async fn cycle(&mut self) -> Result<()> {
        let create = r#"{"agent_name":"bench","prompt":"Sort this ticket: nobody can log in since nine"}"#;
        self.connection.post("/runs", create).await?;
        let Taken { run_id, schema_hash, holding } = loop {
            if let Some(taken) = self.claim(5).await? {
                break taken;
            }
        };
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
    pub(crate) async fn claim(&mut self, wait_seconds: u32) -> Result<Option<Taken>> {
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
