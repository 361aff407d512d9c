//! Compares the table with the functions for every status and event, and searches a small model for
//! broken invariants.

mod search;
mod world;

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};

use super::*;
use crate::id::{InputId, LeaseId, RunId, RunnerId, SessionId};
use crate::input_request::{self, InputRequest, Purpose};
use crate::run::change::{self, Change, Children, End, Refused, Suspension};
use crate::run::{Failure, FailureType, Holder, Kind, Outcome, Run};
use crate::session::{Session, Status as SessionStatus};
use crate::usage::Usage;

const LEASE: SignedDuration = SignedDuration::from_secs(1);
const WAIT: SignedDuration = SignedDuration::from_secs(1);

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + second).unwrap()
}

fn new_run() -> (Run, Session) {
    let run = Run::waiting(RunId::new("1"), SessionId::new("1"), Kind::StartSession, "a".into(), at(0));
    let session = Session::begun_by(&run);
    (run, session)
}

fn result() -> End {
    End::Completed(Outcome { result_text: Some("x".into()), result_data: None, raw: None, validation: None })
}

fn failure(kind: FailureType) -> Failure {
    Failure::new(kind, "it did not work")
}

/// A request for input that was answered. `delivery` is the one that asked.
fn request(delivery: u32) -> InputRequest {
    InputRequest {
        id: InputId::new("1"),
        run_id: RunId::new("1"),
        session_id: SessionId::new("1"),
        agent_name: "a".into(),
        delivery,
        call_id: "c".into(),
        purpose: Purpose::Question,
        message: "?".into(),
        schema: true.into(),
        default: None,
        errors: Vec::new(),
        input: None,
        tool: None,
        digest: String::new(),
        failure: None,
        created_at: at(0),
        expires_at: at(1),
        status: input_request::Status::Answered,
        answer: Some(1.into()),
        answered_by: None,
        closed_at: None,
    }
}

/// The proof that this run is held. For a run without a lease, the expired proof of its last
/// holder.
fn holder_of(run: &Run) -> Holder {
    Holder {
        run_id: run.id.clone(),
        runner_id: RunnerId::new("0"),
        lease_id: LeaseId::new(run.attempt),
        attempt: run.attempt,
    }
}

/// All statuses; the match does not compile if a new one is missing.
fn statuses() -> impl Iterator<Item = Status> {
    std::iter::successors(Some(Pending), |status| match status {
        Pending => Some(Claimed),
        Claimed => Some(Running),
        Running => Some(Waiting),
        Waiting => Some(InputRequired),
        InputRequired => Some(Stopping),
        Stopping => Some(Completed),
        Completed => Some(Failed),
        Failed => Some(Stopped),
        Stopped => None,
    })
}

fn events() -> impl Iterator<Item = Event> {
    std::iter::successors(Some(Event::Claim), |event| match event {
        Event::Claim => Some(Event::Start),
        Event::Start => Some(Event::Complete),
        Event::Complete => Some(Event::Fail),
        Event::Fail => Some(Event::Wait),
        Event::Wait => Some(Event::Ask),
        Event::Ask => Some(Event::Correct),
        Event::Correct => Some(Event::Wake),
        Event::Wake => Some(Event::GiveUp),
        Event::GiveUp => Some(Event::Stop),
        Event::Stop => Some(Event::ConfirmStop),
        Event::ConfirmStop => Some(Event::Release),
        Event::Release => Some(Event::Lose),
        Event::Lose => Some(Event::LoseForGood),
        Event::LoseForGood => Some(Event::Unmatched),
        Event::Unmatched => Some(Event::Abandon),
        Event::Abandon => None,
    })
}

/// Calls every function that makes this change, as the run's last holder; leases and waits have
/// expired long ago.
fn outcomes(run: &Run, session: &Session, event: Event) -> Vec<Result<Change, Refused>> {
    let (run, session, holder) = (run.clone(), session.clone(), holder_of(run));
    let (now, long_after) = (at(1000), at(2000));
    let finish = |end: End| {
        let (run, session) = (run.clone(), session.clone());
        vec![change::finish(run, session, &holder, end, Usage::default(), Children::Quiet, now)]
    };
    let suspend = |suspension: Suspension| {
        let (run, session) = (run.clone(), session.clone());
        vec![change::suspend(run, session, &holder, suspension, Usage::default(), WAIT, now)]
    };
    match event {
        Event::Claim => {
            let lease_id = LeaseId::new(run.attempt + 1);
            vec![change::claim(run, session, &RunnerId::new("0"), lease_id, now, LEASE)]
        }
        Event::Start => vec![change::start(run, session, &holder, now)],
        Event::Complete => finish(result()),
        Event::Fail => finish(End::Failed(failure(FailureType::ModelRefused))),
        Event::ConfirmStop => finish(End::Stopped),
        Event::Wait => suspend(Suspension::Children(vec![SessionId::new("2")])),
        Event::Ask => suspend(Suspension::Person(vec![InputId::new("1")])),
        Event::Correct => {
            let closed = request(run.attempt);
            vec![change::end_by_input(run, session, &closed, result(), now)]
        }
        Event::Wake => {
            let attempt = run.attempt;
            vec![change::wake(run, session, attempt, "there", now)]
        }
        Event::GiveUp => {
            let failure = failure(FailureType::ChildrenTimedOut);
            vec![Ok(change::give_up_waiting(run, session, failure, long_after))]
        }
        Event::Stop => vec![Ok(change::stop(run, session, now))],
        Event::Release => vec![
            change::give_back(run.clone(), session.clone(), &holder, now),
            change::ask_again(run, session, &holder, Usage::default(), now),
        ],
        Event::Lose => vec![Ok(change::lose(run, session, long_after, u32::MAX))],
        Event::LoseForGood => vec![Ok(change::lose(run, session, long_after, 1))],
        Event::Unmatched => vec![Ok(change::unmatched(run, session, now))],
        Event::Abandon => vec![
            Ok(change::abandon(run.clone(), session.clone(), "gone".into(), now)),
            Ok(change::poison(run, session, now)),
        ],
    }
}

/// All states that the functions can reach in a few changes.
fn reachable() -> Vec<(Run, Session)> {
    let mut all = vec![new_run()];
    let mut next = 0;
    for _ in 0..4 {
        let end = all.len();
        for place in next..end {
            let (run, session) = all[place].clone();
            for change in events().flat_map(|event| outcomes(&run, &session, event)).flatten() {
                let found = (change.run, change.session);
                if !all.contains(&found) {
                    all.push(found);
                }
            }
        }
        next = end;
    }
    all
}

#[test]
fn the_table_matches_the_functions() {
    let (mut seen, mut met) = (BTreeSet::new(), BTreeSet::new());
    for (run, session) in reachable() {
        met.insert(run.status.as_str());
        for event in events() {
            for outcome in outcomes(&run, &session, event) {
                let changed = outcome.ok().filter(|change| change.run != run);
                let to = changed.as_ref().map(|change| change.run.status);
                assert_eq!(to, after(run.status, event), "{event:?} of {run:?}");
                if to.is_some() {
                    seen.insert((run.status.as_str(), event));
                }
            }
        }
    }
    let table: BTreeSet<_> = TRANSITIONS.iter().map(|(from, by, _)| (from.as_str(), *by)).collect();
    assert_eq!(table.len(), TRANSITIONS.len(), "each is listed once");
    assert_eq!(seen, table);
    assert_eq!(met, statuses().map(Status::as_str).collect());
}

#[test]
fn a_run_is_held_stamped_and_matched_by_its_session() {
    for (run, session) in reachable() {
        let is_held = matches!(run.status, Claimed | Running | Stopping);
        assert_eq!(run.lease.is_some(), is_held, "{run:?}");
        assert_eq!(run.finished_at.is_some(), run.status.is_over(), "{run:?}");
        assert_eq!(run.failure.is_some(), matches!(run.status, Failed | Stopped), "{run:?}");
        assert!(!run.status.is_suspended() || run.waits_until.is_some(), "{run:?}");
        let expected = match run.status {
            Pending => SessionStatus::Pending,
            Claimed | Running => SessionStatus::Running,
            Waiting => SessionStatus::Waiting,
            InputRequired => SessionStatus::InputRequired,
            Stopping => SessionStatus::Stopping,
            Completed => SessionStatus::Finished,
            Failed => SessionStatus::Failed,
            Stopped => SessionStatus::Stopped,
        };
        assert_eq!(session.status, expected, "{run:?}");
    }
}

/// Without a coordinator that could notify the runner, every unfinished run is stopped by force.
#[test]
fn every_unfinished_run_is_stopped_at_once() {
    for (run, session) in reachable() {
        let stopped = change::stop_at_once(run.clone(), session, at(1000));
        match run.status.is_over() {
            true => assert_eq!(stopped.run, run),
            false => assert_eq!(stopped.run.status, Stopped),
        }
    }
}
