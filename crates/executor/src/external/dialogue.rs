//! The exchange of messages with one process, independent of turns.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use tokio::process::Command;
use tokio::time::{Instant, timeout_at};

use super::memory::Memory;
use super::message::{self, Hello, PROTOCOL, ProgramMessage};
use super::settings::Settings;
use crate::child::{self, ChildOutput, Live, Variables};
use crate::program;
use crate::session::OpenError;
use crate::start::Start;

/// The longest line: the judge reads 8 MiB of an answer, and JSON writes some characters as two.
pub(super) const LONGEST_LINE: usize = 16 * 1024 * 1024;

/// How long a program may take to send hello: an interpreter on a busy machine takes some seconds.
pub(super) const HELLO_PATIENCE: Duration = Duration::from_secs(30);

/// How long a program may take to exit after `shutdown`, and again after SIGTERM.
pub(super) const END_PATIENCE: Duration = Duration::from_secs(2);

/// How long a program whose stdout is closed may take to exit, so that its exit code can be reported.
const EXIT_PATIENCE: Duration = Duration::from_secs(1);

/// How a program failed, in words that name it and show the end of its stderr. It cannot be used any more.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct ProgramFailure(String);

pub(super) struct Dialogue {
    command: String,
    session_id: String,
    timeout: Duration,
    live: Live,
    variables: Arc<Variables>,
}

impl Dialogue {
    /// Starts the program and says `start`.
    pub(super) async fn begin(
        settings: &Settings,
        start: &Start,
        memory: &Memory,
        variables: &Arc<Variables>,
    ) -> Result<Self, OpenError> {
        let mut command = Command::new(&settings.command);
        command.args(&settings.args).current_dir(settings.folder(&start.project_dir)?);
        command.env_clear().envs(variables.iter());
        child::trace(&mut command);
        command.envs(&settings.env);
        let live = Live::spawn(command, LONGEST_LINE)
            .await
            .map_err(|error| OpenError::Missing(program::not_started(&settings.command, &error)))?;
        let greeting = message::start(
            start,
            settings.timeout_seconds,
            memory.state.as_ref(),
            start.conversation.is_some(),
        );
        let dialogue = Self {
            command: settings.command.clone(),
            session_id: start.session_id.clone(),
            timeout: Duration::from_secs(settings.timeout_seconds),
            live,
            variables: Arc::clone(variables),
        };
        dialogue.send(greeting).await;
        Ok(dialogue)
    }

    /// Waits for `hello`, and no longer than a turn may take. A program that sends anything else first, or nothing, fails.
    pub(super) async fn hello(&mut self) -> Result<Hello, OpenError> {
        let deadline = Instant::now() + self.timeout.min(HELLO_PATIENCE);
        loop {
            let incoming = match timeout_at(deadline, self.next()).await {
                Ok(Ok(incoming)) => incoming,
                Ok(Err(ProgramFailure(message))) => return Err(OpenError::Missing(message)),
                Err(_) if self.timeout < HELLO_PATIENCE => {
                    return Err(OpenError::TimedOut(self.timeout.as_secs()));
                }
                Err(_) => {
                    let how = format!("did not send hello within {} seconds", HELLO_PATIENCE.as_secs());
                    return Err(OpenError::Missing(self.failed(&how).0));
                }
            };
            match incoming {
                ProgramMessage::Unknown => {}
                ProgramMessage::Hello(hello) if hello.protocol == PROTOCOL => return Ok(hello),
                ProgramMessage::Hello(hello) => {
                    let command = &self.command;
                    return Err(OpenError::Settings(format!(
                        "'{command}' uses protocol version {}, but this runner uses {PROTOCOL}",
                        hello.protocol
                    )));
                }
                ProgramMessage::ReportedError(error) => {
                    let command = &self.command;
                    return Err(OpenError::Missing(format!("'{command}' cannot start: {}", error.message)));
                }
                ProgramMessage::Event(_) | ProgramMessage::Usage(_) | ProgramMessage::Answer(_) => {
                    return Err(OpenError::Missing(self.failed("did not send hello first").0));
                }
            }
        }
    }

    /// Sends a line. If the program does not read any more, its next output says so.
    pub(super) async fn send(&self, line: String) {
        self.live.send_line(line).await.ok();
    }

    /// The next message of the program. Nothing is lost when this is dropped half-way.
    pub(super) async fn next(&mut self) -> Result<ProgramMessage, ProgramFailure> {
        match self.live.next_output().await {
            ChildOutput::Closed { unfinished } => {
                let (status, stderr) = self.live.last_words(EXIT_PATIENCE).await;
                let end = status.map_or_else(|| "closed its stdout".to_owned(), program::ended);
                let how = match unfinished.is_empty() {
                    true => format!("{end} without an answer"),
                    false => format!("{end} in the middle of a line"),
                };
                Err(self.failure_message(&how, &stderr))
            }
            output => self.parse_output(output),
        }
    }

    /// A message that has already arrived, if any.
    pub(super) fn buffered_message(&mut self) -> Option<Result<ProgramMessage, ProgramFailure>> {
        match self.live.next_output().now_or_never()? {
            ChildOutput::Closed { unfinished } if unfinished.trim().is_empty() => None,
            output => Some(self.parse_output(output)),
        }
    }

    fn parse_output(&self, output: ChildOutput) -> Result<ProgramMessage, ProgramFailure> {
        match output {
            ChildOutput::Line(line) if line.trim().is_empty() => Ok(ProgramMessage::Unknown),
            ChildOutput::Line(line) => match message::read(&line) {
                Ok(ProgramMessage::ReportedError(mut error)) => {
                    error.message = self.variables.hide(error.message);
                    Ok(ProgramMessage::ReportedError(error))
                }
                Ok(incoming) => Ok(incoming),
                Err(error) => Err(self.failed(&error.to_string())),
            },
            ChildOutput::Garbage => Err(self.failed("wrote invalid UTF-8 to stdout")),
            ChildOutput::TooLong => {
                let how = format!("wrote a line of more than {} MiB", LONGEST_LINE / 1024 / 1024);
                Err(self.failed(&how))
            }
            ChildOutput::Closed { .. } => Err(self.failed("ended in the middle of a line")),
        }
    }

    /// How the program failed, with the end of its stderr.
    pub(super) fn failed(&self, how: &str) -> ProgramFailure {
        self.failure_message(how, &self.live.stderr())
    }

    /// A program gets the variables of the runner, so secrets in its output are removed.
    fn failure_message(&self, how: &str, stderr: &str) -> ProgramFailure {
        ProgramFailure(self.variables.hide(program::failed(&self.command, how, stderr)))
    }

    /// Sends `shutdown`, and kills the process if it does not exit.
    pub(super) async fn end(self) {
        let word = message::shutdown(&self.session_id);
        self.send(word).await;
        self.live.end(END_PATIENCE).await;
    }

    /// Sends a last message and closes its stdin. Whether it exited by itself.
    pub(super) async fn end_with(mut self, word: Option<String>) -> bool {
        if let Some(word) = word {
            self.send(word).await;
        }
        self.live.hush();
        let ended = self.live.exit(END_PATIENCE).await.is_some();
        self.live.kill().await;
        ended
    }

    pub(super) async fn kill(self) {
        self.live.kill().await;
    }
}
