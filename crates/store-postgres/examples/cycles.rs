//! Whole cycles of a run (submit, claim with start, finish with a report) on this store alone, as fast as callers can: cycles per second,
//! processor time of this process, and what the server executed.
//!
//! `cargo run --release -p accord-store-postgres --example cycles [-- <postgres:// address> <callers>…]`
//!
//! Without an address, on a private server. Statements are counted if the server has loaded `pg_stat_statements`.

#![expect(clippy::print_stdout, reason = "the table is the output")]

use std::collections::BTreeSet;
use std::error::Error;
use std::time::{Duration, Instant};

use accord_domain::demands::Demands;
use accord_domain::event::Body;
use accord_domain::id::{LeaseId, RunnerId};
use accord_domain::run::change::End;
use accord_domain::run::{Assignment, Holder, Outcome, Run};
use accord_domain::runner::Profile;
use accord_domain::usage::Usage;
use accord_store::{Claim, Finish, Last, RunStore as _, Submission};
use accord_store_postgres::PostgresStore;
use accord_test_support::{PostgresCluster, story};
use jiff::{SignedDuration, Timestamp};
use sqlx::{Connection as _, PgConnection};

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

const ROUND: Duration = Duration::from_secs(6);
const CALLERS: [usize; 3] = [1, 8, 64];
const RESULT: &str = r#"{"severity": "high", "summary": "nobody can log in"}"#;

fn main() -> Result<()> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let (_cluster, url) = match arguments.first().filter(|first| first.contains("://")) {
        Some(_) => (None, arguments.remove(0)),
        None => {
            let cluster = PostgresCluster::start()?;
            let url = cluster.fresh_database()?;
            (Some(cluster), url)
        }
    };
    let callers: Vec<usize> =
        arguments.iter().map(|number| number.parse()).collect::<std::result::Result<_, _>>()?;
    let callers = if callers.is_empty() { CALLERS.to_vec() } else { callers };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        println!("| callers | cycles/s | CPU ms per cycle | commits per cycle | statements per cycle | executed, ms per cycle |");
        println!("|---:|---:|---:|---:|---:|---:|");
        for callers in callers {
            measure(&url, callers).await?;
        }
        Ok(())
    })
}

async fn measure(url: &str, callers: usize) -> Result<()> {
    let store = PostgresStore::connect(url).await?;
    let mut server = PgConnection::connect(url).await?;
    let prefix = Timestamp::now().as_microsecond();
    // A first cycle prepares the statements.
    cycle(&store, &format!("{prefix}x{callers}")).await?;
    let counted = sqlx::query("SELECT pg_stat_statements_reset()").execute(&mut server).await.is_ok();
    let (commits, cpu, begun) = (commits(&mut server).await?, cpu()?, Instant::now());
    let mut tasks = Vec::new();
    for caller in 0..callers {
        let store = store.clone();
        tasks.push(tokio::spawn(async move {
            let mut cycles = 0_u32;
            while begun.elapsed() < ROUND {
                cycle(&store, &format!("{prefix}x{callers}x{caller}x{cycles}")).await?;
                cycles += 1;
            }
            Result::Ok(cycles)
        }));
    }
    let mut cycles = 0;
    for task in tasks {
        cycles += task.await??;
    }
    let cycles = f64::from(cycles);
    let seconds = begun.elapsed().as_secs_f64();
    let cpu = (self::cpu()? - cpu) * 1000.0 / cycles;
    // The server publishes its counts a moment later.
    tokio::time::sleep(Duration::from_millis(1500)).await;
    let commits = (self::commits(&mut server).await? - commits) / cycles;
    let (statements, executed) = match counted {
        true => {
            let (calls, time) = executed(&mut server).await?;
            (format!("{:.1}", calls / cycles), format!("{:.2}", time / cycles))
        }
        false => ("-".to_owned(), "-".to_owned()),
    };
    println!("| {callers} | {:.0} | {cpu:.2} | {commits:.2} | {statements} | {executed} |", cycles / seconds);
    if counted && std::env::var_os("STATEMENTS").is_some() {
        let rows: Vec<(f64, f64, String)> = sqlx::query_as(
            "SELECT calls::float8, total_exec_time, left(regexp_replace(query, '\\s+', ' ', 'g'), 90) FROM pg_stat_statements \
             WHERE calls > 5 ORDER BY total_exec_time DESC LIMIT 30",
        )
        .fetch_all(&mut server)
        .await?;
        for (calls, time, query) in rows {
            println!(
                "  {:.2} calls, {:.3} ms each, {:.3} ms per cycle: {query}",
                calls / cycles,
                time / calls,
                time / cycles
            );
        }
    }
    Ok(())
}

async fn commits(server: &mut PgConnection) -> Result<f64> {
    let query = "SELECT xact_commit::float8 FROM pg_stat_database WHERE datname = current_database()";
    Ok(sqlx::query_scalar(query).fetch_one(server).await?)
}

async fn executed(server: &mut PgConnection) -> Result<(f64, f64)> {
    let query = "SELECT sum(calls)::float8, sum(total_exec_time) FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid \
                 WHERE d.datname = current_database()";
    Ok(sqlx::query_as(query).fetch_one(server).await?)
}

/// Seconds of processor time of this process.
fn cpu() -> Result<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let (_, fields) = stat.rsplit_once(") ").ok_or("no name in /proc/self/stat")?;
    let ticks = |index| fields.split(' ').nth(index).and_then(|ticks| ticks.parse::<f64>().ok());
    Ok((ticks(11).unwrap_or_default() + ticks(12).unwrap_or_default()) / 100.0)
}

async fn cycle(store: &PostgresStore, name: &str) -> Result<()> {
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
    // Every caller claims a run of its own or of another: as many wait as ask.
    let claimed = loop {
        if let Some(claimed) = store.claim_runs(claim.clone()).await?.pop() {
            break claimed;
        }
    };
    let lease_id = claimed.run.lease.ok_or("no lease")?.id;
    let holder = Holder { run_id: claimed.run.id, runner_id, lease_id, attempt: claimed.run.attempt };
    let said = Body::Message { role: "assistant".into(), text: r#"{"severity": "high"}"#.into() };
    let last = Last { events: vec![said], ..Last::default() };
    let outcome = Outcome {
        result_text: None,
        result_data: Some(RESULT.into()),
        raw: Some(RESULT.into()),
        validation: None,
    };
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
    Ok(())
}

/// With documents as long as those of the coordinator's benchmark.
fn submission(name: &str, now: Timestamp) -> Submission {
    let fresh = story::submission(name, now);
    let demands = Demands { executor_type: Some("llm".into()), ..Demands::default() };
    let assignment = Assignment {
        blueprint: format!("\"{}\"", "b".repeat(270)),
        parameters: r#"{"prompt":"Sort this ticket: nobody can log in since nine"}"#.into(),
        contract: Some(format!("\"{}\"", "c".repeat(378))),
        ..fresh.assignment
    };
    Submission { run: Run { demands, ..fresh.run }, assignment, ..fresh }
}
