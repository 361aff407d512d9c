//! The store alone: the same steps of a run, by as many callers, without HTTP, JSON or contracts. What is left is SQLite,
//! its grouped commits and the disk.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use accord_domain::demands::Demands;
use accord_domain::event::Body;
use accord_domain::id::{LeaseId, RunnerId};
use accord_domain::run::change::End;
use accord_domain::run::{Assignment, Holder, Outcome, Run};
use accord_domain::runner::Profile;
use accord_domain::usage::Usage;
use accord_store::{Claim, Finish, Last, RunReader as _, RunStore as _, Submission};
use accord_store_sqlite::SqliteStore;
use accord_test_support::story;
use anyhow::{Context as _, Result};
use jiff::{SignedDuration, Timestamp};

/// The coordinator keeps the agent of its bench as a blueprint and a contract of these lengths.
const BLUEPRINT_BYTES: usize = 272;
const CONTRACT_BYTES: usize = 380;
const RESULT: &str = r#"{"severity": "high", "summary": "nobody can log in"}"#;

/// Whole cycles a second.
pub(crate) async fn cycles_per_second(folder: &Path, callers: usize, round: Duration) -> Result<f64> {
    let store = Arc::new(SqliteStore::open(folder.join("alone.db"))?);
    let begun = Instant::now();
    let mut tasks = Vec::new();
    for caller in 0..callers {
        let store = Arc::clone(&store);
        tasks.push(tokio::spawn(async move {
            let mut cycles = 0_u64;
            while begun.elapsed() < round {
                cycle(&store, &format!("{caller}-{cycles}")).await?;
                cycles += 1;
            }
            anyhow::Ok(cycles)
        }));
    }
    let mut cycles = 0;
    for task in tasks {
        cycles += task.await??;
    }
    Ok(cycles as f64 / begun.elapsed().as_secs_f64())
}

async fn cycle(store: &SqliteStore, name: &str) -> Result<()> {
    let (now, runner_id) = (Timestamp::now(), RunnerId::new("bench"));
    store.submit_run(submission(name, now)).await?;
    let claim = Claim {
        runner_id: runner_id.clone(),
        profile: Profile { executor_types: BTreeSet::from(["llm".to_owned()]), ..Profile::default() },
        leases: vec![LeaseId::new(name)],
        lease: SignedDuration::from_secs(60),
        starts: true,
        now,
    };
    let claimed = store.claim_runs(claim).await?.pop().context("no run waits")?;
    let lease_id = claimed.run.lease.context("no lease")?.id;
    let holder = Holder { run_id: claimed.run.id, runner_id, lease_id, attempt: claimed.run.attempt };
    let said = Body::Message { role: "assistant".into(), text: r#"{"severity": "high"}"#.into() };
    let last = Last { events: vec![said], ..Last::default() };
    // The gate reads the contract before it lets a result pass.
    store.whole_run(&holder.run_id).await?;
    let outcome = Outcome {
        result_text: None,
        result_data: Some(RESULT.into()),
        raw: Some(RESULT.into()),
        validation: None,
    };
    let run_id = holder.run_id.clone();
    let finish = Finish {
        retries: 0,
        holder,
        end: End::Completed(outcome),
        usage: Usage::default(),
        conversation: None,
        affinity: None,
        observations: Vec::new(),
        now,
    };
    store.finish_run_after(last, finish).await?;
    store.whole_run(&run_id).await?;
    Ok(())
}

fn submission(name: &str, now: Timestamp) -> Submission {
    let fresh = story::submission(name, now);
    let demands = Demands { executor_type: Some("llm".into()), ..Demands::default() };
    let assignment = Assignment {
        blueprint: format!("\"{}\"", "b".repeat(BLUEPRINT_BYTES - 2)),
        parameters: r#"{"prompt":"Sort this ticket: nobody can log in since nine"}"#.into(),
        contract: Some(format!("\"{}\"", "c".repeat(CONTRACT_BYTES - 2))),
        ..fresh.assignment
    };
    Submission { run: Run { demands, ..fresh.run }, assignment, ..fresh }
}
