//! Statistics over runs and attempts.

use std::sync::Arc;

use accord_domain::attempt::{Attempt, Error, Outcome as AttemptOutcome, ValueSource};
use accord_domain::contract::Strategy;
use accord_domain::run::change::End;
use accord_domain::run::{Assignment, FailureType, Run};
use accord_domain::usage::Usage;
use accord_store::{
    ErrorCount, Figures, Finish, MOST_COST_COUNTED, MOST_TOKENS_COUNTED, Report, SourceCounts, StatRow,
    StatsQuery, Store, Submission,
};

use super::make::*;

const ALL: StatsQuery = StatsQuery { since: None, agent_name: None, by_hour: false };

/// A run of this agent under contract, created at this second.
fn contracted(name: &str, agent: &str, seconds: i64) -> Submission {
    let submission = fresh_at(name, seconds);
    Submission {
        run: Run { agent_name: agent.to_owned(), ..submission.run.clone() },
        assignment: Assignment { contract: Some("{}".into()), ..assignment(name) },
        ..submission
    }
}

/// Runs it with these answers to this outcome, finishing the given number of seconds after it was
/// created.
async fn ended(store: &Arc<dyn Store>, submission: Submission, attempts: Vec<Attempt>, end: End, after: i64) {
    let created = submission.run.created_at;
    let holder = begin(store, submission).await;
    store
        .report(Report { holder: holder.clone(), events: vec![], attempts, steps: vec![], now: at(3) })
        .await
        .unwrap();
    let now = created.checked_add(jiff::SignedDuration::from_secs(after)).unwrap();
    store.finish_run(Finish { now, ..finish(&holder, end, 0) }).await.unwrap();
}

async fn five_runs(store: &Arc<dyn Store>) {
    use AttemptOutcome::{Accepted, SchemaInvalid};
    let tool = |attempt: Attempt| Attempt { strategy: Strategy::Tool, model: "small".into(), ..attempt };
    let day = 86_400;
    ended(store, contracted("a", "x", 0), vec![attempt(1, Accepted)], completed("1"), 10).await;
    let prose = |attempt: Attempt| Attempt { source: Some(ValueSource::Prose), ..attempt };
    let twice = vec![attempt(1, SchemaInvalid), prose(tool(attempt(2, Accepted)))];
    ended(store, contracted("b", "x", day), twice, completed("2"), 20).await;
    let never = vec![attempt(1, SchemaInvalid), attempt(2, SchemaInvalid)];
    let broken = failed(FailureType::OutputSchemaValidationFailed);
    ended(store, contracted("c", "y", day), never, broken, 30).await;
    ended(store, fresh_at("d", 2 * day), vec![], completed("free"), 40).await;
    ended(store, contracted("e", "y", 2 * day), vec![], failed(FailureType::TimedOut), 50).await;
    store.submit_run(fresh("stopped")).await.unwrap();
    store.stop_run(&run_id("stopped"), at(60)).await.unwrap();
    store.submit_run(fresh("waiting")).await.unwrap();
    begin(store, fresh("running")).await;
}

/// Everything together.
pub async fn all_runs_are_counted(store: Arc<dyn Store>) {
    five_runs(&store).await;
    let all = StatRow {
        key: String::new(),
        runs: 6,
        completed: 3,
        first_try: 2,
        failed: 2,
        contract_failed: 1,
        stopped: 1,
        attempts: 5,
        sources: SourceCounts { fence: 1, prose: 1, ..SourceCounts::default() },
        input_tokens: 50,
        output_tokens: 100,
        cost_usd: Some(0.625),
        latency_ms_p50: 30_000,
        latency_ms_p95: 60_000,
    };
    assert_eq!(store.stats(&ALL).await.unwrap().all, all);
}

/// Runners need not report attempts. Without reports, a result counts as a first try.
pub async fn a_result_without_attempts_is_a_first_try(store: Arc<dyn Store>) {
    ended(&store, contracted("a", "x", 0), vec![], completed("1"), 10).await;
    let row = store.stats(&ALL).await.unwrap().all;
    assert_eq!((row.completed, row.first_try, row.attempts), (1, 1, 0));
}

/// Each grouping counts its runs in the right group.
pub async fn groups_are_counted(store: Arc<dyn Store>) {
    five_runs(&store).await;
    let figures = store.stats(&ALL).await.unwrap();
    let counted = |rows: Vec<StatRow>| -> Vec<_> {
        rows.into_iter().map(|row| (row.key, row.runs, row.completed, row.attempts)).collect()
    };
    let row = |key: &str, runs, completed, attempts| (key.to_owned(), runs, completed, attempts);
    let by_agent = [row("writer", 2, 1, 0), row("x", 2, 2, 3), row("y", 2, 0, 2)];
    let sources: Vec<SourceCounts> = figures.by_agent.iter().map(|row| row.sources).collect();
    let of_x = SourceCounts { fence: 1, prose: 1, ..SourceCounts::default() };
    assert_eq!(sources, [SourceCounts::default(), of_x, SourceCounts::default()]);
    assert_eq!(counted(figures.by_agent), by_agent);
    let by_model = [row("", 3, 1, 0), row("large", 3, 1, 4), row("small", 1, 1, 1)];
    assert_eq!(counted(figures.by_model), by_model);
    let by_strategy = [row("", 3, 1, 0), row("native", 2, 1, 3), row("tool", 1, 1, 2)];
    assert_eq!(counted(figures.by_strategy), by_strategy);
    let by_day = [row("2027-01-15", 2, 1, 1), row("2027-01-16", 2, 1, 4), row("2027-01-17", 2, 1, 0)];
    assert_eq!(counted(figures.by_day), by_day);
}

/// A run that used several models counts for each of them, with that model's attempts, tokens and
/// outcome.
pub async fn each_model_has_its_share_of_a_run(store: Arc<dyn Store>) {
    use AttemptOutcome::{Accepted, Refused, SchemaInvalid};
    let by = |number, outcome, model: &str, tokens| Attempt {
        model: model.to_owned(),
        usage: Usage { input_tokens: tokens, output_tokens: 1, cost_usd: Some(0.5) },
        ..attempt(number, outcome)
    };
    let attempts = vec![
        by(1, SchemaInvalid, "small", 10),
        by(2, SchemaInvalid, "small", 20),
        by(3, Refused, "medium", 30),
        by(4, Accepted, "large", 40),
    ];
    ended(&store, contracted("a", "x", 0), attempts, completed("1"), 10).await;
    let rows = store.stats(&ALL).await.unwrap().by_model;
    let told: Vec<_> = rows
        .iter()
        .map(|row| {
            let ends = (row.completed, row.first_try, row.failed, row.contract_failed);
            (row.key.as_str(), row.runs, row.attempts, row.input_tokens, row.cost_usd, ends)
        })
        .collect();
    let expected = [
        ("large", 1, 1, 40, Some(0.5), (1, 1, 0, 0)),
        ("medium", 1, 1, 30, Some(0.5), (0, 0, 1, 0)),
        ("small", 1, 2, 30, Some(1.0), (0, 0, 1, 1)),
    ];
    assert_eq!(told, expected);
}

/// Statistics of past hours are kept: they are those of their runs, also after more of these runs finish or are removed.
pub async fn kept_hours_count_as_their_runs(store: Arc<dyn Store>) {
    use AttemptOutcome::{Accepted, SchemaInvalid};
    let wrong =
        Error { path: "$.x".into(), pointer: String::new(), keyword: "enum".into(), message: "wrong".into() };
    let invalid = Attempt { errors: vec![wrong], ..attempt(1, SchemaInvalid) };
    let other_model = Attempt { model: "small".into(), ..attempt(2, Accepted) };
    ended(&store, contracted("mixed", "x", 0), vec![invalid.clone(), other_model], completed("1"), 10).await;
    ended(&store, contracted("plain", "y", 60), vec![attempt(1, Accepted)], completed("1"), 20).await;
    let late = begin(&store, contracted("late", "x", 120)).await;
    let report =
        Report { holder: late.clone(), events: vec![], attempts: vec![invalid], steps: vec![], now: at(130) };
    store.report(report).await.unwrap();

    let of_x = StatsQuery { agent_name: Some("x".into()), by_hour: true, ..ALL };
    let since = |seconds| StatsQuery { since: Some(at(seconds)), ..ALL };
    let queries = [ALL, of_x, since(0), since(60), since(61), since(3600)];
    let counted = async || {
        let mut all = Vec::new();
        for query in &queries {
            let errors = store.frequent_errors(query, 10).await.unwrap();
            all.push((store.stats(query).await.unwrap(), errors));
        }
        all
    };
    let before = counted().await;
    assert_eq!(before.first().unwrap().0.all.runs, 2);
    assert_eq!(before.first().unwrap().1.first().unwrap().count, 2, "also of runs that have not finished");

    // The newest run says how late it is.
    store.submit_run(fresh_at("newest", 10 * 3600)).await.unwrap();
    assert_eq!(counted().await, before);
    assert_eq!(counted().await, before, "what is kept");

    store.finish_run(Finish { now: at(150), ..finish(&late, completed("1"), 0) }).await.unwrap();
    let after = counted().await;
    let runs = |all: &[(Figures, Vec<ErrorCount>)]| all.iter().map(|(figures, _)| figures.all.runs).collect();
    let runs_after: Vec<u64> = runs(&after);
    assert_eq!(runs_after, [3, 2, 3, 2, 1, 0]);
    assert_eq!(after.first().unwrap().0.all.latency_ms_p95, 30_000);
    assert_eq!(counted().await, after, "what is kept");

    store.remove_session(&session_id("mixed")).await.unwrap();
    let after = counted().await;
    let runs_after: Vec<u64> = runs(&after);
    assert_eq!(runs_after, [2, 1, 2, 2, 1, 0]);
    assert_eq!(after.first().unwrap().1.first().unwrap().count, 1);
    assert_eq!(counted().await, after, "what is kept");
}

/// A run that finishes while its hour is being counted is not missed.
pub async fn runs_that_finish_while_hours_are_kept_are_counted(store: Arc<dyn Store>) {
    const RUNS: usize = 60;
    let names: Vec<String> = (0..RUNS).map(|number| format!("n{number}")).collect();
    for name in &names {
        store.submit_run(fresh(name)).await.unwrap();
    }
    store.submit_run(fresh_at("newest", 10 * 3600)).await.unwrap();
    let finishing = async {
        for name in &names {
            store.stop_run(&run_id(name), at(5)).await.unwrap();
            tokio::task::yield_now().await;
        }
    };
    let counting = async {
        let mut last = 0;
        while last < RUNS as u64 {
            let now = store.stats(&ALL).await.unwrap().all.runs;
            assert!(now >= last, "{now} runs after {last}");
            last = now;
        }
    };
    let both = async { tokio::join!(finishing, counting) };
    tokio::time::timeout(std::time::Duration::from_secs(60), both).await.unwrap();
    assert_eq!(store.stats(&ALL).await.unwrap().all.runs, RUNS as u64);
}

/// Hours are counted on request, each with its runs, failures, cost and durations.
pub async fn hours_are_counted(store: Arc<dyn Store>) {
    for (name, seconds, end) in
        [("a", 0, completed("x")), ("b", 60, failed(FailureType::ModelRefused)), ("c", 3600, completed("x"))]
    {
        ended(&store, fresh_at(name, seconds), vec![], end, 10).await;
    }
    assert_eq!(store.stats(&ALL).await.unwrap().by_hour, []);
    let rows = store.stats(&StatsQuery { by_hour: true, ..ALL }).await.unwrap().by_hour;
    let rows: Vec<_> =
        rows.iter().map(|row| (row.key.as_str(), row.runs, row.failed, row.latency_ms_p95)).collect();
    assert_eq!(rows, [("2027-01-15T08:00Z", 2, 1, 10_000), ("2027-01-15T09:00Z", 1, 0, 10_000)]);
}

/// Only runs that match the filter are counted.
pub async fn figures_are_filtered(store: Arc<dyn Store>) {
    five_runs(&store).await;
    let runs = |query: StatsQuery| {
        let store = Arc::clone(&store);
        async move { store.stats(&query).await.unwrap().all.runs }
    };
    assert_eq!(runs(StatsQuery { since: Some(at(86_400)), ..ALL }).await, 4);
    assert_eq!(runs(StatsQuery { agent_name: Some("y".into()), ..ALL }).await, 2);
    let both = StatsQuery { since: Some(at(86_401)), agent_name: Some("y".into()), ..ALL };
    assert_eq!(runs(both).await, 1);
    assert_eq!(runs(StatsQuery { agent_name: Some("z".into()), ..ALL }).await, 0);
}

/// Percentiles are measured durations: the smallest one that the given percentage of runs does not
/// exceed.
pub async fn percentiles_are_exact(store: Arc<dyn Store>) {
    for number in 1..=20 {
        let submission = fresh(&format!("n{number}"));
        ended(&store, submission, vec![], completed("x"), 21 - number).await;
    }
    let row = store.stats(&ALL).await.unwrap().all;
    assert_eq!((row.latency_ms_p50, row.latency_ms_p95), (10_000, 19_000));
}

/// Unknown costs are not counted as 0.
pub async fn unknown_costs_are_not_zero(store: Arc<dyn Store>) {
    let holder = begin(&store, fresh("a")).await;
    let usage = Usage { input_tokens: u64::from(u32::MAX) * 4, output_tokens: 1, cost_usd: None };
    store.finish_run(Finish { usage, ..finish(&holder, completed("x"), 3) }).await.unwrap();
    assert_eq!(store.run(&run_id("a")).await.unwrap().usage, usage);
    let row = store.stats(&ALL).await.unwrap().all;
    assert_eq!((row.cost_usd, row.input_tokens), (None, usage.input_tokens));
}

/// However much is reported, sums saturate instead of overflowing.
pub async fn sums_end_at_the_largest(store: Arc<dyn Store>) {
    let many = i64::MAX.unsigned_abs();
    for (name, cost) in [("a", 1e308), ("b", 1e308), ("c", -5.0)] {
        let holder = begin(&store, fresh(name)).await;
        let usage = Usage { input_tokens: many, output_tokens: many - 1, cost_usd: Some(cost) };
        store.finish_run(Finish { usage, ..finish(&holder, completed("x"), 3) }).await.unwrap();
    }
    let row = store.stats(&ALL).await.unwrap().all;
    let expected = (MOST_TOKENS_COUNTED, MOST_TOKENS_COUNTED, Some(2.0 * MOST_COST_COUNTED));
    assert_eq!((row.input_tokens, row.output_tokens, row.cost_usd), expected);
}

/// Errors are counted by location and keyword, ignoring list indexes. A property name that looks
/// like an index is a name.
pub async fn frequent_errors_are_counted(store: Arc<dyn Store>) {
    let broken = |places: &[(&str, &str)]| {
        let error = |&(path, keyword): &(&str, &str)| Error {
            path: path.to_owned(),
            pointer: String::new(),
            keyword: keyword.to_owned(),
            message: "wrong".into(),
        };
        let errors = places.iter().map(error).collect();
        Attempt { errors, ..attempt(1, AttemptOutcome::SchemaInvalid) }
    };
    let a = broken(&[("$.list[0].x", "enum"), ("$.list[12].x", "enum"), ("$.y", "type")]);
    let b = Attempt { number: 2, ..broken(&[("$.list[3].x", "enum"), ("$.y", "required"), ("$.y", "type")]) };
    ended(&store, contracted("a", "x", 0), vec![a, b], failed(FailureType::TimedOut), 5).await;
    let later = broken(&[("$.y", "required"), (r#"$[7]["a[1]"][8].z"#, "type")]);
    ended(&store, contracted("b", "y", 100), vec![later], failed(FailureType::TimedOut), 5).await;

    let count = |path: &str, keyword: &str, count| ErrorCount {
        path: path.to_owned(),
        keyword: keyword.to_owned(),
        count,
    };
    let all = [
        count("$.list[*].x", "enum", 3),
        count("$.y", "required", 2),
        count("$.y", "type", 2),
        count(r#"$[*]["a[1]"][*].z"#, "type", 1),
    ];
    let mut given = store.frequent_errors(&ALL, 10).await.unwrap();
    // Equally frequent ones may be in any order.
    given.get_mut(1..3).unwrap().sort_by(|left, right| left.keyword.cmp(&right.keyword));
    assert_eq!(given, all);
    assert_eq!(store.frequent_errors(&ALL, 1).await.unwrap(), all.get(..1).unwrap());
    let mut later = [count("$.y", "required", 1), count(r#"$[*]["a[1]"][*].z"#, "type", 1)];
    later.sort_by(|left, right| left.path.cmp(&right.path));
    let since = StatsQuery { since: Some(at(50)), ..ALL };
    let mut given = store.frequent_errors(&since, 10).await.unwrap();
    given.sort_by(|left, right| left.path.cmp(&right.path));
    assert_eq!(given, later);
    let of_agent = StatsQuery { agent_name: Some("x".into()), ..ALL };
    assert_eq!(store.frequent_errors(&of_agent, 10).await.unwrap().len(), 3);
}
