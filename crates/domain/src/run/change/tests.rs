use super::*;
use crate::attempt::Outcome as Judged;
use crate::contract::Strategy;
use crate::id::{RunId, SessionId};
use crate::run::Kind;

const LEASE: SignedDuration = SignedDuration::from_secs(30);
const MAX_DELIVERIES: u32 = 3;

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + second).unwrap()
}

fn run() -> Run {
    let run = Run::waiting(RunId::new("1"), SessionId::new("1"), Kind::StartSession, "a".into(), at(0));
    Run { execution_mode: ExecutionMode::AsyncCallback, ..run }
}

fn session() -> Session {
    Session { parent_session_id: Some(SessionId::new("0")), ..Session::begun_by(&run()) }
}

fn runner() -> RunnerId {
    RunnerId::new("1")
}

fn claimed(lease: &str, second: i64) -> Change {
    claim(run(), session(), &runner(), LeaseId::new(lease), at(second), LEASE).unwrap()
}

fn holder(lease: &str, attempt: u32) -> Holder {
    Holder { run_id: RunId::new("1"), runner_id: runner(), lease_id: LeaseId::new(lease), attempt }
}

fn kinds(change: &Change) -> Vec<&'static str> {
    change.events.iter().map(|event| event.body.kind()).collect()
}

fn text(text: &str) -> End {
    End::Completed(Outcome { result_text: Some(text.into()), result_data: None, raw: None, validation: None })
}

#[test]
fn a_run_goes_from_pending_to_completed() {
    let claimed = claimed("1", 1);
    assert_eq!((claimed.run.status, claimed.session.status), (Status::Claimed, SessionStatus::Running));
    let started = start(claimed.run, claimed.session, &holder("1", 1), at(2)).unwrap();
    assert_eq!((started.run.status, kinds(&started)), (Status::Running, vec!["run.started"]));
    let (run, session) = (started.run, started.session);
    let done =
        finish(run, session, &holder("1", 1), text("x"), Usage::default(), Children::Quiet, at(3)).unwrap();
    assert_eq!((done.run.status, done.session.status), (Status::Completed, SessionStatus::Finished));
    assert_eq!(kinds(&done), ["result", "run.completed"]);
    assert_eq!(done.callback.map(|callback| callback.parent_session_id), Some(SessionId::new("0")));
}

#[test]
fn a_run_that_begins_with_its_claim_is_as_if_it_was_started_at_once() {
    let claimed = claimed("1", 1);
    let begun = begin(run(), session(), &runner(), LeaseId::new("1"), at(1), LEASE).unwrap();
    let started = start(claimed.run, claimed.session, &holder("1", 1), at(1)).unwrap();
    assert_eq!((begun.run.clone(), begun.session.clone()), (started.run, started.session));
    assert_eq!(begun.events, [claimed.events, started.events].concat());
    assert!(begin(begun.run, begun.session, &runner(), LeaseId::new("2"), at(2), LEASE).is_err());
}

#[test]
fn a_session_that_waits_for_children_is_idle() {
    let change = claimed("1", 1);
    let (run, session) = (change.run, change.session);
    let children = Children::WillCallBack;
    let done = finish(run, session, &holder("1", 1), text("x"), Usage::default(), children, at(3)).unwrap();
    assert_eq!(done.session.status, SessionStatus::Idle);
}

#[test]
fn only_the_holder_reports() {
    let change = claimed("1", 1);
    let strangers =
        [holder("2", 1), holder("1", 2), Holder { runner_id: RunnerId::new("9"), ..holder("1", 1) }];
    for stranger in strangers {
        let (run, session) = (change.run.clone(), change.session.clone());
        let usage = Usage::default();
        let refused =
            finish(run.clone(), session.clone(), &stranger, text("x"), usage, Children::Quiet, at(2));
        assert_eq!(refused, Err(Refused::LeaseLost { run: RunId::new("1") }));
        assert!(start(run.clone(), session, &stranger, at(2)).is_err());
        assert!(renew(run, &stranger, at(2), LEASE).is_err());
    }
}

#[test]
fn only_a_pending_run_is_claimed_or_given_up() {
    let change = claimed("1", 1);
    let again = claim(change.run.clone(), change.session.clone(), &runner(), LeaseId::new("2"), at(2), LEASE);
    let status = Status::Claimed;
    assert_eq!(again, Err(Refused::WrongStatus { run: RunId::new("1"), status }));
    let given_up = unmatched(change.run.clone(), change.session, at(2));
    assert_eq!((given_up.run, given_up.events), (change.run, Vec::new()));
}

#[test]
fn reported_retries_never_decrease() {
    let counted = Run { retry_count: 2, ..run() };
    assert_eq!(counted.clone().asked_again(0).retry_count, 2);
    assert_eq!(counted.asked_again(3).retry_count, 3);
}

#[test]
fn a_second_report_is_rejected() {
    let change = claimed("1", 1);
    let usage = Usage::default();
    let done = finish(change.run, change.session, &holder("1", 1), text("x"), usage, Children::Quiet, at(2));
    let done = done.unwrap();
    let again = finish(done.run, done.session, &holder("1", 1), text("y"), usage, Children::Quiet, at(3));
    assert_eq!(again, Err(Refused::LeaseLost { run: RunId::new("1") }));
}

#[test]
fn a_lost_run_is_handed_out_again_until_it_was_lost_too_often() {
    let mut state = (run(), session());
    for delivery in 1..=MAX_DELIVERIES {
        let lease = LeaseId::new(delivery);
        let change = claim(state.0, state.1, &runner(), lease, at(0), LEASE).unwrap();
        let early = lose(change.run.clone(), change.session.clone(), at(29), MAX_DELIVERIES);
        assert_eq!(early.run, change.run, "the lease still holds");
        let lost = lose(change.run, change.session, at(30), MAX_DELIVERIES);
        if delivery < MAX_DELIVERIES {
            assert_eq!((lost.run.status, kinds(&lost)), (Status::Pending, vec!["run.queued"]));
        } else {
            assert_eq!(lost.run.failure.as_ref().map(|failure| failure.kind), Some(FailureType::RunnerLost));
            assert!(lost.callback.is_some());
        }
        state = (lost.run, lost.session);
    }
}

#[test]
fn a_released_run_counts_no_loss() {
    let change = claimed("1", 1);
    let begun = start(change.run, change.session, &holder("1", 1), at(1)).unwrap();
    assert_eq!(begun.run.started_at, Some(at(1)));
    let back = give_back(begun.run, begun.session, &holder("1", 1), at(2)).unwrap();
    assert_eq!((back.run.status, back.run.losses, back.run.attempt), (Status::Pending, 0, 1));
    assert_eq!(back.run.started_at, None, "nobody works on it now");
    let late = start(back.run, back.session, &holder("1", 1), at(3));
    assert!(late.is_err(), "who gave it back holds it no longer");
}

#[test]
fn a_stop_ends_a_pending_run_and_notifies_a_running_one() {
    let waiting = stop(run(), session(), at(1));
    assert_eq!((waiting.run.status, kinds(&waiting)), (Status::Stopped, vec!["run.stopped"]));
    let why = |change: Change| change.run.failure.map(|failure| failure.message).unwrap_or_default();
    assert_eq!(why(waiting), "stopped on request");
    let change = claimed("1", 1);
    let working = stop(change.run, change.session, at(2));
    assert_eq!((working.run.status, working.session.status), (Status::Stopping, SessionStatus::Stopping));
    let again = stop(working.run.clone(), working.session.clone(), at(3));
    assert_eq!(again.run, working.run);
    let lost = lose(working.run.clone(), working.session.clone(), at(60), MAX_DELIVERIES);
    assert_eq!(lost.run.status, Status::Stopped, "a runner that dies while stopping has stopped");
    let told = |run, session| {
        finish(run, session, &holder("1", 1), End::Stopped, Usage::default(), Children::Quiet, at(3)).unwrap()
    };
    assert_eq!(why(told(working.run.clone(), working.session.clone())), "stopped on request");
    for late in [text("late"), End::Failed(Failure::new(FailureType::ModelRefused, "no"))] {
        let (run, session) = (working.run.clone(), working.session.clone());
        let usage = Usage { input_tokens: 7, ..Usage::default() };
        let ended =
            finish(run, session, &holder("1", 1), late, usage, Children::WillCallBack, at(3)).unwrap();
        assert_eq!((ended.run.status, kinds(&ended)), (Status::Stopped, vec!["run.stopped"]));
        assert_eq!((ended.session.status, ended.run.usage), (SessionStatus::Stopped, usage));
    }
    let change = claimed("1", 1);
    assert_eq!(why(told(change.run, change.session)), "stopped by its runner", "nobody has asked");
}

#[test]
fn an_unmatched_run_fails_and_calls_its_parent_back() {
    let change = unmatched(run(), session(), at(300));
    assert_eq!(change.run.failure.as_ref().map(|failure| failure.kind), Some(FailureType::NoMatchingRunner));
    assert_eq!(change.session.status, SessionStatus::Failed);
    assert!(change.callback.is_some());
}

#[test]
fn a_run_that_an_embedded_runner_cannot_execute_gets_a_hint() {
    let why = |tags: &[&str]| {
        let demands =
            Demands { tags: tags.iter().map(|&tag| tag.to_owned()).collect(), ..Demands::default() };
        let run = Run { demands, ..run() };
        unmatched(run, session(), at(1)).run.failure.map(|failure| failure.message).unwrap_or_default()
    };
    let expected = "the runner of this command does not meet the requirements {\"tags\":[\"linux\"]}; set runner.tags if tags are missing, or start a coordinator (accord up) and a runner that meets them";
    assert_eq!(why(&["accord-run-1-x", "linux"]), expected);
    assert!(
        why(&["linux"])
            .starts_with("no live runner meets the requirements {\"tags\":[\"linux\"]}; start one")
    );
}

#[test]
fn an_empty_object_is_a_result() {
    let change = claimed("1", 1);
    let outcome = Outcome {
        result_text: None,
        result_data: Some("{}".into()),
        raw: Some("{}".into()),
        validation: None,
    };
    let end = End::Completed(outcome);
    let usage = Usage::default();
    let done =
        finish(change.run, change.session, &holder("1", 1), end, usage, Children::Quiet, at(2)).unwrap();
    let expected = Body::Result { result_text: None, result_data: Some(serde_json::json!({})) };
    assert_eq!(done.events.first().map(|event| &event.body), Some(&expected));
}

#[test]
fn a_deeply_nested_result_is_delivered_completely() {
    let change = claimed("1", 1);
    let text = format!("{}{}", "[".repeat(128), "]".repeat(128));
    let outcome = Outcome { result_text: None, result_data: Some(text.clone()), raw: None, validation: None };
    let (end, usage) = (End::Completed(outcome), Usage::default());
    let done =
        finish(change.run, change.session, &holder("1", 1), end, usage, Children::Quiet, at(2)).unwrap();
    let Some(Body::Result { result_data: Some(told), .. }) = done.events.first().map(|event| &event.body)
    else {
        panic!("{:?}", done.events)
    };
    assert_eq!(told.to_string(), text);
}

#[test]
fn without_a_report_the_usage_comes_from_the_attempts() {
    let judged = |delivery, number, outcome, text: &str| Attempt {
        number,
        delivery,
        at: at(2),
        strategy: Strategy::Prompt,
        model: "m".into(),
        endpoint: String::new(),
        outcome,
        errors: Vec::new(),
        more_errors: 0,
        repairs: Vec::new(),
        source: None,
        usage: Usage { input_tokens: 100, output_tokens: 10, cost_usd: Some(0.5) },
        duration_ms: 5,
        request_ms: Vec::new(),
        text: text.into(),
        prompt: None,
        sent: None,
    };
    let attempts = [
        judged(1, 1, Judged::SchemaInvalid, "close"),
        judged(1, 2, Judged::NoJson, "far"),
        judged(2, 1, Judged::Transport, ""),
    ];
    let used = Usage { input_tokens: 300, output_tokens: 30, cost_usd: Some(1.5) };
    let claimed = claimed("1", 1);
    let lost = lose(claimed.run.clone(), claimed.session.clone(), at(100), 1);
    assert!(lost.ends_without_runner());
    let counted = lost.with_attempts(&attempts);
    assert_eq!((counted.run.usage, counted.run.retry_count), (used, 1));
    let failure = counted.run.failure.clone().unwrap();
    assert_eq!((failure.attempts, failure.last_output.as_deref()), (Some(3), Some("close")));
    let told: Vec<_> = counted.events.iter().map(|event| event.body.clone()).collect();
    assert_eq!(told, [Body::RunFailed { error: failure }]);
    let alike = [judged(1, 1, Judged::SchemaInvalid, "first"), judged(1, 2, Judged::SchemaInvalid, "last")];
    let lost = lose(claimed.run.clone(), claimed.session.clone(), at(100), 1).with_attempts(&alike);
    assert_eq!(lost.run.failure.unwrap().last_output.as_deref(), Some("last"), "of equals the last");

    let requeued = lose(claimed.run.clone(), claimed.session.clone(), at(100), 2);
    assert!(!requeued.ends_without_runner(), "it goes on");
    let stopped = stop(requeued.run, requeued.session, at(101)).with_attempts(&attempts);
    assert_eq!((stopped.run.usage, stopped.run.failure.unwrap().attempts), (used, None));
    assert!(!stop(counted.run, counted.session, at(102)).ends_without_runner(), "it was over before");
    assert!(!stop(run(), session(), at(1)).ends_without_runner(), "nobody was at work");
}

#[test]
fn callbacks_in_a_kept_conversation_are_settled() {
    let claimed = claimed("1", 1);
    let ask = |change: Change| {
        ask_again(change.run, change.session, &holder("1", 1), Usage::default(), at(2)).unwrap()
    };
    assert_eq!(
        ask(claimed.clone()).with_conversation_kept().child_reports,
        ChildReports::Settled,
        "it goes on, and may be stopped"
    );
    assert_eq!(ask(claimed.clone()).child_reports, ChildReports::Unchanged);
    let stopping = stop(claimed.run, claimed.session, at(2));
    assert_eq!(ask(stopping).with_conversation_kept().child_reports, ChildReports::Unchanged, "it is over");
}

const WAIT: SignedDuration = SignedDuration::from_secs(60);

fn waiting(second: i64) -> Change {
    let change = claimed("1", second);
    let children = Suspension::Children(vec![SessionId::new("2")]);
    let usage = Usage { input_tokens: 7, ..Usage::default() };
    suspend(change.run, change.session, &holder("1", 1), children, usage, WAIT, at(second + 1)).unwrap()
}

#[test]
fn a_suspended_run_has_no_runner_and_keeps_its_usage() {
    let change = waiting(1);
    assert_eq!((change.run.status, change.session.status), (Status::Waiting, SessionStatus::Waiting));
    assert_eq!((change.run.lease.clone(), change.run.started_at, change.run.finished_at), (None, None, None));
    assert_eq!((change.run.usage.input_tokens, change.run.waits_until), (7, Some(at(62))));
    assert_eq!((change.callback, change.child_reports), (None, ChildReports::Unchanged));
    let told: Vec<_> = change.events.iter().map(|event| event.body.clone()).collect();
    assert_eq!(told, [Body::RunWaiting { children: vec![SessionId::new("2")], until: Some(at(62)) }]);
    let late = start(change.run.clone(), change.session.clone(), &holder("1", 1), at(3));
    assert_eq!(late, Err(Refused::LeaseLost { run: RunId::new("1") }));
    let lost = lose(change.run.clone(), change.session, at(1000), MAX_DELIVERIES);
    assert_eq!(lost.run, change.run, "no lease can run out");
}

#[test]
fn a_run_that_needs_a_person_has_its_own_status() {
    let change = claimed("1", 1);
    let (run, session) = (change.run, change.session);
    let asked =
        suspend(run, session, &holder("1", 1), Suspension::Person(Vec::new()), Usage::default(), WAIT, at(2))
            .unwrap();
    assert_eq!(
        (asked.run.status, asked.session.status),
        (Status::InputRequired, SessionStatus::InputRequired)
    );
    assert_eq!(kinds(&asked), ["run.input_required"]);
}

#[test]
fn only_the_holder_suspends_a_run_and_a_stopping_one_ends() {
    let change = claimed("1", 1);
    let suspended = |change: Change, lease: &str| {
        let usage = Usage { input_tokens: 7, ..Usage::default() };
        suspend(
            change.run,
            change.session,
            &holder(lease, 1),
            Suspension::Person(Vec::new()),
            usage,
            WAIT,
            at(3),
        )
    };
    assert_eq!(suspended(change.clone(), "2"), Err(Refused::LeaseLost { run: RunId::new("1") }));
    let stopping = stop(change.run, change.session, at(2));
    let ended = suspended(stopping, "1").unwrap();
    assert_eq!((ended.run.status, kinds(&ended)), (Status::Stopped, vec!["run.stopped"]));
    assert_eq!((ended.run.usage.input_tokens, ended.run.waits_until), (7, None));
}

#[test]
fn a_woken_run_waits_for_a_runner_and_its_first_wait_counts() {
    let change = waiting(1);
    let woken = wake(change.run, change.session, 1, "a child finished", at(10)).unwrap();
    assert_eq!((woken.run.status, woken.session.status), (Status::Pending, SessionStatus::Pending));
    assert_eq!((woken.run.attempt, woken.run.losses, woken.run.queued_at), (1, 0, at(10)));
    assert_eq!(kinds(&woken), ["run.queued"]);
    let again = wake(woken.run.clone(), woken.session.clone(), 1, "again", at(11));
    assert_eq!(again, Err(Refused::WrongStatus { run: RunId::new("1"), status: Status::Pending }));
    let claimed = claim(woken.run, woken.session, &runner(), LeaseId::new("2"), at(12), LEASE).unwrap();
    let (run, session) = (claimed.run, claimed.session);
    let suspension = Suspension::Children(Vec::new());
    let second = suspend(run, session, &holder("2", 2), suspension, Usage::default(), WAIT, at(20)).unwrap();
    assert_eq!(second.run.waits_until, Some(at(62)));
}

#[test]
fn a_waiting_run_times_out() {
    let failure = || Failure::new(FailureType::ChildrenTimedOut, "ses_2 did not finish");
    let change = waiting(1);
    let early = give_up_waiting(change.run.clone(), change.session.clone(), failure(), at(61));
    assert_eq!((early.run, early.events), (change.run.clone(), Vec::new()));
    let given_up = give_up_waiting(change.run, change.session, failure(), at(62));
    assert_eq!((given_up.run.status, given_up.session.status), (Status::Failed, SessionStatus::Failed));
    assert_eq!((given_up.run.failure.clone(), kinds(&given_up)), (Some(failure()), vec!["run.failed"]));
    assert!(given_up.callback.is_some() && given_up.ends_without_runner());
    assert_eq!(given_up.child_reports, ChildReports::Returned);

    let held = claimed("1", 1);
    let run = Run { waits_until: Some(at(2)), ..held.run };
    let working = give_up_waiting(run.clone(), held.session, failure(), at(1000));
    assert_eq!(working.run, run, "a run that works is not given up");
}

#[test]
fn a_stop_ends_a_suspended_run_at_once() {
    let change = waiting(1);
    let stopped = stop(change.run, change.session, at(3));
    assert_eq!((stopped.run.status, kinds(&stopped)), (Status::Stopped, vec!["run.stopped"]));
    assert_eq!(stopped.run.failure.map(|failure| failure.message).as_deref(), Some("stopped on request"));
    assert!(stopped.callback.is_some());
}
