//! Requests to people: written with the run that asks, closed once, and passed to the run.

use std::sync::Arc;

use accord_domain::audit::Actor;
use accord_domain::id::InputId;
use accord_domain::input_request::{InputRequest, Purpose, Resolution, Status, ToolUse};
use accord_domain::run::change::{End, Suspension};
use accord_domain::run::{Failure, FailureType, Holder, Run, Status as RunStatus};
use accord_domain::session::{Session, Status as SessionStatus};
use accord_domain::step::Body;
use accord_store::{
    CloseInput, InputFilter, MOST_PAGE_BYTES, PageRequest, SessionChoice, Store, StoreError, Submission,
    Suspend, WorkflowAdvance,
};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::make::*;
use super::workflows::{id, new as new_workflow_run, next};

fn input_id(name: &str) -> InputId {
    InputId::new(name)
}

/// A request of the first delivery of a run, created at second 5.
fn request(name: &str, run: &str, expires: i64) -> InputRequest {
    let arguments: Value = serde_json::from_str(r#"{"n": 1.10, "t": "\u0000é"}"#).unwrap();
    InputRequest {
        id: input_id(name),
        run_id: run_id(run),
        session_id: session_id(run),
        agent_name: "writer".into(),
        delivery: 1,
        call_id: format!("call {name}"),
        purpose: Purpose::Approval,
        message: "Delete?".into(),
        schema: json!({"type": "object"}),
        default: None,
        errors: Vec::new(),
        input: None,
        tool: Some(ToolUse { name: "delete".into(), arguments }),
        digest: "d".into(),
        failure: None,
        created_at: at(5),
        expires_at: at(expires),
        status: Status::Open,
        answer: None,
        answered_by: None,
        closed_at: None,
    }
}

fn answer(name: &str, seconds: i64) -> CloseInput {
    let resolution = Resolution::Answered { answer: json!({"approve": true}), by: Actor::Open };
    CloseInput { input_id: input_id(name), resolution, end: None, now: at(seconds) }
}

fn expiry(name: &str, end: Option<End>, seconds: i64) -> CloseInput {
    CloseInput { input_id: input_id(name), resolution: Resolution::Expired, end, now: at(seconds) }
}

async fn ask(store: &Arc<dyn Store>, holder: &Holder, inputs: Vec<InputRequest>) {
    let suspension = Suspension::Person(inputs.iter().map(|input| input.id.clone()).collect());
    store.suspend_run(Suspend { suspension, inputs, ..suspend(holder, &[], 5) }).await.unwrap();
}

/// Large requests fill a page before it has as many as are asked for.
pub async fn large_requests_come_a_few_a_page(store: Arc<dyn Store>) {
    let message = "x".repeat(MOST_PAGE_BYTES / 2);
    for (name, seconds) in [("a", 1), ("b", 2), ("c", 3)] {
        let holder = begin(&store, fresh(name)).await;
        let asked =
            InputRequest { message: message.clone(), created_at: at(seconds), ..request(name, name, 900) };
        ask(&store, &holder, vec![asked]).await;
    }
    let mut page = PageRequest { limit: PLENTY, cursor: None };
    let first = store.inputs(&InputFilter::default(), &page).await.unwrap();
    page.cursor = first.next.clone();
    let second = store.inputs(&InputFilter::default(), &page).await.unwrap();
    let ids = |items: &[InputRequest]| items.iter().map(|item| item.id.clone()).collect::<Vec<_>>();
    assert_eq!(ids(&first.items), [input_id("c"), input_id("b")]);
    assert_eq!((ids(&second.items), second.next), (vec![input_id("a")], None));
}

async fn listed(store: &Arc<dyn Store>, filter: InputFilter) -> Vec<InputId> {
    let page = PageRequest { limit: PLENTY, cursor: None };
    store.inputs(&filter, &page).await.unwrap().items.into_iter().map(|request| request.id).collect()
}

async fn statuses(store: &Arc<dyn Store>, name: &str) -> (RunStatus, SessionStatus) {
    let run = store.run(&run_id(name)).await.unwrap();
    (run.status, store.session(&run.session_id).await.unwrap().status)
}

/// A run continues when all its requests are closed, and gets the answers in the order of the
/// requests.
pub async fn a_run_continues_when_all_requests_are_closed(store: Arc<dyn Store>) {
    let held = begin(&store, fresh("a")).await;
    ask(&store, &held, vec![request("1", "a", 100), request("2", "a", 100)]).await;
    assert_eq!(statuses(&store, "a").await, (RunStatus::InputRequired, SessionStatus::InputRequired));
    assert_eq!(store.input(&input_id("1")).await.unwrap(), request("1", "a", 100), "all of it is kept");
    let open = InputFilter { status: Some(Status::Open), ..InputFilter::default() };
    assert_eq!(listed(&store, open.clone()).await, [input_id("2"), input_id("1")]);
    let closed = store.close_input(answer("2", 6)).await.unwrap();
    assert_eq!((closed.request.status, closed.run.status), (Status::Answered, RunStatus::InputRequired));
    assert_eq!(closed.request.closed_at, Some(at(6)));
    assert_eq!(listed(&store, open.clone()).await, [input_id("1")]);
    let closed = store.close_input(expiry("1", None, 7)).await.unwrap();
    assert_eq!((closed.request.status, closed.run.status), (Status::Expired, RunStatus::Pending));
    assert_eq!((closed.run.queued_at, closed.run.waits_until), (at(7), None));
    assert_eq!(listed(&store, open).await, []);
    let again = take(&store, 8).await;
    let told: Vec<(InputId, Option<Value>)> = again
        .steps
        .iter()
        .filter_map(|step| match &step.body {
            Body::Input { input_id, answer, .. } => Some((input_id.clone(), answer.clone())),
            _ => None,
        })
        .collect();
    assert_eq!(told, [(input_id("1"), None), (input_id("2"), Some(json!({"approve": true})))]);
    assert_eq!(store.input(&input_id("2")).await.unwrap().answered_by, Some(Actor::Open));
}

/// The second answer is rejected, also if both arrive at once.
pub async fn a_request_is_closed_once(store: Arc<dyn Store>) {
    let held = begin(&store, fresh("a")).await;
    ask(&store, &held, vec![request("1", "a", 100), request("2", "a", 100)]).await;
    let mut answers = JoinSet::new();
    for _ in 0..8 {
        let store = Arc::clone(&store);
        answers.spawn(async move { store.close_input(answer("1", 6)).await });
    }
    let results = answers.join_all().await;
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1);
    for refused in results.into_iter().filter_map(Result::err) {
        assert!(matches!(refused, StoreError::InputClosed { status: Status::Answered, .. }), "{refused:?}");
    }
    let absent = store.close_input(answer("absent", 6)).await;
    assert!(matches!(absent, Err(StoreError::NoSuch { kind: "input", .. })), "{absent:?}");
    let absent = store.input(&input_id("absent")).await;
    assert!(matches!(absent, Err(StoreError::NoSuch { kind: "input", .. })), "{absent:?}");
}

/// A request whose run ended is withdrawn: it cannot be answered and is not due.
pub async fn requests_of_ended_runs_are_withdrawn(store: Arc<dyn Store>) {
    let held = begin(&store, fresh("a")).await;
    ask(&store, &held, vec![request("1", "a", 10)]).await;
    assert_eq!(store.due_inputs(at(9), PLENTY).await.unwrap(), []);
    assert_eq!(store.due_inputs(at(10), PLENTY).await.unwrap(), [request("1", "a", 10)]);
    store.stop_run(&run_id("a"), at(6)).await.unwrap();
    assert_eq!(store.input(&input_id("1")).await.unwrap().status, Status::Withdrawn);
    let withdrawn = InputFilter { status: Some(Status::Withdrawn), ..InputFilter::default() };
    assert_eq!(listed(&store, withdrawn).await, [input_id("1")]);
    assert_eq!(store.due_inputs(at(100), PLENTY).await.unwrap(), []);
    let refused = store.close_input(answer("1", 7)).await;
    assert!(matches!(refused, Err(StoreError::InputClosed { status: Status::Withdrawn, .. })), "{refused:?}");
    store.remove_session(&session_id("a")).await.unwrap();
    assert!(store.input(&input_id("1")).await.is_err(), "requests are removed with their session");
}

/// A request can end its run: a person provides the result, or nobody answers in time.
pub async fn a_closed_request_can_end_its_run(store: Arc<dyn Store>) {
    let held = begin(&store, fresh("a")).await;
    ask(&store, &held, vec![InputRequest { purpose: Purpose::Correction, ..request("1", "a", 10) }]).await;
    let made = CloseInput { end: Some(completed("by a person")), ..answer("1", 6) };
    let closed = store.close_input(made).await.unwrap();
    assert_eq!(closed.run.status, RunStatus::Completed);
    assert_eq!(statuses(&store, "a").await, (RunStatus::Completed, SessionStatus::Finished));
    let outcome = store.outcome(&run_id("a")).await.unwrap().unwrap();
    assert_eq!(End::Completed(outcome), completed("by a person"));
    let held = begin(&store, fresh("b")).await;
    let failure = Failure::new(FailureType::InputTimedOut, "nobody answered");
    ask(&store, &held, vec![InputRequest { failure: Some(failure.clone()), ..request("2", "b", 10) }]).await;
    let closed = store.close_input(expiry("2", Some(End::Failed(failure.clone())), 11)).await.unwrap();
    assert_eq!((closed.run.status, closed.run.failure), (RunStatus::Failed, Some(failure)));
    assert_eq!(statuses(&store, "b").await, (RunStatus::Failed, SessionStatus::Failed));
}

/// A run whose work a person does is never handed to a runner.
pub async fn a_task_waits_for_its_person(store: Arc<dyn Store>) {
    store.register_runner(runner("r", 0)).await.unwrap();
    let submission = fresh("a");
    let run = Run { status: RunStatus::InputRequired, waits_until: Some(at(100)), ..submission.run };
    let asked = InputRequest { delivery: 0, purpose: Purpose::Task, ..request("1", "a", 100) };
    let session = SessionChoice::New(Box::new(Session::begun_by(&run)));
    let asks = Some(Box::new(asked.clone()));
    store.submit_run(Submission { run, session, asks, ..fresh("a") }).await.unwrap();
    assert_eq!(statuses(&store, "a").await, (RunStatus::InputRequired, SessionStatus::InputRequired));
    assert_eq!(store.run(&run_id("a")).await.unwrap().waits_until, Some(at(100)));
    assert_eq!(store.claim_runs(claim(10, 6)).await.unwrap(), []);
    assert_eq!(store.input(&input_id("1")).await.unwrap(), asked);
    let of_run = InputFilter { run_id: Some(run_id("a")), ..InputFilter::default() };
    assert_eq!(listed(&store, of_run).await, [input_id("1")]);
    let of_session = InputFilter { session_id: Some(session_id("b")), ..InputFilter::default() };
    assert_eq!(listed(&store, of_session).await, []);
    let made = CloseInput { end: Some(completed("x")), ..answer("1", 6) };
    assert_eq!(store.close_input(made).await.unwrap().run.status, RunStatus::Completed);
}

/// The requests of a session are also those of the sessions below it, and those of a workflow run those of all that works for it.
pub async fn requests_are_found_by_the_work_above(store: Arc<dyn Store>) {
    let (outer, nested) = (new_workflow_run("outer", 1), new_workflow_run("nested", 2));
    store.submit_workflow_run(outer.clone(), None).await.unwrap();
    let children = vec![nested.clone()];
    store.advance_workflow_run(WorkflowAdvance { children, ..next(&outer.run, 2) }).await.unwrap();
    let starts = vec![fresh("a")];
    store.advance_workflow_run(WorkflowAdvance { starts, ..next(&nested.run, 3) }).await.unwrap();
    store.submit_run(child("b", "a")).await.unwrap();
    let asks = InputRequest { delivery: 0, purpose: Purpose::Task, ..request("1", "c", 100) };
    let submission = Submission { asks: Some(Box::new(asks)), ..child("c", "b") };
    let run = Run { status: RunStatus::InputRequired, waits_until: Some(at(100)), ..submission.run };
    store.submit_run(Submission { run, ..submission }).await.unwrap();
    store.submit_run(fresh("other")).await.unwrap();
    let none = InputFilter::default();
    let below = |name| InputFilter { root_session_id: Some(session_id(name)), ..none.clone() };
    let of = |name| InputFilter { workflow_run_id: Some(id(name)), ..none.clone() };
    for filter in [below("a"), below("b"), below("c"), of("outer"), of("nested")] {
        assert_eq!(listed(&store, filter.clone()).await, [input_id("1")], "{filter:?}");
    }
    for filter in [below("other"), below("absent"), of("absent")] {
        assert_eq!(listed(&store, filter.clone()).await, [], "{filter:?}");
    }
}

/// A link belongs to one request, and a new link replaces the previous one.
pub async fn a_link_is_replaced_by_the_next(store: Arc<dyn Store>) {
    let held = begin(&store, fresh("a")).await;
    ask(&store, &held, vec![request("1", "a", 100)]).await;
    assert_eq!(store.input_link(&input_id("1")).await.unwrap(), None);
    for hash in ["one", "two"] {
        store.set_input_link(&input_id("1"), hash).await.unwrap();
        assert_eq!(store.input_link(&input_id("1")).await.unwrap().as_deref(), Some(hash));
    }
    assert!(store.set_input_link(&input_id("absent"), "x").await.is_err());
    assert!(store.input_link(&input_id("absent")).await.is_err());
}
