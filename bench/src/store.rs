//! The store alone: the same steps of a run, by as many callers, without HTTP, JSON or contracts. What is left is the
//! database, grouped commits and the disk.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use accord_domain::demands::Demands;
use accord_domain::event::Body;
use accord_domain::id::{LeaseId, RunnerId};
use accord_domain::run::change::End;
use accord_domain::run::{Assignment, Holder, Outcome, Run};
use accord_domain::runner::Profile;
use accord_domain::usage::Usage;
use accord_store::{Claim, Finish, Last, Store, Submission};
use accord_test_support::story;
use anyhow::{Context as _, Result};
use jiff::{SignedDuration, Timestamp};

use crate::processor;

/// The coordinator keeps the agent of its bench as a blueprint and a contract of these lengths.
const BLUEPRINT_BYTES: usize = 272;
const CONTRACT_BYTES: usize = 380;
const RESULT: &str = r#"{"severity": "high", "summary": "nobody can log in"}"#;

/// How fast, and for how much of this process.
pub struct Pace {
    pub cycles: f64,
    pub cycles_per_second: f64,
    pub cpu_milliseconds: f64,
}

/// Runs cycles with this many callers for a while.
pub async fn measure(store: &Arc<dyn Store>, callers: usize, round: Duration) -> Result<Pace> {
    // Names that no run before has had; the first cycle prepares statements.
    let prefix = Timestamp::now().as_microsecond();
    cycle(store.as_ref(), &format!("{prefix}x")).await?;
    let (cpu, begun) = (processor::of_process(std::process::id())?, Instant::now());
    let mut tasks = Vec::new();
    for caller in 0..callers {
        let store = Arc::clone(store);
        tasks.push(tokio::spawn(async move {
            let mut cycles = 0_u32;
            while begun.elapsed() < round {
                cycle(store.as_ref(), &format!("{prefix}x{caller}x{cycles}")).await?;
                cycles += 1;
            }
            anyhow::Ok(cycles)
        }));
    }
    let mut cycles = 0;
    for task in tasks {
        cycles += task.await??;
    }
    let used = processor::of_process(std::process::id())?.saturating_sub(cpu);
    let (cycles, seconds) = (f64::from(cycles), begun.elapsed().as_secs_f64());
    Ok(Pace {
        cycles,
        cycles_per_second: cycles / seconds,
        cpu_milliseconds: used.as_secs_f64() * 1000.0 / cycles,
    })
}

async fn cycle(store: &dyn Store, name: &str) -> Result<()> {
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
    // Every caller claims a run of its own or of another: as many wait as ask. One that another coordinator is about to get may
    // look taken for a moment.
    let claimed = loop {
        if let Some(claimed) = store.claim_runs(claim.clone()).await?.pop() {
            break claimed;
        }
    };
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
