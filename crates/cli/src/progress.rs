//! Progress of a run on stderr: the step, the tokens, the time, and each verdict. In a pipe, only
//! obstacles that block the run are printed.

use std::fmt;
use std::io::IsTerminal as _;
use std::time::Duration;

use accord_api::attempt::Outcome;
use accord_api::{EventBody, RunView, Usage};
use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use owo_colors::OwoColorize as _;

use crate::follow::Seen;
use crate::open_inputs::Screen;
use crate::output;
use crate::view::text::{self, Times, line};
use crate::view::{attempt, event, run};

/// How often the elapsed time moves.
const TICK: Duration = Duration::from_millis(120);

/// How much of an unfinished line of output is at the bottom, so that it stays one line.
const OUTPUT_CHARACTERS: usize = 40;

/// The line at the bottom, and the lines above it.
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    agent: String,
    step: String,
    used: Usage,
    /// The line of unvalidated output that is being written.
    output: String,
}

/// A line that moves, with the time that has gone by; only where a person looks.
pub(crate) fn spinner() -> Option<ProgressBar> {
    std::io::stderr().is_terminal().then(|| {
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner:.cyan} {msg} {elapsed:.dim}") {
            bar.set_style(style.tick_chars("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏ "));
        }
        bar.enable_steady_tick(TICK);
        bar
    })
}

/// A progress bar with the rate and the remaining time; only on a terminal.
pub(crate) fn bar(total: u64) -> Option<ProgressBar> {
    std::io::stderr().is_terminal().then(|| {
        let bar = ProgressBar::new(total);
        let template = "{bar:30.cyan/dim} {human_pos}/{human_len} {msg} {rate:.dim}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            let rate = |state: &ProgressState, out: &mut dyn fmt::Write| {
                // A failure to draw the bar is ignored. How long the rest takes is unknown before something has finished.
                let _ = match state.pos() {
                    0 => write!(out, "{} so far", text::duration(milliseconds(state.elapsed()))),
                    _ => write!(out, "{:.1}/s, {} left", state.per_sec(), HumanDuration(state.eta())),
                };
            };
            bar.set_style(style.with_key("rate", rate));
        }
        bar.enable_steady_tick(TICK);
        bar
    })
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// The bottom line, if there is one.
pub(crate) struct Bottom(Option<ProgressBar>);

impl Screen for Bottom {
    fn say(&self, text: &str) {
        match &self.0 {
            Some(bar) => bar.suspend(|| output::message(text)),
            None => output::message(text),
        }
    }

    fn draw_to(&self, target: ProgressDrawTarget) {
        if let Some(bar) = &self.0 {
            bar.set_draw_target(target);
        }
    }
}

impl Progress {
    pub(crate) fn new() -> Self {
        let bar = spinner();
        let step = "waiting for a runner".to_owned();
        let progress =
            Self { bar, agent: String::new(), step, used: Usage::default(), output: String::new() };
        progress.show();
        progress
    }

    /// Shows what happened.
    pub(crate) fn tell(&mut self, event: Seen<'_>) {
        let event = match event {
            Ok(event) => event,
            Err(error) => return self.line(&event::unread(error)),
        };
        match &event.body {
            EventBody::RunQueued { agent_name, reason } => {
                self.agent = format!("{} · ", line(agent_name));
                self.step = "waiting for a runner".to_owned();
                if let Some(reason) = reason {
                    self.line(&format!("queued again: {}\n", line(reason)));
                }
            }
            EventBody::RunClaimed { .. } | EventBody::RunStarted => self.step = "attempt 1".to_owned(),
            EventBody::OutputDelta { text, .. } => self.output(text),
            // It repeats in full what was shown in parts.
            EventBody::Message { .. } => self.output.clear(),
            EventBody::ToolStarted { name, .. } => self.step = format!("using {}", line(name)),
            EventBody::RequestRepeated { .. } => {
                self.step = "waiting for the provider".to_owned();
                (self.above())(&format!("{}\n", event::repeated(&event.body)));
            }
            EventBody::RunWaiting { children, until } => {
                self.step = format!("waiting {}", event::waited_for(children.len(), *until));
            }
            // Which requests, `open_inputs` tells: also those of the sessions that the run started.
            EventBody::RunInputRequired { .. } => self.step = "waiting for a person".to_owned(),
            EventBody::AttemptJudged { attempt } if attempt.outcome == Outcome::Waiting => {
                self.used.input_tokens += attempt.usage.input_tokens;
                self.used.output_tokens += attempt.usage.output_tokens;
            }
            EventBody::AttemptJudged { attempt } => {
                self.used.input_tokens += attempt.usage.input_tokens;
                self.used.output_tokens += attempt.usage.output_tokens;
                let accepted = attempt.outcome == Outcome::Accepted;
                self.step = match accepted {
                    true => "saving the result".to_owned(),
                    // Whether another follows, only the runner knows.
                    false => format!("attempt {} rejected", attempt.number),
                };
                let mark = if accepted { "✓".green().to_string() } else { "✗".red().to_string() };
                let findings = attempt::findings(attempt, "    ");
                self.line(&format!("{mark} {}\n{findings}", attempt::head(attempt)));
            }
            _ => {}
        }
        self.show();
    }

    /// Removes the bottom line and reports how the run ended.
    pub(crate) fn end(self, run: &RunView) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
            output::message(&run::end(run, &Times::here()));
        }
    }

    /// Prints above the bottom line, or normally if there is none.
    pub(crate) fn above(&self) -> impl Fn(&str) + use<> {
        let bottom = self.bottom();
        move |text| bottom.say(text)
    }

    /// The bottom line, for questions to the person at the terminal.
    pub(crate) fn bottom(&self) -> Bottom {
        Bottom(self.bar.clone())
    }

    /// Shows unvalidated output: whole lines above, the rest in the bottom line.
    fn output(&mut self, text: &str) {
        self.output.push_str(text);
        let (lines, rest) = match self.output.rsplit_once('\n') {
            Some((lines, rest)) => (lines.to_owned(), rest.to_owned()),
            None => (String::new(), std::mem::take(&mut self.output)),
        };
        self.output = rest;
        for each in lines.lines() {
            self.line(&format!("{}\n", format!("│ {}", line(each)).dimmed()));
        }
    }

    fn show(&self) {
        if let Some(bar) = &self.bar {
            let used = text::usage(&self.used);
            let used = if used.is_empty() { used } else { format!(" · {used}") };
            let output = match tail(&self.output) {
                output if output.is_empty() => output,
                output => format!(" {}", output.dimmed()),
            };
            bar.set_message(format!("{}{}{used} ·{output}", self.agent, self.step));
        }
    }

    fn line(&self, text: &str) {
        if let Some(bar) = &self.bar {
            bar.suspend(|| output::message(text));
        }
    }
}

/// The end of a text, in one line.
fn tail(text: &str) -> String {
    let text = line(text.trim_end());
    let skipped = text.chars().count().saturating_sub(OUTPUT_CHARACTERS);
    text.chars().skip(skipped).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_is_shown_line_by_line() {
        let mut progress = Progress {
            bar: None,
            agent: String::new(),
            step: String::new(),
            used: Usage::default(),
            output: String::new(),
        };
        progress.output("one\ntwo");
        assert_eq!(progress.output, "two");
        progress.output(" and\nthree");
        assert_eq!(tail(&progress.output), "three");
        assert_eq!(tail(&"x".repeat(100)).len(), OUTPUT_CHARACTERS);
        assert_eq!(tail("a\u{1b}[2Jb"), "a\\u{1b}[2Jb");
    }
}
