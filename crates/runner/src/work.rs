//! The work on one run, from the claim to the end.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::sync::Arc;

use accord_api::agent::Executor;
use accord_api::step::Body;
use accord_api::{ClaimedRun, Failure, FailureType, FinishRun, LastReport, Origin};
use accord_executor::{Files, GivenFile, Journal, OpenError, Session, Start};
use accord_trace::{TraceParent, names};
use futures_util::FutureExt;
use serde_json::Value;
use tokio::sync::OwnedSemaphorePermit;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tracing::field::Empty;
use tracing::{Span, debug_span};

use crate::assignment::Assignment;
use crate::drive::{Budget, Outcome, Over, RunEnd, drive, timed_out};
use crate::finish;
use crate::leases::{LeasedRun, Reason};
use crate::limits::{DEFAULT_MAX_STEPS, TIME_TO_CLOSE, TIME_TO_OPEN};
use crate::metered::metered;
use crate::report::Reporter;
use crate::runner::Shared;
use crate::servers::Filling;

/// The work on a run, for traces. Spans are at debug level: messages at info and above name the run themselves.
pub(crate) fn span(claim: &ClaimedRun) -> Span {
    let agent = claim.agent_name.as_str();
    let span = debug_span!(
        "invoke_agent",
        otel.name = format!("{} {agent}", names::INVOKE_AGENT),
        { names::STATUS_CODE } = Empty,
        { names::STATUS_MESSAGE } = Empty,
        { names::ERROR_TYPE } = Empty,
        { names::OPERATION } = names::INVOKE_AGENT,
        { names::AGENT } = agent,
        { names::CONVERSATION } = %claim.session_id,
        { names::RUN } = %claim.run_id,
        { names::DELIVERY } = accord_trace::count(claim.attempt),
        { names::STATUS } = Empty,
    );
    if let Some(caller) = traceparent(claim) {
        accord_trace::continue_from(&span, caller);
    }
    span
}

/// The trace that a run belongs to.
pub(crate) fn traceparent(claim: &ClaimedRun) -> Option<TraceParent> {
    TraceParent::read(claim.traceparent.as_deref())
}

/// Works on a run and reports its end, unless it is lost on the way. A panic fails the run, not the runner.
/// `begins` is held until the work has begun.
pub(crate) async fn work(
    shared: Arc<Shared>,
    claim: ClaimedRun,
    hold: Arc<LeasedRun>,
    begins: Option<OwnedSemaphorePermit>,
) {
    // Boxed, here and below: a run waits for its model for minutes, and what comes before and after takes no room then.
    let worked = AssertUnwindSafe(Box::pin(attempt(&shared, claim, &hold, begins))).catch_unwind().await;
    let (finish, origin) = worked.unwrap_or_else(|panic| {
        let message = format!("the runner crashed during this run: {}", panic_message(panic.as_ref()));
        tracing::error!(run_id = %hold.run_id, message);
        (finish::failed(&hold.holding, Failure::new(FailureType::ExecutorFailed, message)), None)
    });
    let is_told = match hold.reason() {
        Some(Reason::Lost) => false,
        Some(Reason::Expired) => finish::is_result(&finish),
        Some(Reason::Stop | Reason::Release) | None => true,
    };
    if is_told {
        Box::pin(finish::tell(&shared.coordinator, &hold, finish, origin)).await;
    }
    shared.leases.forget(&hold);
}

fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no reason given".to_owned())
}

async fn attempt(
    shared: &Shared,
    claim: ClaimedRun,
    hold: &Arc<LeasedRun>,
    begins: Option<OwnedSemaphorePermit>,
) -> (FinishRun, Option<Origin>) {
    if let Some(reason) = hold.reason() {
        return (finish::ended(&hold.holding, Some(reason)), None);
    }
    let mut assignment = match Box::pin(read(shared, claim, hold)).await {
        Ok(assignment) => assignment,
        Err(_) if hold.reason().is_some() => return (finish::ended(&hold.holding, hold.reason()), None),
        Err(message) => return (finish::failed(&hold.holding, broken(message)), None),
    };
    drop(begins);
    let origin = assignment.terms.as_ref().map(|terms| terms.contract.origin);
    let (limits, longest) = (&assignment.agent.limits, shared.settings.longest_run);
    let budget = Budget::new(limits, longest, &assignment.spent, hold.cancel.clone())
        .with_retry(shared.settings.retry_of(&assignment.agent.retry));
    let finish = loop {
        let (reporter, reporting) = Reporter::start(Arc::clone(&shared.coordinator), hold);
        let journal = Arc::new(journal(&assignment, &reporter));
        let opened = tokio::select! {
            opened = timeout(TIME_TO_OPEN, Box::pin(open(shared, &assignment, hold, &journal))) => {
                opened.unwrap_or_else(|_| {
                    let seconds = TIME_TO_OPEN.as_secs();
                    Err(broken(format!("the executor did not open a session within {seconds} seconds")))
                })
            }
            over = budget.over() => match over {
                Over::Stopped => return (finish::ended(&hold.holding, hold.reason()), origin),
                Over::TimedOut(seconds) => Err(late(seconds)),
            },
        };
        let session = match opened {
            Ok(session) => session,
            Err(failure) => break finish::failed(&hold.holding, failure),
        };
        let working =
            Working { assignment: &assignment, budget: &budget, hold, journal, reporter, reporting };
        let (outcome, last) = working.driven(session).await;
        match outcome.end {
            RunEnd::Diverged(reason) if !assignment.steps.is_empty() => {
                tracing::warn!(run_id = %hold.run_id, reason, "the recorded steps do not fit; the run starts over");
                assignment = Box::pin(restarted(shared, assignment, hold, reason)).await;
            }
            _ => break finish::report(hold, outcome, last, finish::affinity(&assignment, shared.profile())),
        }
    };
    (finish, origin)
}

/// The record of a run. An answer that the coordinator validates has a separate one.
fn journal(assignment: &Assignment, reporter: &Reporter) -> Journal {
    match assignment.held_by_coordinator {
        true => Journal::none(),
        false => Journal::new(assignment.steps.clone(), assignment.next_step, Arc::new(reporter.clone())),
    }
}

/// The run without its recorded steps, which do not count any more.
async fn restarted(
    shared: &Shared,
    assignment: Assignment,
    hold: &Arc<LeasedRun>,
    reason: String,
) -> Assignment {
    let (reporter, reporting) = Reporter::start(Arc::clone(&shared.coordinator), hold);
    let journal = Journal::new(Vec::new(), assignment.next_step, Arc::new(reporter.clone()));
    journal.record(Body::Restarted { reason }).await;
    drop((journal, reporter));
    if let Err(error) = reporting.await {
        tracing::error!(run_id = %hold.run_id, %error, "reporting crashed");
    }
    Assignment { steps: Vec::new(), next_step: assignment.next_step.saturating_add(1), ..assignment }
}

fn broken(message: String) -> Failure {
    Failure::new(FailureType::ExecutorFailed, message)
}

/// The failure of a run whose time was up before the first request.
fn late(seconds: u64) -> Failure {
    let message = format!("the executor was not ready in time: {}", timed_out(seconds));
    Failure::new(FailureType::TimedOut, message)
}

/// Parses a claimed run. The documents are dropped, because the run may wait for its model for a
/// long time.
async fn read(shared: &Shared, claim: ClaimedRun, hold: &LeasedRun) -> Result<Assignment, String> {
    let (known, host) = (shared.known.clone(), shared.profile().hostname.clone());
    // A large schema takes a while to compile, and others wait for this thread.
    let reading = metered(&hold.cancel, move |meter| Assignment::read(&claim, &known, &host, meter));
    reading.await?.map_err(|error| error.to_string())
}

async fn open(
    shared: &Shared,
    assignment: &Assignment,
    hold: &LeasedRun,
    journal: &Arc<Journal>,
) -> Result<Box<dyn Session>, Failure> {
    let kind = assignment.agent.executor.kind();
    let Some(executor) = shared.registry.get(kind) else {
        let known = shared.registry.kinds().join(", ");
        return Err(broken(format!("this runner has no executor '{kind}'; it has: {known}")));
    };
    let filling = Filling {
        coordinator_url: shared.settings.coordinator_url.as_deref(),
        variables: &shared.settings.variables,
        run_id: &assignment.run_id,
        lease_id: &hold.holding.lease_id,
    };
    let mcp_servers = match assignment.agent.executor {
        // Nothing is started for a recording, so nothing has to be there that a server would need.
        Executor::Replay(_) => Vec::new(),
        _ => filling.servers(&assignment.agent.mcp_servers).map_err(broken)?,
    };
    let start = Start {
        session_id: assignment.session_id.to_string(),
        run_id: assignment.run_id.to_string(),
        settings: Value::clone(&assignment.settings),
        project_dir: project_dir(shared, assignment).map_err(broken)?,
        tools: assignment.agent.tools.clone(),
        mcp_servers,
        parameters: assignment.parameters.clone(),
        conversation: conversation(assignment),
        opening: assignment.opening.messages.clone(),
        files: files(shared, assignment).await?,
        max_steps: assignment.agent.limits.max_steps.unwrap_or(DEFAULT_MAX_STEPS),
        retry: shared.settings.retry_of(&assignment.agent.retry),
        costs_are_limited: assignment.agent.limits.max_cost_usd.is_some(),
        tool_entries: assignment.tool_entries.clone(),
        caller_tools: assignment.caller_tools.clone(),
        journal: Arc::clone(journal),
    };
    executor.open(start).await.map_err(|error| match error {
        OpenError::TimedOut(seconds) => late(seconds),
        OpenError::Settings(_) | OpenError::Missing(_) | OpenError::OneProvider => broken(error.to_string()),
    })
}

/// The files of a run with their contents.
async fn files(shared: &Shared, assignment: &Assignment) -> Result<Files, Failure> {
    let mut given = Vec::with_capacity(assignment.files.len());
    for file in &assignment.files {
        let mut backoff = Backoff::default();
        let content = loop {
            match shared.coordinator.file(&assignment.run_id, &file.id).await {
                Ok(content) => break content,
                Err(error) if error.is_transient() => backoff.rest().await,
                Err(error) => {
                    return Err(broken(format!("the file '{}' cannot be read: {error}", file.name)));
                }
            }
        };
        given.push(GivenFile { file: file.clone(), content: content.into() });
    }
    Ok(Files::new(given))
}

/// The conversation to continue: as the last recorded step left it, else as the session had it.
fn conversation(assignment: &Assignment) -> Option<Value> {
    if assignment.has_lost_conversation() {
        return None;
    }
    let recorded = assignment.steps.iter().rev().find_map(|step| match &step.body {
        Body::Conversation { conversation, .. } => Some(conversation),
        Body::TurnAnswer { conversation, .. } => conversation.as_ref(),
        _ => None,
    });
    recorded.or(assignment.conversation.as_ref()).cloned()
}

/// The runner's own folder. Any other folder is refused.
fn project_dir(shared: &Shared, assignment: &Assignment) -> Result<PathBuf, String> {
    let own = &shared.profile().project_dir;
    match &assignment.project_dir {
        Some(other) if other != own => {
            Err(format!("the run requires the folder '{other}', but this runner works on '{own}'"))
        }
        _ => Ok(PathBuf::from(own)),
    }
}

/// The work in an open session.
struct Working<'a> {
    assignment: &'a Assignment,
    budget: &'a Budget,
    hold: &'a Arc<LeasedRun>,
    journal: Arc<Journal>,
    reporter: Reporter,
    reporting: JoinHandle<()>,
}

impl Working<'_> {
    /// What the work came to, and what is reported together with it.
    async fn driven(self, mut session: Box<dyn Session>) -> (Outcome, LastReport) {
        let Self { assignment, budget, hold, journal, reporter, reporting } = self;
        let outcome = drive(session.as_mut(), assignment, budget, &reporter, &journal).await;
        if timeout(TIME_TO_CLOSE, session.close()).await.is_err() {
            tracing::warn!(run_id = %hold.run_id, "the session did not close in time");
        }
        drop(journal);
        if hold.reason() == Some(Reason::Expired) && matches!(outcome.end, RunEnd::Stopped) {
            // Nothing came of it that would be offered.
            reporting.abort();
            return (outcome, LastReport::default());
        }
        let last = match outcome.end {
            // Whatever was not sent is sent when the reporter is dropped.
            RunEnd::Diverged(_) => LastReport::default(),
            _ => reporter.last().await,
        };
        drop(reporter);
        if let Err(error) = reporting.await {
            tracing::error!(run_id = %hold.run_id, %error, "reporting crashed");
        }
        (outcome, last)
    }
}
