//! Following a run until it is finished.
//!
//! Every event is passed on once, in order, with an error for each one that cannot be read. Signals
//! and the time limit apply. The client restores lost connections; if the coordinator does not come
//! back, following ends instead of waiting forever.

use std::time::Duration;

use accord_api::{EventId, EventView, RunId, RunStatus, RunView};
use accord_client::{Client, ClientError, EventFilter};
use futures_util::StreamExt as _;
use serde::Serialize;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, sleep_until, timeout};

use crate::exit::Exit;
use crate::failure::{Failure, Problem};
use crate::runtime;
use crate::view::event;

/// How long to wait for a run to stop after it was asked to.
pub(crate) const STOP_PATIENCE: Duration = Duration::from_secs(15);

/// How often the coordinator is pinged, and how long it may take to answer.
const CHECK_EVERY: Duration = Duration::from_secs(3);

/// A coordinator that restarts is back by then; one that is not has gone.
const GONE_AFTER: Duration = Duration::from_secs(10);

/// A hundred years: as good as no limit, and it does not overflow the clock.
const LONGEST_LIMIT: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);

/// What Ctrl-C means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OnSignal {
    /// The run is ours: stop it, and wait until it has. The second signal does not wait.
    Stop,
    /// We only look: go, and leave the run alone.
    Leave,
}

/// What made us stop following. The names are part of the API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Interruption {
    /// Ctrl-C, or a friend of it.
    Signal,
    /// Our own time limit.
    Timeout,
}

/// An event, or why it cannot be read.
pub(crate) type Seen<'a> = Result<&'a EventView, &'a ClientError>;

/// How the following ended.
#[derive(Debug)]
pub(crate) struct Ending {
    /// The run's current state.
    pub(crate) run: RunView,
    /// What came before the end of the run, if something did.
    pub(crate) interruption: Option<Interruption>,
}

impl Ending {
    /// The exit code. A run that completed has a result, whatever else happened.
    pub(crate) fn exit(&self) -> Exit {
        if self.interruption.is_some() && self.run.status != RunStatus::Completed {
            return Exit::Stopped;
        }
        Exit::of_run(&self.run)
    }
}

/// Follows one run. It listens for signals from its creation on, so that a run created afterwards is always stopped.
pub(crate) struct Follower<'a> {
    client: &'a Client,
    signals: mpsc::UnboundedReceiver<()>,
    on_signal: OnSignal,
    time_limit: Option<Duration>,
}

impl<'a> Follower<'a> {
    pub(crate) fn new(client: &'a Client, on_signal: OnSignal) -> Result<Self, Failure> {
        Ok(Self { client, signals: runtime::signals()?, on_signal, time_limit: None })
    }

    /// Stops the run after this time.
    pub(crate) fn time_limit(self, time_limit: Option<Duration>) -> Self {
        Self { time_limit, ..self }
    }

    /// Passes on every event of a run from the first, and returns the finished run.
    pub(crate) async fn follow(
        mut self,
        run_id: &RunId,
        mut seen: impl FnMut(Seen<'_>) -> Result<(), Failure>,
    ) -> Result<Ending, Failure> {
        let client = self.client;
        let filter = EventFilter { run_id: Some(run_id.clone()), ..EventFilter::default() };
        let mut events = client.events(&filter, Some(EventId::default()));
        let mut gone = std::pin::pin!(gone(client));
        let mut limit = deadline(self.time_limit);
        let mut interruption = None;
        loop {
            let interrupted = tokio::select! {
                item = events.next() => match item {
                    Some(Ok(event)) => {
                        seen(Ok(&event))?;
                        if event::ends(&event.body) { break }
                        continue
                    }
                    // An event of a newer coordinator, or too large a one: what matters comes at the end.
                    Some(Err(error @ ClientError::Unreadable { .. })) => {
                        seen(Err(&error))?;
                        continue
                    }
                    Some(Err(error)) => return Err(error.into()),
                    None => return Err(ended_early(run_id)),
                },
                Some(()) = self.signals.recv() => Interruption::Signal,
                () = until(limit) => Interruption::Timeout,
                cause = &mut gone => return Err(vanished(client, run_id, &cause)),
            };
            let leaves = interrupted == Interruption::Signal && self.on_signal == OnSignal::Leave;
            if interruption.is_some() || leaves {
                interruption.get_or_insert(interrupted);
                break;
            }
            interruption = Some(interrupted);
            limit = Some(Instant::now() + STOP_PATIENCE);
            client.stop_run(run_id).await?;
        }
        Ok(Ending { run: client.run(run_id).await?, interruption })
    }
}

/// A time limit as it is written on the command line.
pub(crate) fn seconds(text: &str) -> Result<u64, String> {
    let seconds = text.parse::<u64>().ok().filter(|seconds| *seconds > 0);
    seconds.ok_or_else(|| "expected an integer number of seconds, 1 or more".to_owned())
}

/// The deadline of a time limit that starts now; `None` if it is too far away for the clock.
pub(crate) fn deadline(time_limit: Option<Duration>) -> Option<Instant> {
    let limit = time_limit.filter(|limit| *limit <= LONGEST_LIMIT)?;
    Instant::now().checked_add(limit)
}

/// Waits until then; forever if there is no deadline.
pub(crate) async fn until(limit: Option<Instant>) {
    match limit {
        Some(at) => sleep_until(at).await,
        None => std::future::pending().await,
    }
}

/// Ends when the coordinator has not answered for too long, with the reason.
pub(crate) async fn gone(client: &Client) -> String {
    let mut missing_since = None;
    loop {
        sleep(CHECK_EVERY).await;
        let cause = match timeout(CHECK_EVERY, client.health()).await {
            Ok(Ok(_)) => {
                missing_since = None;
                continue;
            }
            Ok(Err(error)) => error.to_string(),
            Err(_) => format!("the coordinator at {} does not respond", client.base_url()),
        };
        let since = *missing_since.get_or_insert_with(Instant::now);
        if since.elapsed() + CHECK_EVERY > GONE_AFTER {
            return cause;
        }
    }
}

fn vanished(client: &Client, run_id: &RunId, cause: &str) -> Failure {
    let url = client.base_url().trim_end_matches('/');
    let hint = format!(
        "the run is saved; when the coordinator is back, run `accord runs watch {run_id} --coordinator {url}`"
    );
    Failure::Remote(Problem::new(format!("{run_id} has not finished, but {cause}")).hint(hint))
}

fn ended_early(run_id: &RunId) -> Failure {
    Failure::Remote(Problem::new(format!("the event stream of {run_id} ended before the run finished")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_limit_is_at_least_a_second() {
        assert_eq!(seconds("1"), Ok(1));
        for text in ["0", "-1", "1.5", "", "x"] {
            assert_eq!(
                seconds(text),
                Err("expected an integer number of seconds, 1 or more".to_owned()),
                "{text}"
            );
        }
    }

    #[tokio::test]
    async fn a_limit_beyond_the_clock_is_no_deadline() {
        assert_eq!(deadline(None), None);
        for limit in [Duration::from_secs(1), LONGEST_LIMIT] {
            let before = Instant::now();
            let deadline = deadline(Some(limit)).unwrap();
            assert!((before + limit..=Instant::now() + limit).contains(&deadline), "{limit:?}");
        }
        for seconds in [u64::MAX, i64::MAX.unsigned_abs(), LONGEST_LIMIT.as_secs() + 1] {
            assert_eq!(deadline(Some(Duration::from_secs(seconds))), None, "{seconds}");
        }
    }
}
