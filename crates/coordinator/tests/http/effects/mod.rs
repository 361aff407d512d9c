//! Every effect that follows a state change is in its transaction, or is repeated.
//!
//! Each case plays one use case from beginning to end. First undisturbed; then once for each call of the store and each
//! [`Fault`]: the coordinator dies there and another one starts, or that one call fails, or its answer is lost. After the
//! fault the reconcilers run to rest and the [`invariants`] are checked; then client and runner repeat what was not answered and
//! go on. In the end the store holds the same as in the undisturbed play.
#![expect(
    clippy::panic,
    clippy::print_stderr,
    reason = "a failure names the fault, and the numbers are in the report"
)]

mod cases;
mod invariants;
mod site;

use std::sync::Arc;

use accord_api::StoreKind;
use accord_domain::run::Status;
use accord_domain::step::Step;
use accord_store::{InputFilter, PageRequest, Store, WorkflowRunFilter};
use accord_store_postgres::PostgresStore;
use accord_store_sqlite::SqliteStore;
use accord_test_support::{Call, Fault, PostgresCluster};

use cases::Case;
use invariants::Records;
use site::Site;

/// What is in a store after a case, without ids and times: a line for each run, session, request for input and workflow run.
async fn world(store: &dyn Store) -> Vec<String> {
    let Records { runs, sessions } = Records::read(store).await;
    let mut lines = Vec::new();
    for run in &runs {
        let assignment = store.assignment(&run.id).await.unwrap();
        let outcome = store.outcome(&run.id).await.unwrap();
        let result = outcome.and_then(|outcome| outcome.result_text.or(outcome.result_data));
        let failure = run.failure.as_ref().map(|failure| failure.kind.as_str());
        let steps: Vec<_> = store.steps(&run.id).await.unwrap().iter().map(step).collect();
        let status = if run.status == Status::Claimed { Status::Running } else { run.status };
        lines.push(format!(
            "run {} {} {status} {failure:?} {result:?} {:?} {steps:?}",
            run.agent_name, assignment.parameters, run.usage
        ));
    }
    for session in &sessions {
        let undelivered = store.undelivered(&session.id, 100).await.unwrap();
        let held: Vec<_> =
            undelivered.iter().map(|each| each.held.as_ref().map(|held| held.reason)).collect();
        lines.push(format!("session {} {} {held:?}", session.agent_name, session.status));
    }
    let page = PageRequest { limit: 1000, cursor: None };
    for input in store.inputs(&InputFilter::default(), &page).await.unwrap().items {
        lines.push(format!("input {:?} {}", input.purpose, input.status));
    }
    for run in store.workflow_runs(&WorkflowRunFilter::default(), &page).await.unwrap().items {
        let mut nodes: Vec<_> = store.workflow_documents(&run.id).await.unwrap().nodes;
        nodes.sort_by(|one, other| one.node.cmp(&other.node));
        let states = nodes.iter().map(|node| {
            let state: serde_json::Value = serde_json::from_str(&node.body).unwrap();
            format!("{} {} {}", node.node, state["status"], state["output"])
        });
        lines.push(format!(
            "workflow {} {:?} {:?}",
            run.workflow_name,
            run.status,
            states.collect::<Vec<_>>()
        ));
    }
    let mut lines: Vec<String> = lines.iter().map(|line| without_ids(line)).collect();
    lines.sort();
    lines
}

/// A step, whichever delivery took it.
fn step(step: &Step) -> String {
    let mut body = serde_json::to_value(&step.body).unwrap();
    body.as_object_mut().unwrap().remove("delivery");
    body.to_string()
}

/// The text with `#` for each id: they are numbered, and a repeated request uses up a number.
fn without_ids(text: &str) -> String {
    let mut words = text.split("_0");
    let mut clean = words.next().unwrap_or_default().to_owned();
    for word in words {
        clean.push('#');
        clean.push_str(word.trim_start_matches(|each: char| each.is_ascii_digit()));
    }
    clean
}

/// A case with a fault: what is in the store then, and which methods were called.
async fn play(
    case: &'static Case,
    store: Arc<dyn Store>,
    kind: StoreKind,
    fault: Fault,
) -> (Vec<String>, Vec<Call>) {
    let mut site = Site::new(Arc::clone(&store), kind, case.agents, fault).await;
    (case.play)(&mut site).await;
    let calls = site.calls();
    // If the coordinator died after the last call, another one starts.
    site.round().await;
    site.settle().await;
    (world(store.as_ref()).await, calls)
}

async fn on_sqlite(case: &'static Case, fault: Fault) -> (Vec<String>, Vec<Call>) {
    play(case, Arc::new(SqliteStore::in_memory().unwrap()), StoreKind::Memory, fault).await
}

async fn on_postgresql(case: &'static Case, fault: Fault) -> Vec<String> {
    let url = PostgresCluster::shared().unwrap().fresh_database().unwrap();
    let store = Arc::new(PostgresStore::connect(&url).await.unwrap());
    play(case, store, StoreKind::Postgres, fault).await.0
}

/// Every fault of a case with these calls. To die, or to lose the answer, makes a difference only at a call that writes.
fn faults(calls: &[Call]) -> Vec<(Fault, &'static str)> {
    let mut faults = vec![(Fault::Dies { after: 0 }, "before all")];
    for (call, Call { method, writes }) in calls.iter().enumerate() {
        faults.push((Fault::Refuses { call }, method));
        if *writes {
            faults.extend([(Fault::Dies { after: call + 1 }, *method), (Fault::Loses { call }, *method)]);
        }
    }
    faults
}

/// Plays a case once for each call of the store and each fault.
async fn at_every_call(case: &'static Case) {
    let name = case.name;
    let (expected, calls) = on_sqlite(case, Fault::None).await;
    let faults = faults(&calls);
    for (fault, method) in &faults {
        let played = tokio::spawn(on_sqlite(case, *fault)).await;
        let (found, _) = played.unwrap_or_else(|error| panic!("{name}, {fault:?}, {method}: {error}"));
        assert_eq!(found, expected, "{name}, {fault:?}, {method}");
    }
    eprintln!("{name}: {} calls, {} faults", calls.len(), faults.len());
}

/// The invariants notice what a lost effect leaves behind: here nobody has looked after the children yet.
#[tokio::test]
#[should_panic(expected = "goes on: its parent")]
async fn a_child_that_outlives_its_parent_is_noticed() {
    let store = Arc::new(SqliteStore::in_memory().unwrap());
    let mut site = Site::new(store, StoreKind::Memory, &["writer", "lead"], Fault::None).await;
    cases::orphaned(&mut site).await;
    site.check().await;
}

/// On PostgreSQL each play needs a database of its own, so this many faults of each case are played, spread over its calls. Set
/// `EFFECT_FAULTS` for more, as `make soak` does.
const FAULTS: usize = 1;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn some_calls_on_postgresql() {
    let most = std::env::var("EFFECT_FAULTS").ok().and_then(|text| text.parse().ok()).unwrap_or(FAULTS);
    for (number, case) in cases::CASES.iter().enumerate() {
        let name = case.name;
        let (expected, calls) = on_sqlite(case, Fault::None).await;
        let faults = faults(&calls);
        let every = faults.len().div_ceil(most).max(1);
        for (fault, _) in faults.into_iter().skip((number * 31) % every).step_by(every) {
            let played = tokio::spawn(on_postgresql(case, fault)).await;
            let found = played.unwrap_or_else(|error| panic!("{name}, {fault:?}: {error}"));
            assert_eq!(found, expected, "{name}, {fault:?}");
        }
    }
}
