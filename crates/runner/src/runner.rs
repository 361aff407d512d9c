//! The runner: registers, claims as many runs as it may work on, and gives them back when it shuts down.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use accord_api::{ClaimRuns, ErrorName, Profile, RegisterRunner, RegisteredRunner, RunnerId};
use accord_client::ClientError;
use accord_executor::Registry;
use tokio::sync::{Mutex, Semaphore};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

use crate::assignment::Known;
use crate::backoff::Backoff;
use crate::coordinator::Coordinator;
use crate::heartbeat;
use crate::leases::Leases;
use crate::limits::{BEGINNING_AT_ONCE, CLAIM_WAIT_SECONDS, CLAIMED_AT_ONCE, TIME_TO_RELEASE};
use crate::paced::Paced;
use crate::settings::RunnerSettings;
use crate::shutdown::Shutdown;
use crate::work::{span, traceparent, work};

/// How long saying goodbye may take. Without it the coordinator notices by itself.
const TIME_TO_UNREGISTER: Duration = Duration::from_secs(5);

/// How long a runner that is shut down right after the start waits for its registration, so that it
/// can deregister: a reachable coordinator answers in milliseconds.
const TIME_TO_BE_KNOWN: Duration = Duration::from_millis(500);

/// An empty answer that comes sooner than this was not waited for; the next question waits instead.
const SOONEST_EMPTY_CLAIM: Duration = Duration::from_secs(1);

/// Why a runner does not work at all.
#[derive(Debug, thiserror::Error)]
pub enum RunnerError {
    /// The coordinator does not want it: the message says why.
    #[error("the coordinator rejected this runner: {0}")]
    Refused(#[source] ClientError),
}

/// Claims runs and works on them.
pub struct Runner {
    coordinator: Arc<dyn Coordinator>,
    registry: Registry,
    settings: RunnerSettings,
}

/// What the parts of a runner share.
pub(crate) struct Shared {
    pub(crate) coordinator: Arc<dyn Coordinator>,
    pub(crate) registry: Registry,
    pub(crate) settings: RunnerSettings,
    pub(crate) leases: Leases,
    pub(crate) known: Known,
    registered: RwLock<RegisteredRunner>,
    registering: Mutex<()>,
}

impl Runner {
    /// A runner with the executors of a registry, whatever its profile says of them.
    pub fn new(coordinator: Arc<dyn Coordinator>, registry: Registry, mut settings: RunnerSettings) -> Self {
        let profile = &mut settings.profile;
        profile.executor_types = registry.kinds().into_iter().collect();
        profile.held_executor_types.retain(|kind| profile.executor_types.contains(kind));
        profile.concurrency = profile.concurrency.max(1);
        Self { coordinator: Arc::new(Paced::new(coordinator)), registry, settings }
    }

    /// Works until shutdown, and then until its work has ended or is given back.
    pub async fn run(self, shutdown: impl Into<Shutdown>) -> Result<(), RunnerError> {
        let shutdown = shutdown.into();
        let mut registering = Box::pin(register(self.coordinator.as_ref(), &self.settings.profile));
        let registered = tokio::select! {
            registered = &mut registering => registered?,
            () = shutdown.begun() => {
                if let Ok(Ok(registered)) = timeout(TIME_TO_BE_KNOWN, registering).await {
                    say_goodbye(self.coordinator.as_ref(), &registered.runner_id).await;
                }
                return Ok(());
            }
        };
        drop(registering);
        tracing::info!(runner_id = %registered.runner_id, "registered");
        let shared = Arc::new(Shared {
            coordinator: self.coordinator,
            registry: self.registry,
            settings: self.settings,
            leases: Leases::default(),
            known: Known::default(),
            registered: RwLock::new(registered),
            registering: Mutex::new(()),
        });
        let done = CancellationToken::new();
        let heartbeat = tokio::spawn(heartbeat::keep(Arc::clone(&shared), done.clone()));
        let mut tasks = JoinSet::new();
        tokio::select! {
            () = claim_runs(&shared, &mut tasks) => {}
            () = shutdown.begun() => {}
        }
        drain(&shared, &shutdown, &mut tasks).await;
        done.cancel();
        heartbeat.await.unwrap_or_default();
        let runner_id = shared.registered().runner_id;
        say_goodbye(shared.coordinator.as_ref(), &runner_id).await;
        Ok(())
    }
}

async fn say_goodbye(coordinator: &dyn Coordinator, runner_id: &RunnerId) {
    timeout(TIME_TO_UNREGISTER, coordinator.unregister(runner_id)).await.ok();
}

impl Shared {
    pub(crate) fn profile(&self) -> &Profile {
        &self.settings.profile
    }

    /// How many runs are worked on at once.
    pub(crate) fn places(&self) -> usize {
        usize::try_from(self.profile().concurrency).unwrap_or(usize::MAX)
    }

    pub(crate) fn registered(&self) -> RegisteredRunner {
        self.registered.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Registers the runner again, once, whichever task notices first.
    pub(crate) async fn register_again(&self, unknown: &RunnerId) {
        let _one = self.registering.lock().await;
        if self.registered().runner_id != *unknown {
            return;
        }
        let mut backoff = Backoff::default();
        let registered = loop {
            match register(self.coordinator.as_ref(), self.profile()).await {
                Ok(registered) => break registered,
                Err(error) => {
                    tracing::error!(%error, "the runner could not register again");
                    backoff.rest().await;
                }
            }
        };
        tracing::info!(runner_id = %registered.runner_id, "registered again");
        *self.registered.write().unwrap_or_else(PoisonError::into_inner) = registered;
    }
}

/// Makes the runner known. A coordinator that is not there yet is waited for; one that refuses is not.
async fn register(coordinator: &dyn Coordinator, profile: &Profile) -> Result<RegisteredRunner, RunnerError> {
    let body = RegisterRunner { profile: profile.clone() };
    let mut backoff = Backoff::default();
    loop {
        match coordinator.register(&body).await {
            Ok(registered) => return Ok(registered),
            Err(error) if error.is_transient() => {
                tracing::warn!(%error, "waiting for the coordinator");
                backoff.rest().await;
            }
            Err(error) => return Err(RunnerError::Refused(error)),
        }
    }
}

/// Claims as many runs as there are free slots, until it is dropped. A run that waits for its
/// children uses no slot: otherwise the children could not start when all slots are taken by
/// parents. No run is claimed while many are starting, because other runners can claim runs that
/// stay in the queue.
async fn claim_runs(shared: &Arc<Shared>, tasks: &mut JoinSet<()>) {
    let mut backoff = Backoff::default();
    let mut waiting = shared.leases.waiting();
    let beginning = Arc::new(Semaphore::new(BEGINNING_AT_ONCE));
    loop {
        while tasks.try_join_next().is_some() {}
        let parents = usize::try_from(*waiting.borrow_and_update()).unwrap_or(usize::MAX);
        let free = shared.places().saturating_add(parents).saturating_sub(tasks.len());
        if free == 0 {
            tokio::select! {
                _ = tasks.join_next() => {}
                _ = waiting.changed() => {}
            }
            continue;
        }
        // Only this loop acquires them, so they are still available when runs are handed out.
        drop(beginning.acquire_many(CLAIMED_AT_ONCE).await);
        let runner_id = shared.registered().runner_id;
        let claim = ClaimRuns {
            runner_id: runner_id.clone(),
            max: u32::try_from(free).unwrap_or(u32::MAX).min(CLAIMED_AT_ONCE),
            wait_seconds: CLAIM_WAIT_SECONDS,
            start: true,
        };
        let asked_at = Instant::now();
        match shared.coordinator.claim(&claim).await {
            Ok(claimed) if claimed.runs.is_empty() => {
                if asked_at.elapsed() < SOONEST_EMPTY_CLAIM {
                    backoff.rest().await;
                }
            }
            Ok(claimed) => {
                backoff = Backoff::default();
                for run in claimed.runs {
                    // The lease began when the run was handed out, which may be long after the
                    // claim.
                    let hold = shared.leases.take(&run, &runner_id, Instant::now());
                    let (span, traceparent) = (span(&run), traceparent(&run));
                    let begins = Arc::clone(&beginning).try_acquire_owned().ok();
                    let work = work(Arc::clone(shared), run, hold, begins).instrument(span);
                    tasks.spawn(accord_trace::within(traceparent, work));
                }
            }
            Err(error) if error.is(ErrorName::RunnerNotFound) => shared.register_again(&runner_id).await,
            Err(error) => {
                tracing::warn!(%error, "runs cannot be claimed");
                backoff.rest().await;
            }
        }
    }
}

/// Lets running work end; what has not ended in time is given back, and what cannot be given back is dropped.
async fn drain(shared: &Shared, shutdown: &Shutdown, tasks: &mut JoinSet<()>) {
    tokio::select! {
        () = ended(tasks) => return,
        () = sleep(shared.settings.drain) => {}
        () = shutdown.hastened() => {}
    }
    tracing::info!(runs = tasks.len(), "returning unfinished runs");
    shared.leases.release();
    if timeout(TIME_TO_RELEASE, ended(tasks)).await.is_err() {
        tracing::warn!(runs = tasks.len(), "dropping runs that could not be returned");
        tasks.shutdown().await;
    }
}

async fn ended(tasks: &mut JoinSet<()>) {
    while tasks.join_next().await.is_some() {}
}
