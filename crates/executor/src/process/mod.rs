//! Procedural agents: a command computes the result from the parameters.
//!
//! The command runs once, in the project folder or in a folder inside it. Exit code 0 and stdout are an answer, which
//! is not judged here. Everything else is a failure with the exit status and the end of stderr.
//! Nothing that the command started outlives the turn.
//!
//! The command is the blueprint's, so it may see the variables of the runner, keys of providers among them. Accord's own
//! (`ACCORD_*`) it does not get.

mod parameters;
mod settings;
mod stderr_lines;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;
use tokio::process::Command;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::answer::{Answer, Usage};
use crate::child::{self, Capture, ChildEnd, Overflow, Plan, Variables};
use crate::event::{Channel, Event, Events};
use crate::program;
use crate::session::{Capabilities, Executor, OpenError, Session, TurnError, TurnFailure};
use crate::start::Start;
use crate::turn::Turn;

use parameters::Invocation;
use settings::Settings;
use stderr_lines::StderrLines;

/// As much as the judge reads of one answer.
const MAX_STDOUT_BYTES: usize = 8 * 1024 * 1024;

/// How much of stderr a failure shows: the last lines say why.
const STDERR_BYTES: usize = 4 * 1024;

/// Pieces of stderr that wait to become events.
const STDERR_PIECES: usize = 16;

#[derive(Debug, Clone)]
pub struct ProcessExecutor {
    variables: Arc<Variables>,
}

impl ProcessExecutor {
    /// Commands see these variables, without Accord's own, and those of their settings.
    pub fn new(variables: impl Into<Variables>) -> Self {
        Self { variables: Arc::new(variables.into().without_own()) }
    }
}

#[async_trait]
impl Executor for ProcessExecutor {
    async fn open(&self, start: Start) -> Result<Box<dyn Session>, OpenError> {
        let settings = Settings::read(&start.settings)?;
        if !start.tools.is_empty() {
            let text =
                "a process executor does not support tools; remove `tools` from the blueprint".to_owned();
            return Err(OpenError::Settings(text));
        }
        let given = parameters::pass(settings.parameters_as, &start.parameters)?;
        let folder = settings.folder(&start.project_dir)?;
        let variables = Arc::clone(&self.variables);
        Ok(Box::new(Process { settings, given: Some(given), folder, variables, stderr: String::new() }))
    }
}

struct Process {
    settings: Settings,
    /// The input of the command. Taken by the first turn: a command may have side effects, so it never runs twice.
    given: Option<Invocation>,
    folder: PathBuf,
    variables: Arc<Variables>,
    /// The end of its stderr, without the secrets that it was given.
    stderr: String,
}

#[async_trait]
impl Session for Process {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            endpoint: "process".to_owned(),
            // A command has no model.
            model: String::new(),
            native: None,
            tool: None,
            json_mode: false,
            native_beside_tools: false,
            reprompt: false,
            max_tokens: None,
            takes_ceiling: false,
            repeats: false,
            records_steps: false,
            takes_pdfs: true,
        }
    }

    async fn turn(
        &mut self,
        _turn: Turn,
        events: &Events,
        cancel: &CancellationToken,
    ) -> Result<Answer, TurnFailure> {
        let result = self.run(events, cancel).await;
        result.map_err(|error| TurnFailure { error, usage: Usage::default() })
    }

    fn conversation(&self) -> Option<Value> {
        None
    }

    fn said_beside(&self) -> Option<String> {
        let stderr = self.stderr.trim();
        (!stderr.is_empty()).then(|| format!("stderr: {stderr}"))
    }

    fn switch(&mut self, _settings: &Value) -> Result<(), OpenError> {
        Err(OpenError::OneProvider)
    }

    async fn close(self: Box<Self>) {}
}

impl Process {
    async fn run(&mut self, events: &Events, cancel: &CancellationToken) -> Result<Answer, TurnError> {
        let Some(given) = self.given.take() else {
            let text = "a process runs once and cannot be re-prompted; start another run".to_owned();
            return Err(TurnError::Failed(text));
        };
        let (heard, mut stderr) = mpsc::channel(STDERR_PIECES);
        let plan = Plan {
            heard: Some(heard),
            command: self.command(given.flags),
            input: given.stdin,
            stdout: Capture::new(MAX_STDOUT_BYTES, 0),
            stderr: Capture::new(0, STDERR_BYTES),
            overflow: Overflow::Kill,
            timeout: Duration::from_secs(self.settings.timeout_seconds),
            sandbox: None,
        };
        let running = child::run(plan, cancel);
        tokio::pin!(running);
        let mut lines = StderrLines::default();
        let finished = loop {
            tokio::select! {
                finished = &mut running => break finished,
                Some(bytes) = stderr.recv() => {
                    if let Some(text) = lines.take(&bytes) {
                        let text = self.variables.hide(text);
                        events.offer(Event::Partial { channel: Channel::Stderr, text });
                    }
                }
            }
        };
        let finished = finished.map_err(|error| self.not_started(&error))?;
        self.stderr = self.variables.hide(finished.stderr.text(|_| "…".to_owned()));
        match finished.end {
            ChildEnd::Exited(status) if status.success() => {
                let text = String::from_utf8(finished.stdout.into_bytes()).map_err(|error| {
                    let at = error.utf8_error().valid_up_to();
                    let ended = program::ended(status);
                    self.failed(&format!("{ended} and wrote invalid UTF-8 to stdout at byte {at}"))
                })?;
                Ok(Answer::of_text(text, ""))
            }
            ChildEnd::Exited(status) => Err(self.failed(&program::ended(status))),
            ChildEnd::TimedOut => Err(TurnError::TimedOut(self.settings.timeout_seconds)),
            ChildEnd::Stopped => Err(TurnError::Stopped),
            ChildEnd::OutputTooLarge => {
                let how = format!("wrote more than {} MiB to stdout", MAX_STDOUT_BYTES / 1024 / 1024);
                Err(self.failed(&how))
            }
        }
    }

    fn command(&self, flags: Vec<String>) -> Command {
        let mut command = Command::new(&self.settings.command);
        command.args(&self.settings.arguments).args(flags).current_dir(&self.folder);
        command.env_clear().envs(self.variables.iter());
        child::trace(&mut command);
        command.envs(&self.settings.env);
        command
    }

    fn failed(&self, how: &str) -> TurnError {
        TurnError::Failed(program::failed(&self.settings.command, how, &self.stderr))
    }

    fn not_started(&self, error: &io::Error) -> TurnError {
        let command = &self.settings.command;
        TurnError::Failed(match error.kind() {
            io::ErrorKind::ArgumentListTooLong => {
                format!("the arguments of '{command}' are too long: use `parameters_as: json`")
            }
            _ => program::not_started(command, error),
        })
    }
}
