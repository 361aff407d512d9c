//! Whole cycles of a run, as fast as callers can.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use crate::http::Connection;
use crate::server::Server;

/// The steps of a cycle that wait for the disk: create, claim, start, event, finish. Reading does not.
pub(crate) const DURABLE_STEPS: usize = 5;

/// How fast, and for how much.
pub(crate) struct Pace {
    pub(crate) cycles_per_second: f64,
    pub(crate) cpu_milliseconds: f64,
    /// Written to disk in a cycle.
    pub(crate) bytes: f64,
}

/// Runs cycles with so many callers for a while.
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

impl Worker {
    pub(crate) async fn new(server: &Server) -> Result<Self> {
        let mut connection = Connection::open(&server.address).await?;
        let profile = json!({"profile": {"hostname": "bench", "executor_types": ["llm"], "concurrency": 1}});
        let answer = connection.post("/runner/register", &profile.to_string()).await?;
        let runner_id = text(&answer, "runner_id")?;
        Ok(Self { connection, runner_id })
    }

    async fn cycle(&mut self) -> Result<()> {
        let create =
            json!({"agent_name": "bench", "prompt": "Sort this ticket: nobody can log in since nine"});
        self.connection.post("/runs", &create.to_string()).await?;
        let run = loop {
            if let Some(run) = self.claim(5).await? {
                break run;
            }
        };
        let id = text(&run, "run_id")?;
        let holding = json!({
            "runner_id": self.runner_id, "lease_id": run.get("lease_id"), "attempt": run.get("attempt")
        });
        self.connection.post(&format!("/runner/runs/{id}/started"), &holding.to_string()).await?;
        let event = json!({"type": "message", "role": "assistant", "text": "{\"severity\": \"high\"}"});
        let events = json!({"holding": holding, "events": [event]});
        self.connection.post(&format!("/runner/runs/{id}/events"), &events.to_string()).await?;
        let hash = run.pointer("/contract/schema_hash");
        let finish = json!({
            "holding": holding, "status": "completed",
            "result_data": {"severity": "high", "summary": "nobody can log in"},
            "raw": "{\"severity\": \"high\", \"summary\": \"nobody can log in\"}",
            "validation": {"valid": true, "schema_name": null, "schema_hash": hash, "retry_count": 0,
                           "strategy": "native", "repairs": [], "attempts": 1},
        });
        self.connection.post(&format!("/runner/runs/{id}/finish"), &finish.to_string()).await?;
        let read = self.connection.get(&format!("/runs/{id}")).await?;
        anyhow::ensure!(read.get("status").is_some_and(|status| status == "completed"), "{read}");
        Ok(())
    }

    /// Asks for one run, and waits so many seconds for it.
    pub(crate) async fn claim(&mut self, wait_seconds: u32) -> Result<Option<Value>> {
        let body = json!({"runner_id": self.runner_id, "max": 1, "wait_seconds": wait_seconds});
        let mut answer = self.connection.post("/runner/claims", &body.to_string()).await?;
        Ok(answer.get_mut("runs").and_then(Value::as_array_mut).and_then(Vec::pop))
    }
}

fn text(value: &Value, key: &str) -> Result<String> {
    value.get(key).and_then(Value::as_str).map(str::to_owned).with_context(|| format!("no {key} in {value}"))
}
