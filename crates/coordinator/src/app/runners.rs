//! Runners: who they are, and that they are alive.

use std::cmp::Ordering;
use std::sync::Arc;
use std::time::Duration;

use accord_api::{
    ErrorName, Heartbeat, HeartbeatAnswer, Page, RegisterRunner, RegisteredRunner, RunDirective,
    RunInstruction, RunnerView,
};
use accord_domain::id::{RunId, RunnerId};
use accord_domain::runner::{Profile, Runner};
use accord_store::{Beat, Directive, HeldRun, Store};
use jiff::{SignedDuration, Timestamp};
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

use super::assignments::RecentAssignments;
use super::bounds::check_wait;
use super::contracts::Contracts;
use super::page::List;
use super::presence::Presence;
use super::recent::{IN_USE, Recent};
use super::{Caller, Keys, labels, runner_owner};
use crate::error::{Error, refuse};
use crate::hub::{Hub, Topic, Watch};
use crate::outside::Outside;
use crate::settings::{Queue, Settings};

/// A heartbeat that waits longer would be cut off by something in between.
pub(crate) const LONGEST_HEARTBEAT_SECONDS: u32 = 30;

/// How many runs one runner holds at most: each is a row of one transaction. Ten thousand sessions that wait on a slow
/// model are a use that is measured; a heartbeat of twice as many still fits into one request.
const MOST_HELD: usize = 20_000;

/// Executors and tags of one runner. Each claim is matched against them.
const MOST_LABELS: usize = 100;

/// How often at most it is counted which of a full runner's runs wait for children: a busy queue would have it done all the
/// time, and a child that waits a moment is not noticed.
const BETWEEN_COUNTS: Duration = Duration::from_millis(250);

/// How long a profile is cached. It never changes, but a runner may be removed through another coordinator and should notice
/// soon.
const KNOWN_FOR: Duration = Duration::from_secs(10);

/// Runners: they register, claim runs, renew their leases and report.
pub(crate) struct Runners {
    pub(super) store: Arc<dyn Store>,
    pub(super) outside: Arc<dyn Outside>,
    pub(super) settings: Arc<Settings>,
    pub(super) hub: Arc<Hub>,
    pub(super) closing: CancellationToken,
    pub(super) keys: Arc<Keys>,
    pub(super) contracts: Arc<Contracts>,
    pub(super) assignments: Arc<RecentAssignments>,
    pub(super) presence: Arc<Presence>,
    pub(super) cache: RunnerCache,
}

/// A cache of runners, because each of them claims and reports frequently.
#[derive(Debug)]
pub(super) struct RunnerCache {
    /// Their capabilities, with the time when they were read.
    profiles: Recent<(Instant, Arc<Profile>)>,
    /// When it was last written that they are alive.
    seen: Recent<Timestamp>,
}

impl Default for RunnerCache {
    fn default() -> Self {
        Self { profiles: Recent::new(IN_USE), seen: Recent::new(IN_USE) }
    }
}

impl Runners {
    pub(crate) async fn register(
        &self,
        caller: &Caller,
        request: RegisterRunner,
    ) -> Result<RegisteredRunner, Error> {
        check_profile(&request.profile)?;
        labels::check_profile(&request.profile)?;
        let now = self.outside.now();
        let id = runner_owner::new_id(&self.outside.unique(), caller.key_id.as_ref());
        let runner = Runner { id: id.clone(), profile: request.profile, registered_at: now, seen_at: now };
        self.store.register_runner(runner.clone()).await?;
        self.presence.came(&runner);
        self.cache.seen.put(id.as_str(), 0, now);
        let lease_seconds = self.settings.queue.lease_seconds;
        let heartbeat_seconds = (lease_seconds / Queue::BEATS_IN_A_LEASE).max(1);
        Ok(RegisteredRunner { runner_id: id, lease_seconds, heartbeat_seconds })
    }

    pub(crate) async fn list(
        &self,
        limit: Option<u32>,
        cursor: Option<&str>,
    ) -> Result<Page<RunnerView>, Error> {
        let alive_since = self.alive_since(self.outside.now());
        let view = |runner: Runner| RunnerView {
            runner_id: runner.id,
            profile: runner.profile,
            alive: runner.seen_at >= alive_since,
            registered_at: runner.registered_at,
            seen_at: runner.seen_at,
        };
        let mut runners: Vec<RunnerView> = self.store.runners().await?.into_iter().map(view).collect();
        // Ids grow, so that the newest comes first.
        runners.sort_by(|one, other| other.runner_id.cmp(&one.runner_id));
        List("runners").by_name(runners, Ordering::Less, limit, cursor, |runner| runner.runner_id.as_str())
    }

    pub(crate) async fn remove(&self, runner_id: &RunnerId) -> Result<(), Error> {
        self.store.remove_runner(runner_id).await?;
        self.cache.profiles.take(runner_id.as_str());
        self.cache.seen.take(runner_id.as_str());
        Ok(())
    }

    /// A runner sent a request, so it is alive. Saved only if that was not done lately: runners send too many requests for a
    /// write each.
    pub(super) async fn heard_of(&self, runner_id: &RunnerId) -> Result<(), Error> {
        let now = self.outside.now();
        let is_fresh = |at: Timestamp| now.duration_since(at).unsigned_abs() < self.between_beats();
        match self.cache.seen.get(runner_id.as_str()).is_some_and(is_fresh) {
            true => Ok(()),
            // Boxed: what is rare would make every request as large.
            false => Box::pin(self.note(runner_id, now)).await,
        }
    }

    async fn note(&self, runner_id: &RunnerId, now: Timestamp) -> Result<(), Error> {
        // Before it is written, so that of many at once one writes.
        self.cache.seen.put(runner_id.as_str(), 0, now);
        let beat = Beat { runner_id: runner_id.clone(), runs: Vec::new(), lease: self.lease(), now };
        match self.store.heartbeat(beat).await {
            Ok(_) => Ok(()),
            Err(error) => {
                self.cache.profiles.take(runner_id.as_str());
                self.cache.seen.take(runner_id.as_str());
                Err(error.into())
            }
        }
    }

    pub(super) async fn profile(&self, runner_id: &RunnerId) -> Result<Arc<Profile>, Error> {
        if let Some((since, profile)) = self.cache.profiles.get(runner_id.as_str())
            && since.elapsed() < KNOWN_FOR
        {
            return Ok(profile);
        }
        let runner = self.store.runner(runner_id).await?.ok_or_else(|| {
            let message = format!("runner '{runner_id}' not found; register first");
            Error::new(ErrorName::RunnerNotFound, message)
        })?;
        let profile = Arc::new(runner.profile);
        self.cache.profiles.put(runner_id.as_str(), 0, (Instant::now(), Arc::clone(&profile)));
        Ok(profile)
    }

    /// Records that a runner is alive. Answers immediately if there is something to do, otherwise
    /// when the time is up; the leases hold in the meantime.
    pub(crate) async fn heartbeat(&self, request: Heartbeat) -> Result<HeartbeatAnswer, Error> {
        check_wait("wait_seconds", request.wait_seconds, LONGEST_HEARTBEAT_SECONDS)?;
        if request.runs.len() > MOST_HELD {
            return Err(refuse(format!(
                "expected at most {MOST_HELD} held runs, got {}",
                request.runs.len()
            )));
        }
        let deadline = Instant::now() + Duration::from_secs(request.wait_seconds.into());
        let topics = request.runs.iter().map(|held| Topic::Run(held.run_id.clone())).collect();
        let watch = self.hub.watch(topics);
        let queued = self.hub.watch(vec![Topic::Queued]);
        loop {
            let directives = self.beat(&request).await?;
            let waiting = self.waiting(&request).await?;
            let nothing_to_do = directives.iter().all(|directive| *directive == Directive::Continue);
            let is_known = waiting == request.waiting;
            if !nothing_to_do || !is_known || Instant::now() >= deadline || self.closing.is_cancelled() {
                return Ok(answer(request, directives, waiting));
            }
            let next_beat = deadline.min(Instant::now() + self.between_beats());
            tokio::select! {
                _ = timeout_at(next_beat, watch.changed()) => {}
                changed = self.others_wait(&request, &queued) => changed?,
                () = self.closing.cancelled() => {}
            }
        }
    }

    /// How many of a full runner's runs wait for children.
    async fn waiting(&self, request: &Heartbeat) -> Result<Option<u32>, Error> {
        if request.waiting.is_none() {
            return Ok(None);
        }
        let runs: Vec<RunId> = request.runs.iter().map(|held| held.run_id.clone()).collect();
        Ok(Some(self.store.waiting_for_children(&runs).await?))
    }

    /// Returns when the number of a full runner's runs that wait for children has changed. A queued run may be a child.
    async fn others_wait(&self, request: &Heartbeat, queued: &Watch) -> Result<(), Error> {
        if request.waiting.is_none() {
            return std::future::pending().await;
        }
        loop {
            queued.changed().await;
            tokio::time::sleep(BETWEEN_COUNTS).await;
            if self.waiting(request).await? != request.waiting {
                return Ok(());
            }
        }
    }

    async fn beat(&self, request: &Heartbeat) -> Result<Vec<Directive>, Error> {
        let held = |held: &accord_api::HeldRun| HeldRun {
            run_id: held.run_id.clone(),
            lease_id: held.lease_id.clone(),
            attempt: held.attempt,
        };
        let beat = Beat {
            runner_id: request.runner_id.clone(),
            runs: request.runs.iter().map(held).collect(),
            lease: self.lease(),
            now: self.outside.now(),
        };
        let now = beat.now;
        let directives = self.store.heartbeat(beat).await?;
        self.cache.seen.put(request.runner_id.as_str(), 0, now);
        Ok(directives)
    }

    pub(super) fn lease(&self) -> SignedDuration {
        SignedDuration::from_secs(self.settings.queue.lease_seconds.into())
    }

    /// How often at least it is written that a runner is alive.
    pub(super) fn between_beats(&self) -> Duration {
        self.lease().unsigned_abs() / Queue::BEATS_IN_A_LEASE
    }

    /// Runners that were seen after this are alive: for as long as a lease that was not renewed.
    pub(super) fn alive_since(&self, now: Timestamp) -> Timestamp {
        now.checked_sub(self.lease()).unwrap_or(Timestamp::MIN)
    }
}

fn answer(request: Heartbeat, directives: Vec<Directive>, waiting: Option<u32>) -> HeartbeatAnswer {
    let instruction = |(held, directive): (accord_api::HeldRun, Directive)| RunInstruction {
        run_id: held.run_id,
        directive: match directive {
            Directive::Continue => RunDirective::Continue,
            Directive::Stop => RunDirective::Stop,
            Directive::Lost => RunDirective::Lost,
        },
    };
    HeartbeatAnswer { runs: request.runs.into_iter().zip(directives).map(instruction).collect(), waiting }
}

fn check_profile(profile: &Profile) -> Result<(), Error> {
    if profile.executor_types.len() > MOST_LABELS || profile.tags.len() > MOST_LABELS {
        return Err(refuse(format!("a runner can have at most {MOST_LABELS} executor_types and tags")));
    }
    match profile.held_executor_types.difference(&profile.executor_types).next() {
        Some(unknown) => {
            Err(refuse(format!("held_executor_types has '{unknown}', which is not one of executor_types")))
        }
        None => Ok(()),
    }
}
