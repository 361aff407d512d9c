//! A model of one run with two runners, two children and two coordinators, built from the real
//! functions.
//!
//! Time is relative: the current time never changes, and a tick brings the end of the lease and of
//! the wait closer. So the number of states stays small.

use super::*;
use crate::run::change::ChildReports;

const MAX_LOSSES: u32 = 2;

/// The state of a child from its parent's point of view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Child {
    Absent,
    AtWork,
    /// It finished, and its callback is pending.
    Owed,
    /// The callback was delivered to this run.
    Told,
    /// The callback was delivered to a later run.
    ToldLater,
    Removed,
}

/// Deliberately broken rules, to check that the search finds them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rules {
    Real,
    /// A wake-up does not check whether a callback is still pending.
    WakeIgnoresDeliveries,
    /// A suspended run keeps its lease.
    SuspendKeepsLease,
    /// A waiting run never times out.
    NeverGivesUp,
    /// A result counts even if the run was asked to stop.
    StopIsForgotten,
    /// An answer counts for whatever request is open now.
    AnswerIgnoresRequest,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Action {
    Tick,
    Claim(usize),
    Start(usize),
    Complete(usize),
    Fail(usize),
    Wait(usize),
    Ask(usize),
    ConfirmStop(usize),
    GiveBack(usize),
    AskAgain(usize),
    StartChild(usize),
    ChildEnds(usize),
    RemoveChild(usize),
    TellLater(usize),
    /// A coordinator reads what the run waits for, and acts on it later.
    Look,
    WakeAsSeen,
    /// A coordinator reads and acts at once.
    Wake,
    /// A person opens the request for input, and answers it later.
    Open,
    Answer,
    /// The answer is the result.
    Correct,
    GiveUp,
    Lose,
    Stop,
    Unmatched,
    Abandon,
}

impl Action {
    pub(super) const ALL: [Self; 38] = [
        Self::Tick,
        Self::Claim(0),
        Self::Claim(1),
        Self::Start(0),
        Self::Start(1),
        Self::Complete(0),
        Self::Complete(1),
        Self::Fail(0),
        Self::Fail(1),
        Self::Wait(0),
        Self::Wait(1),
        Self::Ask(0),
        Self::Ask(1),
        Self::ConfirmStop(0),
        Self::ConfirmStop(1),
        Self::GiveBack(0),
        Self::GiveBack(1),
        Self::AskAgain(0),
        Self::AskAgain(1),
        Self::StartChild(0),
        Self::StartChild(1),
        Self::ChildEnds(0),
        Self::ChildEnds(1),
        Self::RemoveChild(0),
        Self::RemoveChild(1),
        Self::TellLater(0),
        Self::TellLater(1),
        Self::Look,
        Self::WakeAsSeen,
        Self::Wake,
        Self::Open,
        Self::Answer,
        Self::Correct,
        Self::GiveUp,
        Self::Lose,
        Self::Stop,
        Self::Unmatched,
        Self::Abandon,
    ];

    /// The runner that acts with the lease it believes to hold.
    pub(super) fn runner(self) -> Option<usize> {
        match self {
            Self::Start(runner)
            | Self::Complete(runner)
            | Self::Fail(runner)
            | Self::Wait(runner)
            | Self::Ask(runner)
            | Self::ConfirmStop(runner)
            | Self::GiveBack(runner)
            | Self::AskAgain(runner) => Some(runner),
            _ => None,
        }
    }

    /// Whether it happens without an outside event: no child finishes, nobody answers, nobody stops
    /// the run.
    pub(super) fn is_own(self) -> bool {
        matches!(
            self,
            Self::Tick | Self::Claim(_) | Self::Complete(_) | Self::Lose | Self::Wake | Self::GiveUp
        )
    }

    pub(super) fn event(self, run: &Run) -> Option<Event> {
        Some(match self {
            Self::Claim(_) => Event::Claim,
            Self::Start(_) => Event::Start,
            Self::Complete(_) => Event::Complete,
            Self::Fail(_) => Event::Fail,
            Self::Wait(_) => Event::Wait,
            Self::Ask(_) => Event::Ask,
            Self::ConfirmStop(_) => Event::ConfirmStop,
            Self::GiveBack(_) | Self::AskAgain(_) => Event::Release,
            Self::WakeAsSeen | Self::Wake | Self::Answer => Event::Wake,
            Self::Correct => Event::Correct,
            Self::GiveUp => Event::GiveUp,
            Self::Lose if run.losses + 1 >= MAX_LOSSES => Event::LoseForGood,
            Self::Lose => Event::Lose,
            Self::Stop => Event::Stop,
            Self::Unmatched => Event::Unmatched,
            Self::Abandon => Event::Abandon,
            _ => return None,
        })
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct World {
    pub(super) run: Run,
    pub(super) session: Session,
    /// The lease that each runner believes to hold.
    pub(super) runners: [Option<Holder>; 2],
    /// The runner that holds the run, tracked separately from the lease.
    pub(super) holds: Option<usize>,
    pub(super) children: [Child; 2],
    /// How often each child's callback was delivered for good.
    pub(super) told: [u8; 2],
    /// The callbacks that a coordinator has seen as pending.
    pub(super) seen: Option<[bool; 2]>,
    /// The delivery whose request for input a person has opened.
    pub(super) opened: Option<u32>,
    /// Whether a stop was acknowledged.
    pub(super) stopped: bool,
}

/// Everything the future of a world depends on. Runners are interchangeable, and so are children.
pub(super) type Key = (Status, u32, [i64; 2], [u8; 2], [(Child, u8, bool); 2], (bool, bool), Option<bool>);

fn now() -> Timestamp {
    at(100)
}

fn seconds_left(until: Option<Timestamp>) -> i64 {
    until.map_or(-1, |until| until.as_second() - now().as_second())
}

impl World {
    pub(super) fn new() -> Self {
        let (run, session) = new_run();
        Self {
            run,
            session,
            runners: [None, None],
            holds: None,
            children: [Child::Absent; 2],
            told: [0; 2],
            seen: None,
            opened: None,
            stopped: false,
        }
    }

    pub(super) fn key(&self) -> Key {
        let runner = |place: usize| match &self.runners[place] {
            None => 0,
            Some(_) if self.holds == Some(place) => 2,
            Some(_) => 1,
        };
        let child = |place: usize| {
            (self.children[place], self.told[place], self.seen.is_some_and(|seen| seen[place]))
        };
        let (mut runners, mut children) = ([runner(0), runner(1)], [child(0), child(1)]);
        runners.sort_unstable();
        children.sort_unstable();
        let expires = self.run.lease.as_ref().map(|lease| lease.expires_at);
        let times = [seconds_left(expires), seconds_left(self.run.waits_until)];
        let opened = self.opened.map(|delivery| delivery == self.run.attempt);
        (
            self.run.status,
            self.run.losses,
            times,
            runners,
            children,
            (self.seen.is_some(), self.stopped),
            opened,
        )
    }

    fn owed(&self) -> [bool; 2] {
        self.children.map(|child| child == Child::Owed)
    }

    /// Whether a coordinator finds something to do for a run that waits for its children.
    pub(super) fn can_go_on(&self) -> bool {
        let at_work = self.children.contains(&Child::AtWork);
        self.run.status == Waiting && (self.owed().contains(&true) || !at_work)
    }

    /// The world after this action; `None` if it is rejected, impossible, or changes nothing.
    pub(super) fn after(&self, action: Action, rules: Rules) -> Option<Self> {
        let after = match (action.runner(), action) {
            (Some(runner), _) => self.reported(action, self.runners[runner].as_ref()?, rules)?,
            (_, Action::Tick) => self.later(),
            (_, Action::Claim(runner)) => self.claimed(runner)?,
            (_, Action::StartChild(child)) if self.holds.is_some() => {
                self.child(child, Child::Absent, Child::AtWork)?
            }
            (_, Action::ChildEnds(child)) => self.child(child, Child::AtWork, Child::Owed)?,
            (_, Action::RemoveChild(child)) => self.child(child, Child::Owed, Child::Removed)?,
            (_, Action::TellLater(child)) if self.run.status.is_over() => {
                let mut after = self.child(child, Child::Owed, Child::ToldLater)?;
                after.told[child] += 1;
                after
            }
            (_, Action::Look) if self.can_go_on() => Self { seen: Some(self.owed()), ..self.clone() },
            (_, Action::WakeAsSeen) => Self { seen: None, ..self.clone() }.woken(self.seen?, rules)?,
            (_, Action::Wake) if self.can_go_on() => self.woken(self.owed(), rules)?,
            (_, Action::Open) if self.run.status == InputRequired => {
                Self { opened: Some(self.run.attempt), ..self.clone() }
            }
            (_, Action::Answer | Action::Correct) => self.answered(action, rules)?,
            (_, Action::GiveUp) if rules == Rules::NeverGivesUp => return None,
            (_, Action::Stop) => {
                let stopped = self.changed(change::stop(self.run.clone(), self.session.clone(), now()));
                Self { stopped: self.stopped || !self.run.status.is_over(), ..stopped }
            }
            (_, action) => self.changed(self.alone(action)?),
        };
        (after != *self).then_some(after)
    }

    /// Changes that involve nobody else.
    fn alone(&self, action: Action) -> Option<Change> {
        let (run, session) = (self.run.clone(), self.session.clone());
        Some(match action {
            Action::GiveUp => {
                change::give_up_waiting(run, session, failure(FailureType::ChildrenTimedOut), now())
            }
            Action::Lose => change::lose(run, session, now(), MAX_LOSSES),
            Action::Unmatched => change::unmatched(run, session, now()),
            Action::Abandon => change::abandon(run, session, "gone".into(), now()),
            _ => return None,
        })
    }

    /// A runner reports with the lease it believes to hold.
    fn reported(&self, action: Action, holder: &Holder, rules: Rules) -> Option<Self> {
        let (mut run, session, usage) = (self.run.clone(), self.session.clone(), Usage::default());
        let completes = matches!(action, Action::Complete(_));
        if rules == Rules::StopIsForgotten && completes && run.status == Stopping {
            run.status = Running;
        }
        let finish =
            |run, session, end| change::finish(run, session, holder, end, usage, Children::Quiet, now());
        let suspend = |run, session, suspension| {
            let lease = self.run.lease.clone();
            let suspended = change::suspend(run, session, holder, suspension, usage, WAIT, now())?;
            Ok(match rules == Rules::SuspendKeepsLease && suspended.run.status.is_suspended() {
                true => Change { run: Run { lease, ..suspended.run.clone() }, ..suspended },
                false => suspended,
            })
        };
        let change = match action {
            Action::Start(_) => change::start(run, session, holder, now()),
            Action::Complete(_) => finish(run, session, result()),
            Action::Fail(_) => finish(run, session, End::Failed(failure(FailureType::ModelRefused))),
            Action::ConfirmStop(_) => finish(run, session, End::Stopped),
            Action::Wait(_) => suspend(run, session, Suspension::Children(Vec::new())),
            Action::Ask(_) => suspend(run, session, Suspension::Person(Vec::new())),
            Action::GiveBack(_) => change::give_back(run, session, holder, now()),
            Action::AskAgain(_) => change::ask_again(run, session, holder, usage, now()),
            _ => return None,
        };
        change.ok().map(|change| self.changed(change))
    }

    fn claimed(&self, runner: usize) -> Option<Self> {
        let (runner_id, lease_id) = (RunnerId::new(runner), LeaseId::new(self.run.attempt + 1));
        let (run, session) = (self.run.clone(), self.session.clone());
        let change = change::claim(run, session, &runner_id, lease_id, now(), LEASE).ok()?;
        let mut after = self.changed(change);
        after.runners[runner] = Some(Holder { runner_id, ..holder_of(&after.run) });
        after.holds = Some(runner);
        Some(after)
    }

    fn answered(&self, action: Action, rules: Rules) -> Option<Self> {
        let (run, session, opened) = (self.run.clone(), self.session.clone(), self.opened?);
        let closed = request(if rules == Rules::AnswerIgnoresRequest { run.attempt } else { opened });
        let change = match action {
            Action::Correct => change::end_by_input(run, session, &closed, result(), now()),
            _ => change::continue_with_input(run, session, &closed, now()),
        };
        change.ok().map(|change| Self { opened: None, ..self.changed(change) })
    }

    /// Applies the store's rules to the callbacks that a wake-up delivers.
    fn woken(&self, tells: [bool; 2], rules: Rules) -> Option<Self> {
        let is_told = |child: usize| tells[child] && self.children[child] != Child::Owed;
        if rules != Rules::WakeIgnoresDeliveries && (is_told(0) || is_told(1)) {
            return Some(self.clone());
        }
        let (run, session) = (self.run.clone(), self.session.clone());
        let attempt = run.attempt;
        let Ok(change) = change::wake(run, session, attempt, "there", now()) else {
            return Some(self.clone());
        };
        let mut after = self.changed(change);
        for child in [0, 1] {
            if tells[child] {
                after.children[child] = Child::Told;
                after.told[child] += 1;
            }
        }
        Some(after)
    }

    fn changed(&self, change: Change) -> Self {
        let mut after = Self { run: change.run, session: change.session, ..self.clone() };
        if change.child_reports == ChildReports::Returned {
            for child in [0, 1] {
                if after.children[child] == Child::Told {
                    after.children[child] = Child::Owed;
                    after.told[child] -= 1;
                }
            }
        }
        if !matches!(after.run.status, Claimed | Running | Stopping) {
            after.holds = None;
        }
        after
    }

    fn child(&self, place: usize, from: Child, to: Child) -> Option<Self> {
        let mut after = self.clone();
        after.children[place] = to;
        (self.children[place] == from).then_some(after)
    }

    fn later(&self) -> Self {
        let nearer = |time: Timestamp| time.checked_sub(SignedDuration::from_secs(1)).unwrap().max(now());
        let mut after = self.clone();
        if let Some(lease) = &mut after.run.lease {
            lease.expires_at = nearer(lease.expires_at);
        }
        after.run.waits_until = after.run.waits_until.map(nearer);
        after
    }
}
