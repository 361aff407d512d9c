//! Claims: a runner asks for work and waits for it.
//!
//! A claim reads the queue, waits for a wake-up and reads again, and also polls slowly. Runs that were handed to a runner that
//! has hung up, or whose key was revoked, are returned at once; those that are lost on the way are returned when their lease
//! expires.

use std::sync::Arc;
use std::time::Duration;

use accord_api::{ClaimRuns, ClaimedRun, ClaimedRuns, EndpointFact, Spent};
use accord_domain::attempt::{self, Attempt};
use accord_domain::id::{EventId, LeaseId};
use accord_domain::run::{Assignment, Holder, Kind, Run};
use accord_domain::runner::Profile;
use accord_domain::step::{self, Step};
use accord_domain::usage::Usage;
use accord_store::{Claim, Claimed, EventFilter, EventLimit, Fact, FactFilter, Store};
use jiff::{SignedDuration, Timestamp};
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout_at};

use super::assignments::models;
use super::bounds::check_wait;
use super::runners::Runners;
use super::runs::{is_held, raw};
use super::{Caller, endpoints, tiers};
use crate::error::{Error, refuse};
use crate::metrics;

/// A claim that waits longer would be cut off by something in between.
pub(crate) const LONGEST_CLAIM_SECONDS: u32 = 60;

/// How many runs are handed out at once: they are in one transaction, and each includes its
/// conversation.
const MOST_CLAIMED: u32 = 32;

/// The kind of the event with which the work on a run begins.
const STARTED: &str = "run.started";

/// The kinds of events with which the work on a run ends for now.
const INTERRUPTED: [&str; 3] = ["run.queued", "run.waiting", "run.input_required"];

/// How many events of deliveries are read, two for each: a run is lost a few times at most, and given back whenever a runner is
/// shut down.
const MOST_DELIVERIES: u32 = 200;

impl Runners {
    /// Hands out runs, and waits if none is pending.
    pub(crate) async fn claim(&self, caller: &Caller, request: ClaimRuns) -> Result<ClaimedRuns, Error> {
        check_wait("wait_seconds", request.wait_seconds, LONGEST_CLAIM_SECONDS)?;
        if request.max == 0 {
            return Err(refuse("expected max of at least 1, got 0".to_owned()));
        }
        // A runner says how many it has room for; the rest it gets by asking again.
        let max = request.max.min(MOST_CLAIMED);
        let profile = self.profile(&request.runner_id).await?;
        let deadline = Instant::now() + Duration::from_secs(request.wait_seconds.into());
        let place = self.hub.wait_for_work(Arc::clone(&profile));
        loop {
            // Each time, because a runner that waits for long is alive.
            self.heard_of(&request.runner_id).await?;
            place.looks();
            let claimed = self.look(&request, &profile, max).await?;
            if let Err(error) = self.keys.check(caller).await {
                give_back(self.store.as_ref(), claimed, self.outside.now()).await;
                return Err(error);
            }
            if !claimed.is_empty() || Instant::now() >= deadline || self.closing.is_cancelled() {
                drop(place);
                let now = self.outside.now();
                claimed.iter().for_each(|claimed| metrics::claimed(&claimed.run, now));
                return self.handed_out(claimed, &profile).await;
            }
            let interval = self.settings.poll_interval.min(self.between_beats());
            let next_look = deadline.min(Instant::now() + interval);
            tokio::select! {
                biased;
                error = self.keys.withdrawn(caller) => return Err(error),
                _ = timeout_at(next_look, place.woken()) => {}
                () = self.closing.cancelled() => {}
            }
        }
    }

    /// Reads the queue once. This continues when the caller has hung up, so that what was claimed can be returned.
    async fn look(&self, request: &ClaimRuns, profile: &Profile, max: u32) -> Result<Vec<Claimed>, Error> {
        let claim = Claim {
            runner_id: request.runner_id.clone(),
            profile: profile.clone(),
            leases: (0..max).map(|_| LeaseId::new(self.outside.unique())).collect(),
            lease: self.lease(),
            starts: request.start,
            now: self.outside.now(),
        };
        let store = Arc::clone(&self.store);
        let (sender, receiver) = oneshot::channel();
        tokio::spawn(async move {
            let now = claim.now;
            if let Err(Ok(claimed)) = sender.send(store.claim_runs(claim).await) {
                give_back(store.as_ref(), claimed, now).await;
            }
        });
        Ok(receiver.await.map_err(Error::internal)??)
    }

    async fn handed_out(&self, mut claimed: Vec<Claimed>, profile: &Profile) -> Result<ClaimedRuns, Error> {
        for Claimed { assignment, .. } in &mut claimed {
            tiers::resolve_if_known(assignment, &self.settings.tiers);
        }
        let models = claimed.iter().map(|each| models(&each.assignment)).collect::<Result<Vec<_>, _>>()?;
        let mut all: Vec<String> = models.iter().flatten().map(|used| used.model.clone()).collect();
        all.sort_unstable();
        all.dedup();
        let facts = match all.is_empty() {
            true => Vec::new(),
            false => self.store.facts(&FactFilter::of_models(all)).await?,
        };
        let (lease_seconds, now) = (self.settings.queue.lease_seconds, self.outside.now());
        let mut runs = Vec::with_capacity(claimed.len());
        for (claimed, models) in claimed.into_iter().zip(models) {
            let schema = self.schema_hash(&claimed.assignment).await?;
            let is_known = |fact: &&Fact| {
                models.iter().any(|used| used.is_at(&fact.endpoint, &fact.model))
                    && concerns(fact, schema.as_deref())
            };
            let known =
                facts.iter().filter(is_known).cloned().map(|fact| endpoints::view(fact, now)).collect();
            let attempts = match claimed.run.attempt {
                0 | 1 => Vec::new(),
                _ => self.store.attempts(&claimed.run.id).await?,
            };
            let spent = self.spent(&claimed.run, &claimed.steps, &attempts).await?;
            let message = message(&claimed.steps, &attempts);
            self.assignments.keep(&claimed.run, &claimed.assignment);
            let mut run = ClaimedRun { spent, ..view(claimed, profile, known, lease_seconds)? };
            if run.held_by_coordinator && message.is_some() {
                (run.kind, run.retry_prompt) = (Kind::ResumeSession, message);
            }
            runs.push(run);
        }
        Ok(ClaimedRuns { runs })
    }

    async fn schema_hash(&self, assignment: &Assignment) -> Result<Option<String>, Error> {
        match &assignment.contract {
            Some(contract) => Ok(Some(self.contracts.stored(contract).await?.terms.schema_hash.clone())),
            None => Ok(None),
        }
    }

    /// What deliveries of a run used that were lost or given back. Their attempts tell, and of the time the events: the end,
    /// which tells the rest, was never reported. What their steps tell is not repeated here: the runner adds it up while it goes
    /// through them.
    async fn spent(&self, run: &Run, steps: &[Step], attempts: &[Attempt]) -> Result<Spent, Error> {
        if run.attempt <= 1 {
            return Ok(Spent::default());
        }
        if !steps.is_empty() {
            let in_steps = |attempt: &&Attempt| {
                steps.iter().any(|step| {
                    matches!(step.body, step::Body::Verdict { delivery, attempt: number, .. }
                        if (delivery, number) == (attempt.delivery, attempt.number))
                })
            };
            let others = attempts.len() - attempts.iter().filter(in_steps).count();
            return Ok(Spent {
                usage: unrecorded(run, steps),
                attempts: u32::try_from(others).unwrap_or(u32::MAX),
                milliseconds: self.worked(run).await?,
                ..Spent::default()
            });
        }
        let told = attempts.iter().fold(0_u64, |sum, attempt| sum.saturating_add(attempt.duration_ms));
        Ok(Spent {
            usage: attempt::used(attempts),
            retries: attempt::retries(attempts),
            attempts: u32::try_from(attempts.len()).unwrap_or(u32::MAX),
            milliseconds: told.max(self.worked(run).await?),
        })
    }

    /// How many milliseconds earlier deliveries worked, from their start until the run waited or
    /// was queued again. A runner that was lost had been silent for as long as a lease lasts by
    /// then, and that time is not counted.
    async fn worked(&self, run: &Run) -> Result<u64, Error> {
        let kinds = INTERRUPTED.into_iter().chain([STARTED]).map(str::to_owned).collect();
        let filter = EventFilter { run_id: Some(run.id.clone()), kinds, ..EventFilter::default() };
        let mut worked = SignedDuration::ZERO;
        let mut started = None;
        for event in self.store.events(&filter, EventId::default(), EventLimit::of(MOST_DELIVERIES)).await? {
            match (event.kind != STARTED, started) {
                (false, _) => started = Some(event.at),
                (true, Some(begun)) => {
                    worked = worked.saturating_add(event.at.duration_since(begun));
                    started = None;
                }
                (true, None) => {}
            }
        }
        let silence = self.lease().saturating_mul(i32::try_from(run.losses).unwrap_or(i32::MAX));
        Ok(u64::try_from(worked.saturating_sub(silence).as_millis()).unwrap_or_default())
    }
}

/// Returns runs that were not delivered. If this fails, their leases expire.
async fn give_back(store: &dyn Store, claimed: Vec<Claimed>, now: Timestamp) {
    for Claimed { run, .. } in claimed {
        let Some(lease) = run.lease else { continue };
        let holder =
            Holder { run_id: run.id, runner_id: lease.runner_id, lease_id: lease.id, attempt: run.attempt };
        if let Err(error) = store.give_back(&holder, now).await {
            tracing::warn!(run = %holder.run_id, %error, "an undelivered run could not be returned to the queue");
        }
    }
}

fn view(
    claimed: Claimed,
    profile: &Profile,
    facts: Vec<EndpointFact>,
    lease_seconds: u32,
) -> Result<ClaimedRun, Error> {
    let Claimed { run, session, assignment, conversation, steps } = claimed;
    let held_by_coordinator = is_held(profile, &run, &assignment.blueprint)?;
    let lease =
        run.lease.ok_or_else(|| Error::internal(format!("{} was claimed without a lease", run.id)))?;
    Ok(ClaimedRun {
        run_id: run.id,
        session_id: run.session_id,
        parent_session_id: session.parent_session_id,
        lease_id: lease.id,
        attempt: run.attempt,
        lease_seconds,
        // A retry by the coordinator resumes the session that the run has started.
        kind: if run.retry_count > 0 { Kind::ResumeSession } else { run.kind },
        agent_name: run.agent_name,
        blueprint: raw(assignment.blueprint)?,
        parameters: raw(assignment.parameters)?,
        contract: assignment.contract.map(raw).transpose()?,
        held_by_coordinator,
        retry_count: run.retry_count,
        retry_prompt: assignment.retry_prompt,
        conversation: conversation.map(raw).transpose()?,
        model: assignment.model,
        project_dir: assignment.project_dir,
        facts,
        input: assignment.input.map(raw).transpose()?,
        spent: Spent::default(),
        steps,
        traceparent: assignment.traceparent,
        tools: assignment.tools.as_deref().map(serde_json::from_str).transpose().map_err(Error::internal)?,
        opening: assignment
            .opening
            .as_deref()
            .map(serde_json::from_str)
            .transpose()
            .map_err(Error::internal)?,
        files: assignment.files,
    })
}

/// The usage of a run before it began to wait that is not in its steps: a turn of a CLI that ended
/// with a request for a person's input has no step.
fn unrecorded(run: &Run, steps: &[Step]) -> Usage {
    let woken = steps.iter().rposition(|step| step.delivery == 0).unwrap_or_default();
    let recorded = steps.iter().take(woken).fold(Usage::default(), |sum, step| sum.and(step.body.usage()));
    run.usage.less(recorded)
}

/// What the children of a run said, if it has waited for them since its last answer. A runner that judges goes through the steps
/// itself; one that does not is asked this next.
fn message(steps: &[Step], attempts: &[Attempt]) -> Option<String> {
    attempts.last().filter(|last| last.outcome == attempt::Outcome::Waiting)?;
    steps.iter().rev().find_map(|step| match &step.body {
        step::Body::Message { text } => Some(text.clone()),
        _ => None,
    })
}

/// Whether a fact is about every schema or about this one.
fn concerns(fact: &Fact, schema: Option<&str>) -> bool {
    match fact.feature.split_once('#') {
        Some((_, of)) => schema == Some(of),
        None => true,
    }
}
