//! Runs: made, claimed, worked on, ended.

use accord_domain::attempt::Attempt;
use accord_domain::demands::Demands;
use accord_domain::event::Body;
use accord_domain::evidence::Observation;
use accord_domain::id::{LeaseId, RunId, RunnerId, SessionId};
use accord_domain::input::InputSummary;
use accord_domain::input_request::InputRequest;
use accord_domain::run::change::{self, Change, End, Refused, Suspension};
use accord_domain::run::{Assignment, Failure, Holder, Outcome, Run, Status};
use accord_domain::runner::Profile;
use accord_domain::session::Session;
use accord_domain::step::{self, Step};
use accord_domain::usage::Usage;
use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};

use crate::error::StoreError;
use crate::page::{Page, PageRequest};
use crate::search::{Count, RunSummary, Search, Summaries};

/// A promise that the same request has the same answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Idempotency {
    /// Whose key it is and for which route: keys of others do not meet.
    pub scope: String,
    pub key: String,
    /// A hash of the request's body.
    pub fingerprint: String,
    /// The answer, kept for the next time.
    pub response: String,
}

/// The session of a new run.
#[derive(Debug, Clone, PartialEq)]
pub enum SessionChoice {
    New(Box<Session>),
    /// An existing session without an unfinished run.
    Resume(SessionId),
}

/// A run to be made.
#[derive(Debug, Clone, PartialEq)]
pub struct Submission {
    /// The run, `pending` or `input_required`.
    pub run: Run,
    pub session: SessionChoice,
    pub assignment: Assignment,
    /// The children's runs whose callbacks this run delivers. Each is delivered once: if one is no longer pending,
    /// nothing is written and the answer is [`Submitted::AlreadyDelivered`].
    pub delivers: Vec<RunId>,
    /// The steps that it begins with, numbered from 1: a fork continues after them.
    pub steps: Vec<step::Body>,
    /// The request to a person, if a person does the work: the run is then `input_required`.
    pub asks: Option<Box<InputRequest>>,
    /// Where the request had a key.
    pub idempotency: Option<Idempotency>,
}

impl Submission {
    /// Its input in short, as lists show and search it.
    pub fn input(&self) -> InputSummary {
        let run = &self.run;
        let names = [run.id.as_str(), run.session_id.as_str(), run.agent_name.as_str()];
        InputSummary::of_text(&names, &self.assignment.parameters)
    }
}

/// What became of a submission.
#[derive(Debug, Clone, PartialEq)]
pub enum Submitted {
    Created(Box<Run>),
    /// The key was used before: this was the answer.
    Replayed(String),
    /// The children's ends were delivered by another run.
    AlreadyDelivered,
}

/// How much is handed out at once, by the documents and conversations of the runs. They are in memory, here and at the runner,
/// and go over the wire in one answer, of which clients read some times as much.
pub const MOST_CLAIMED_BYTES: usize = 16 * 1024 * 1024;

/// A runner asks for work.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    pub runner_id: RunnerId,
    pub profile: Profile,
    /// Ids for the leases, one for each run that may be claimed.
    pub leases: Vec<LeaseId>,
    /// For how long.
    pub lease: SignedDuration,
    /// Whether the work begins with the claim. Otherwise the runner says when: [`RunStore::start_run`].
    pub starts: bool,
    pub now: Timestamp,
}

impl Claim {
    /// What it makes of a waiting run.
    pub fn change(&self, run: Run, session: Session, lease: LeaseId) -> Result<Change, Refused> {
        let take = if self.starts { change::begin } else { change::claim };
        take(run, session, &self.runner_id, lease, self.now, self.lease)
    }
}

/// A run that was handed out, with all that it needs.
#[derive(Debug, Clone, PartialEq)]
pub struct Claimed {
    pub run: Run,
    pub session: Session,
    pub assignment: Assignment,
    /// The conversation so far, as JSON text.
    pub conversation: Option<String>,
    /// What earlier deliveries did, as far as it counts: [`step::current`].
    pub steps: Vec<Step>,
}

/// What happened in a run, reported by its holder.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    pub holder: Holder,
    pub events: Vec<Body>,
    /// Answers that were judged. Each is also an `attempt.judged` event, without its text.
    pub attempts: Vec<Attempt>,
    /// One with a number that is already there is not written again.
    pub steps: Vec<Step>,
    pub now: Timestamp,
}

/// The end of what happened in a run, reported together with how it ended.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Last {
    pub events: Vec<Body>,
    pub attempts: Vec<Attempt>,
    pub steps: Vec<Step>,
}

/// A run that has ended, and which attempts were new.
#[derive(Debug, Clone, PartialEq)]
pub struct Finished {
    pub run: Run,
    /// The numbers of the attempts that were written: of those that were reported with the end.
    pub judged: Vec<u32>,
}

/// The end of a run, reported by its holder.
#[derive(Debug, Clone, PartialEq)]
pub struct Finish {
    pub holder: Holder,
    pub end: End,
    /// Its total usage.
    pub usage: Usage,
    /// How often the model was asked again, where the runner held it to the contract.
    pub retries: u32,
    /// The conversation, as JSON text; `None` keeps the session's.
    pub conversation: Option<String>,
    /// The requirements of every later run of the session, if the conversation is stored at this
    /// runner.
    pub affinity: Option<Demands>,
    /// Observations about endpoints.
    pub observations: Vec<Observation>,
    pub now: Timestamp,
}

/// The coordinator asks again, instead of an end.
#[derive(Debug, Clone, PartialEq)]
pub struct AskAgain {
    pub holder: Holder,
    /// The answer, judged.
    pub attempt: Attempt,
    pub prompt: String,
    /// The total usage.
    pub usage: Usage,
    /// The conversation, as JSON text.
    pub conversation: Option<String>,
    pub now: Timestamp,
}

/// A run that cannot continue before its children finish or a person answers.
#[derive(Debug, Clone, PartialEq)]
pub struct Suspend {
    pub holder: Holder,
    pub suspension: Suspension,
    /// The requests to people.
    pub inputs: Vec<InputRequest>,
    /// Its total usage.
    pub usage: Usage,
    /// How often the model was asked again.
    pub retries: u32,
    /// What the next delivery must demand too, where the conversation lives with this runner.
    pub affinity: Option<Demands>,
    /// The conversation, as JSON text; `None` keeps the session's.
    pub conversation: Option<String>,
    /// For how long it may wait, from its first wait.
    pub wait: SignedDuration,
    pub now: Timestamp,
}

impl Suspend {
    /// What the run demands from now on. An affinity that no runner could meet together with the rest is not added.
    pub fn demands(&self, run: &Run) -> Demands {
        let affinity = self.affinity.as_ref();
        affinity.and_then(|affinity| run.demands.and(affinity).ok()).unwrap_or_else(|| run.demands.clone())
    }
}

/// What a suspended run waited for has happened.
#[derive(Debug, Clone, PartialEq)]
pub struct Wake {
    pub run_id: RunId,
    /// The delivery that was suspended, as the caller knows it: after a later one nothing is written.
    pub attempt: u32,
    /// Why it is queued again, for people.
    pub reason: String,
    /// The next message to the run, written as its next step.
    pub step: step::Body,
    /// The children's runs whose callbacks this delivers. Each is delivered once: if one is no longer pending, nothing is
    /// written and the answer is `None`.
    pub delivers: Vec<RunId>,
    pub now: Timestamp,
}

#[async_trait]
pub trait RunStore: Send + Sync {
    /// Writes a run, its session, its events and its idempotency key. A session is busy until its
    /// run has finished.
    async fn submit_run(&self, submission: Submission) -> Result<Submitted, StoreError>;

    /// Hands out waiting runs that the runner can do: higher priority first, then first come first served. A run goes to
    /// one claim only. The last one is that with which [`MOST_CLAIMED_BYTES`] are reached: the
    /// rest comes with the next claim.
    async fn claim_runs(&self, claim: Claim) -> Result<Vec<Claimed>, StoreError>;

    async fn start_run(&self, holder: &Holder, now: Timestamp) -> Result<Run, StoreError>;

    /// Something happened. An attempt with a number and delivery that is already there is not written again; gives the
    /// numbers of those that were.
    async fn report(&self, report: Report) -> Result<Vec<u32>, StoreError>;

    /// What happened at last, as [`Self::report`] writes it, and then the end: status, result and events, the session's status and
    /// conversation, and what the parent is owed.
    async fn finish_run_after(&self, last: Last, finish: Finish) -> Result<Finished, StoreError>;

    /// The end of a run of which everything else was reported.
    async fn finish_run(&self, finish: Finish) -> Result<Run, StoreError> {
        self.finish_run_after(Last::default(), finish).await.map(|finished| finished.run)
    }

    /// The coordinator asks again: the run waits for a runner, with this prompt.
    async fn ask_again(&self, again: AskAgain) -> Result<Run, StoreError>;

    /// The run waits, without a runner. Facts that are not written with an end are not written here either.
    async fn suspend_run(&self, suspend: Suspend) -> Result<Run, StoreError>;

    /// A suspended run waits for a runner again, with its next step. `None` if its children were reported otherwise.
    async fn wake_run(&self, wake: Wake) -> Result<Option<Run>, StoreError>;

    /// Fails a suspended run whose time is up, for this reason. Other runs are unchanged.
    async fn give_up_waiting(
        &self,
        run_id: &RunId,
        failure: Failure,
        now: Timestamp,
    ) -> Result<Run, StoreError>;

    /// A runner gives a run back.
    async fn give_back(&self, holder: &Holder, now: Timestamp) -> Result<Run, StoreError>;

    async fn stop_run(&self, run_id: &RunId, now: Timestamp) -> Result<Run, StoreError>;

    /// The same, for a reason that the run and its events show.
    async fn stop_run_because(&self, run_id: &RunId, reason: &str, now: Timestamp)
    -> Result<Run, StoreError>;

    /// Fails a run whose creator is gone for good, with this reason.
    async fn abandon_run(&self, run_id: &RunId, message: &str, now: Timestamp) -> Result<Run, StoreError>;
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RunFilter {
    pub status: Option<Status>,
    pub agent_name: Option<String>,
    pub session_id: Option<SessionId>,
    /// Those made at this time or later.
    pub since: Option<Timestamp>,
    /// Those made before this time.
    pub until: Option<Timestamp>,
    /// Those that have these words.
    pub search: Option<Search>,
}

/// A run with what goes in and what came out.
#[derive(Debug, Clone, PartialEq)]
pub struct WholeRun {
    pub run: Run,
    pub assignment: Assignment,
    /// Its result, where it is completed.
    pub outcome: Option<Outcome>,
}

#[async_trait]
pub trait RunReader: Send + Sync {
    async fn run(&self, run_id: &RunId) -> Result<Run, StoreError>;

    async fn assignment(&self, run_id: &RunId) -> Result<Assignment, StoreError>;

    /// Its result, where it is completed.
    async fn outcome(&self, run_id: &RunId) -> Result<Option<Outcome>, StoreError>;

    /// The run with its documents, and its result if it is completed, in one read.
    async fn whole_run(&self, run_id: &RunId) -> Result<WholeRun, StoreError>;

    /// The parameters that a session was started with, as JSON text.
    async fn opening_parameters(&self, session_id: &SessionId) -> Result<String, StoreError>;

    /// The answer that a key was given before, with the same body; another body is
    /// [`StoreError::IdempotencyConflict`].
    async fn first_answer(
        &self,
        scope: &str,
        key: &str,
        fingerprint: &str,
    ) -> Result<Option<String>, StoreError>;

    /// All its steps, in order.
    async fn steps(&self, run_id: &RunId) -> Result<Vec<Step>, StoreError>;

    /// Its attempts, in order.
    async fn attempts(&self, run_id: &RunId) -> Result<Vec<Attempt>, StoreError>;

    /// Runs, newest first.
    async fn runs(&self, filter: &RunFilter, page: &PageRequest) -> Result<Page<Run>, StoreError>;

    /// How many runs a list has, of which no more than `most` are looked at; with a search, the newest.
    async fn count_runs(&self, filter: &RunFilter, most: u32) -> Result<Count, StoreError>;

    /// What lists show of these runs.
    async fn run_summaries(&self, runs: &[RunId]) -> Result<Summaries<RunId, RunSummary>, StoreError>;

    /// The ids of runs, sessions and workflow runs that begin so, in their order.
    async fn ids_beginning(&self, beginning: &str, limit: u32) -> Result<Vec<String>, StoreError>;
}
