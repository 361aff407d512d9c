//! The reconcilers, and when each looks.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;

use crate::app::App;
use crate::app::quarantine::TEND_EVERY;
use crate::error::Error;
use crate::metrics;

/// After a failure: long enough for a database to come back, short enough not to be noticed.
const TRY_AGAIN: Duration = Duration::from_secs(2);

/// The end of a run wakes callbacks and workflows; this is for lost wake-ups, and for runs that are slow to stop.
const LOOK_EVERY: Duration = Duration::from_secs(5);

/// Reconcilers that are woken by the end of any run read at most this often: a busy coordinator finishes thousands in a second,
/// and one read sees all that is due.
const BETWEEN_LOOKS: Duration = Duration::from_millis(10);

/// All children in progress are looked at, and a moment more is not noticed.
const BETWEEN_LOOKS_AT_CHILDREN: Duration = Duration::from_millis(100);

/// Deadlines of people are hours long: a second more does not matter.
const DEADLINES_EVERY: Duration = Duration::from_secs(1);

/// Removed records are a day old, so an hour more or less does not matter.
const FORGET_EVERY: Duration = Duration::from_secs(60 * 60);

/// The last use of a key is asked for in days, and a write a minute costs nothing.
const KEY_USES_EVERY: Duration = Duration::from_secs(60);

/// A busy coordinator measures some ten thousand times meanwhile: a few hundred kilobytes.
const FIGURES_EVERY: Duration = Duration::from_secs(10);

/// The longest time after which a run without a matching runner fails, whatever its timeout.
const UNMATCHED_AT_MOST: Duration = Duration::from_secs(15);

/// And it is not looked for more often than this.
const UNMATCHED_AT_LEAST: Duration = Duration::from_millis(250);

/// Short, because a person waits for a command with an embedded runner.
const UNMATCHED_OF_ONE_RUNNER: Duration = Duration::from_secs(1);

/// A lease that ran out is taken back at most this late.
const REAP_AT_LEAST: Duration = Duration::from_millis(50);

pub(super) async fn reaper(app: Arc<App>) {
    while !app.closing.is_cancelled() {
        let wait = match reap(&app).await {
            Ok(left) => left.max(REAP_AT_LEAST),
            Err(error) => failed("reaper", &error),
        };
        rest(&app, wait).await;
    }
}

async fn reap(app: &App) -> Result<Duration, Error> {
    app.upkeep.reap().await?;
    app.upkeep.next_expiry().await
}

pub(super) async fn unmatched(app: Arc<App>) {
    let tenth = Duration::from_secs(app.settings.queue.match_timeout_seconds.into()) / 10;
    let every = match app.instance.serves_one_runner() {
        true => UNMATCHED_OF_ONE_RUNNER,
        false => tenth.clamp(UNMATCHED_AT_LEAST, UNMATCHED_AT_MOST),
    };
    let mut looked_at = app.outside.now();
    while !app.closing.is_cancelled() {
        let now = app.outside.now();
        // The machine was suspended, the process was stopped, or the store was away.
        if now.duration_since(looked_at).abs() > app.upkeep.longest_absence() {
            app.upkeep.presence.begin_anew(now);
        }
        let wait = match app.upkeep.fail_unmatched(now).await {
            Ok(()) => {
                looked_at = now;
                every
            }
            Err(error) => failed("unmatched", &error),
        };
        rest(&app, wait).await;
    }
}

pub(super) async fn callbacks(app: Arc<App>) {
    while !app.closing.is_cancelled() {
        let wait = after("callbacks", &app.callbacks.deliver_due().await, LOOK_EVERY);
        rest_until(&app, wait, app.hub.some_run_over()).await;
    }
}

pub(super) async fn orphans(app: Arc<App>) {
    while !app.closing.is_cancelled() {
        let wait = after("children", &app.runs.stop_orphans().await, LOOK_EVERY);
        rest(&app, BETWEEN_LOOKS_AT_CHILDREN).await;
        rest_until(&app, wait, app.hub.some_parent_over()).await;
    }
}

pub(super) async fn inputs(app: Arc<App>) {
    while !app.closing.is_cancelled() {
        let wait = after("inputs", &app.inputs.expire_due().await, DEADLINES_EVERY);
        rest(&app, wait).await;
    }
}

pub(super) async fn callers(app: Arc<App>) {
    while !app.closing.is_cancelled() {
        let stopped = app.front.stop_left_alone(&app.workflow_runs).await;
        let wait = after("callers", &stopped, DEADLINES_EVERY);
        rest(&app, wait).await;
    }
}

pub(super) async fn marks(app: Arc<App>) {
    while !app.closing.is_cancelled() {
        let wait = after("marks", &app.quarantine.tend_marks().await, TEND_EVERY);
        rest(&app, wait).await;
    }
}

pub(super) async fn workflows(app: Arc<App>) {
    while !app.closing.is_cancelled() {
        let wait = after("workflows", &app.workflow_runs.advance_due().await, LOOK_EVERY);
        rest_until(&app, wait, app.hub.some_workflow_due()).await;
    }
}

pub(super) async fn forget(app: Arc<App>) {
    while !app.closing.is_cancelled() {
        let wait = after("forget", &app.upkeep.forget().await, FORGET_EVERY);
        rest(&app, wait).await;
    }
}

pub(super) async fn key_uses(app: Arc<App>) {
    while !app.closing.is_cancelled() {
        rest(&app, KEY_USES_EVERY).await;
        // At the end too: what is not written then is lost.
        let _ = after("key uses", &app.keys.note_uses().await, KEY_USES_EVERY);
    }
}

pub(super) async fn figures(app: Arc<App>) {
    while !app.closing.is_cancelled() {
        metrics::upkeep();
        rest(&app, FIGURES_EVERY).await;
    }
}

async fn rest(app: &App, wait: Duration) {
    let _ = timeout(wait, app.closing.cancelled()).await;
}

/// Rests for this long, or until there may be something to do.
async fn rest_until(app: &App, wait: Duration, woken: impl Future<Output = ()>) {
    rest(app, BETWEEN_LOOKS).await;
    tokio::select! {
        _ = timeout(wait, woken) => {}
        () = app.closing.cancelled() => {}
    }
}

fn after(reconciler: &str, looked: &Result<(), Error>, every: Duration) -> Duration {
    match looked {
        Ok(()) => every,
        Err(error) => failed(reconciler, error),
    }
}

fn failed(reconciler: &str, error: &Error) -> Duration {
    tracing::warn!(reconciler, cause = error.cause(), "a reconciler failed; will retry");
    TRY_AGAIN
}
