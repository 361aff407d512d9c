//! A conversation with Codex: the right process for each turn, and an end in every case.

use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::answer::Answer;
use crate::event::Events;
use crate::session::{Capabilities, OpenError, Session, TurnError, TurnFailure};
use crate::turn::{Delivery, Turn};

use super::super::bounded;
use super::super::instructions::{hash, prompt_with_changes, prompt_with_instructions};
use super::super::transcript::Transcript;
use super::conversation::{Conversation, Totals};
use super::exec::Exec;
use super::launcher::{Launcher, PROFILE};
use super::live::{Interruption, Server, StartError};
use super::outcome;

/// How long it may take to interrupt a turn, before the process is killed.
const TIME_TO_INTERRUPT: Duration = Duration::from_secs(3);

/// How long it may take to exit, when its stdin is closed and again after a signal. It ends at once.
const TIME_TO_END: Duration = Duration::from_secs(3);

pub(super) enum Backend {
    /// By its app server, which may have to be started again.
    Live(Option<Box<Server>>),
    /// By a process for each turn: the one at work.
    Exec(Option<Box<Exec>>),
}

impl Backend {
    /// The app server, if it greets.
    pub(super) async fn choose(launcher: &Launcher) -> Result<Self, OpenError> {
        match Server::start(launcher).await {
            Ok(server) => Ok(Self::Live(Some(Box::new(server)))),
            Err(StartError::Unknown(_)) if launcher.context.desk.is_open() => Err(OpenError::Missing(
                "`approve` needs a Codex with an app server: install a newer version, or remove `approve`"
                    .to_owned(),
            )),
            Err(StartError::Unknown(reason)) => {
                let reason = launcher.context.redactor.text(&reason);
                tracing::info!(reason, "Codex has no usable app server; each turn is a separate process");
                Ok(Self::Exec(None))
            }
            Err(StartError::Silent) => {
                Err(OpenError::Missing("Codex was started but did not respond within a minute".to_owned()))
            }
        }
    }
}

pub(super) struct Codex {
    launcher: Launcher,
    conversation: Option<Conversation>,
    backend: Backend,
}

impl Codex {
    pub(super) fn new(launcher: Launcher, conversation: Option<Conversation>, backend: Backend) -> Self {
        Self { launcher, conversation, backend }
    }

    fn totals(&self) -> Totals {
        self.conversation.as_ref().map(|conversation| conversation.totals).unwrap_or_default()
    }

    /// One turn, without an end of its own.
    async fn ask(&mut self, turn: Turn, events: &Events) -> Result<Answer, TurnError> {
        match &self.backend {
            Backend::Live(_) => match self.ask_live(&turn, events).await {
                Ok(answer) => Ok(answer),
                Err(Interruption::Turn(error)) => Err(error),
                Err(Interruption::Process(error)) => {
                    self.kill().await;
                    Err(error)
                }
            },
            Backend::Exec(_) => {
                let asked = self.ask_exec(&turn, events).await;
                self.kill().await;
                asked
            }
        }
    }

    async fn ask_live(&mut self, turn: &Turn, events: &Events) -> Result<Answer, Interruption> {
        let Self { launcher, conversation, backend } = self;
        let Backend::Live(running) = backend else { return Err(Interruption::Turn(nothing_runs())) };
        if let Some(server) = running
            && !server.fits(&turn.delivery).await
            && let Some(server) = running.take()
        {
            server.live.end(TIME_TO_END).await;
        }
        if running.is_none() {
            *running = Some(Box::new(Server::start(launcher).await.map_err(again)?));
        }
        let Some(server) = running else { return Err(Interruption::Turn(nothing_runs())) };
        let is_new = conversation.is_none();
        let opened = server.open(launcher, turn, conversation).await;
        let Some(conversation) = conversation else {
            return opened.and(Err(Interruption::Turn(nothing_runs())));
        };
        opened?;
        let prompt = match is_new {
            true => turn.prompt.clone(),
            false => prompt_with_changes(&mut conversation.told, turn),
        };
        let mut transcript = Transcript::default();
        let end = server.ask(launcher, turn, &prompt, conversation, &mut transcript, events).await;
        let end = match end {
            Err(Interruption::Turn(error @ TurnError::TooManySteps(_))) => {
                let ending = server.interrupt(launcher, conversation);
                timeout(TIME_TO_INTERRUPT, ending).await.ok();
                return Err(Interruption::Process(error));
            }
            end => end?,
        };
        let submissions = server.submissions().await.map_err(Interruption::Process)?;
        let with_schema = matches!(turn.delivery, Delivery::Native { .. });
        outcome::answer(end, transcript, submissions, with_schema, server.model(turn))
            .map_err(Interruption::Turn)
    }

    async fn ask_exec(&mut self, turn: &Turn, events: &Events) -> Result<Answer, TurnError> {
        let Self { launcher, conversation, backend } = self;
        let Backend::Exec(running) = backend else { return Err(nothing_runs()) };
        let past = conversation.as_ref().map(|conversation| conversation.thread_id.clone());
        // There is no field for instructions here, so they are part of the message.
        let prompt = match conversation {
            Some(conversation) => prompt_with_changes(&mut conversation.told, turn),
            None => prompt_with_instructions(turn),
        };
        let exec = running.insert(Box::new(Exec::start(launcher, turn, &prompt, past.as_deref()).await?));
        let mut transcript = Transcript::default();
        let told = hash(&turn.system_prompt);
        let end = exec.listen(launcher, &told, conversation, &mut transcript, events).await?;
        let submissions = exec.submissions().await?;
        let with_schema = matches!(turn.delivery, Delivery::Native { .. });
        let model = launcher.context.model(turn).unwrap_or("default").to_owned();
        outcome::answer(end, transcript, submissions, with_schema, model)
    }

    /// Asks Codex to end its turn, so that its thread is whole, and ends it.
    async fn interrupt(&mut self) {
        match &mut self.backend {
            Backend::Live(running) => {
                if let Some(mut server) = running.take() {
                    if let Some(conversation) = &mut self.conversation {
                        let ending = server.interrupt(&self.launcher, conversation);
                        timeout(TIME_TO_INTERRUPT, ending).await.ok();
                    }
                    server.live.end(TIME_TO_END).await;
                }
            }
            Backend::Exec(running) => {
                if let Some(exec) = running.take() {
                    exec.interrupt().await;
                }
            }
        }
    }

    async fn kill(&mut self) {
        match &mut self.backend {
            Backend::Live(running) => {
                if let Some(server) = running.take() {
                    server.live.kill().await;
                }
            }
            Backend::Exec(running) => {
                if let Some(exec) = running.take() {
                    exec.live.kill().await;
                }
            }
        }
    }
}

#[async_trait]
impl Session for Codex {
    fn capabilities(&self) -> Capabilities {
        self.launcher.context.capabilities(self.launcher.endpoint(), PROFILE)
    }

    async fn turn(
        &mut self,
        turn: Turn,
        events: &Events,
        cancel: &CancellationToken,
    ) -> Result<Answer, TurnFailure> {
        let before = self.totals();
        let seconds = self.launcher.context.settings.timeout_seconds;
        let asked = bounded(seconds, cancel, self.ask(turn, events)).await;
        if matches!(asked, Err(TurnError::Stopped | TurnError::TimedOut(_) | TurnError::InputRequired)) {
            self.interrupt().await;
        }
        let usage = self.totals().since(before);
        self.launcher.context.settled(asked, usage)
    }

    fn conversation(&self) -> Option<Value> {
        self.conversation.as_ref().filter(|conversation| conversation.begun).map(Conversation::write)
    }

    fn switch(&mut self, _settings: &Value) -> Result<(), OpenError> {
        Err(OpenError::OneProvider)
    }

    async fn close(mut self: Box<Self>) {
        if let Backend::Live(running) = &mut self.backend
            && let Some(server) = running.take()
        {
            server.live.end(TIME_TO_END).await;
        }
        self.kill().await;
    }
}

fn again(error: StartError) -> Interruption {
    let text = match error {
        StartError::Unknown(reason) => format!("Codex could not be restarted: {reason}"),
        StartError::Silent => "Codex was restarted but did not respond within a minute".to_owned(),
    };
    Interruption::Process(TurnError::Failed(text))
}

fn nothing_runs() -> TurnError {
    TurnError::Failed("Codex is not running".to_owned())
}
