//! Following a run to its end, with progress on a terminal.

use std::io::IsTerminal as _;
use std::time::{Duration, Instant};

use accord_api::attempt::Outcome;
use accord_api::{Attempt, EventBody, EventId, RunId, RunView, Usage};
use accord_client::{Client, EventFilter};
use futures_util::StreamExt as _;
use indicatif::{ProgressBar, ProgressStyle};
use owo_colors::OwoColorize as _;

use crate::excerpt::visible;
use crate::failure::Failure;
use crate::output;
use crate::runtime;

/// How often the elapsed time moves on a terminal.
const TICK: Duration = Duration::from_millis(120);

/// How long a run that was told to stop may take to do so before we go.
const STOP_PATIENCE: Duration = Duration::from_secs(15);

/// How a run ended.
pub(crate) struct Ending {
    /// The run.
    pub(crate) run: RunView,
    /// Its answers.
    pub(crate) attempts: Vec<Attempt>,
    /// Whether our own time limit ended it.
    pub(crate) timed_out: bool,
}

/// Waits for a run's end. A signal or the time limit stops the run first.
pub(crate) async fn follow(
    client: &Client,
    run_id: &RunId,
    agent: &str,
    timeout: Option<Duration>,
) -> Result<Ending, Failure> {
    let mut signals = runtime::signals()?;
    let mut progress = Progress::new(agent);
    let filter = EventFilter { run_id: Some(run_id.clone()), ..EventFilter::default() };
    let mut events = client.events(&filter, Some(EventId::default()));
    let deadline = timeout.map(|timeout| tokio::time::Instant::now() + timeout);
    let mut give_up = deadline;
    let (mut told, mut timed_out) = (false, false);
    loop {
        let wait = async {
            match give_up {
                Some(at) => tokio::time::sleep_until(at).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            event = events.next() => match event {
                Some(Ok(event)) => {
                    if progress.tell(&event.body) { break }
                }
                Some(Err(error)) => return Err(error.into()),
                None => break,
            },
            Some(()) = signals.recv(), if !told => {
                told = true;
                give_up = Some(tokio::time::Instant::now() + STOP_PATIENCE);
                client.stop_run(run_id).await?;
            }
            () = wait => {
                if told { break }
                (told, timed_out) = (true, true);
                give_up = Some(tokio::time::Instant::now() + STOP_PATIENCE);
                client.stop_run(run_id).await?;
            }
        }
    }
    progress.end();
    let run = client.run(run_id).await?;
    let attempts = client.attempts(run_id).await?.items;
    Ok(Ending { run, attempts, timed_out })
}

/// What a person sees while it lasts. In a pipe: nothing.
struct Progress {
    bar: Option<ProgressBar>,
    agent: String,
    step: String,
    used: Usage,
    since: Instant,
}

impl Progress {
    fn new(agent: &str) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let style = ProgressStyle::with_template("{spinner} {msg} {elapsed}");
            let bar = ProgressBar::new_spinner();
            if let Ok(style) = style {
                bar.set_style(style);
            }
            bar.enable_steady_tick(TICK);
            bar
        });
        let agent = visible(agent).to_string();
        let progress = Self {
            bar,
            agent,
            step: "waits for a runner".to_owned(),
            used: Usage::default(),
            since: Instant::now(),
        };
        progress.show();
        progress
    }

    /// Shows what happened; true when the run is over.
    fn tell(&mut self, event: &EventBody) -> bool {
        match event {
            EventBody::RunQueued { .. } => self.step = "waits for a runner".to_owned(),
            EventBody::RunClaimed { .. } | EventBody::RunStarted => self.step = "attempt 1".to_owned(),
            EventBody::ToolStarted { name, .. } => self.step = format!("uses {}", visible(name)),
            EventBody::AttemptJudged { attempt } => {
                self.used.input_tokens += attempt.usage.input_tokens;
                self.used.output_tokens += attempt.usage.output_tokens;
                self.step = format!("attempt {}", attempt.number + 1);
                self.line(&verdict(attempt));
            }
            EventBody::RunCompleted | EventBody::RunFailed { .. } | EventBody::RunStopped => return true,
            _ => {}
        }
        self.show();
        false
    }

    fn show(&self) {
        if let Some(bar) = &self.bar {
            let tokens = self.used.input_tokens + self.used.output_tokens;
            let tokens = if tokens == 0 { String::new() } else { format!(" · {tokens} tokens") };
            bar.set_message(format!("{} · {}{tokens} ·", self.agent, self.step));
        }
    }

    fn line(&self, text: &str) {
        if let Some(bar) = &self.bar {
            bar.suspend(|| output::talk(text));
        }
    }

    fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
            let seconds = self.since.elapsed().as_secs_f64();
            output::talk(&format!("{} {seconds:.1} s\n", "done in".dimmed()));
        }
    }
}

/// One attempt in a few lines: the verdict, and each error where it is not accepted.
pub(crate) fn verdict(attempt: &Attempt) -> String {
    let head = format!("attempt {} ({:?}, {})", attempt.number, attempt.strategy, visible(&attempt.model));
    let head = head.to_lowercase();
    if attempt.outcome == Outcome::Accepted {
        let repaired = if attempt.repairs.is_empty() { "" } else { ", repaired" };
        return format!("{} {head}: accepted{repaired}\n", "✓".green());
    }
    let mut text = format!("{} {head}: {}\n", "✗".red(), attempt.outcome);
    for error in &attempt.errors {
        text.push_str(&format!("  {}\n", visible(&error.to_string())));
    }
    text
}
