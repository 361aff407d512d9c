//! A conversation with an ACP agent: the right process for each turn, and an end in every case.

use std::path::Path;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::answer::{Answer, Usage};
use crate::event::Events;
use crate::session::{Capabilities, OpenError, Session, TurnError, TurnFailure};
use crate::turn::Turn;

use super::super::instructions::prompt_with_changes;
use super::super::{ACP, bounded};
use super::agent::{Agent, Interruption};
use super::conversation::Conversation;
use super::updates::Updates;
use super::{Launcher, outcome};

/// The lowering profile of the submit tool: nobody knows whose model is behind an agent, and this one keeps the most.
const PROFILE: &str = "claude-code";

/// How long it may take to cancel a turn, before the process is ended.
const TIME_TO_CANCEL: Duration = Duration::from_secs(3);

/// How long it may take to exit, when its stdin is closed and again after a signal.
const TIME_TO_END: Duration = Duration::from_secs(2);

pub(super) struct AcpSession {
    launcher: Launcher,
    conversation: Option<Conversation>,
    running: Option<Box<Agent>>,
    used: Usage,
}

impl AcpSession {
    pub(super) fn new(launcher: Launcher, conversation: Option<Conversation>) -> Self {
        Self { launcher, conversation, running: None, used: Usage::default() }
    }

    /// One turn, without an end of its own.
    async fn ask(&mut self, turn: Turn, updates: &mut Updates, events: &Events) -> Result<Answer, TurnError> {
        match self.converse(&turn, updates, events).await {
            Ok(answer) => Ok(answer),
            Err(Interruption::Turn(error)) => Err(error),
            Err(Interruption::Process(error)) => {
                self.kill().await;
                Err(error)
            }
        }
    }

    async fn converse(
        &mut self,
        turn: &Turn,
        updates: &mut Updates,
        events: &Events,
    ) -> Result<Answer, Interruption> {
        self.make_ready(turn).await?;
        let Self { launcher, conversation, running, used } = self;
        let (Some(agent), Some(conversation)) = (running, conversation) else {
            return Err(Interruption::Turn(TurnError::Failed(format!("{} is not running", ACP.title))));
        };
        agent.choose_model(launcher.context.model(turn)).await?;
        let prompt = prompt_with_changes(&mut conversation.told, turn);
        let end = agent.ask(launcher, prompt, conversation, updates, events).await?;
        used.add(end.usage);
        let submissions = agent.submissions().await.map_err(Interruption::Process)?;
        let transcript = updates.end(events, &launcher.context.redactor).await;
        outcome::answer(end.reason, transcript, submissions, launcher.context.max_steps, agent.model())
            .map_err(Interruption::Turn)
    }

    /// The running agent with its session, if that can take the turn, else a new one that resumes the conversation.
    async fn make_ready(&mut self, turn: &Turn) -> Result<(), Interruption> {
        let Self { launcher, conversation, running, .. } = self;
        if let Some(agent) = running {
            let is_alive = agent.is_alive().await;
            let offers = agent.offers(&turn.delivery);
            if is_alive && !offers && !agent.can_resume() {
                let text = format!("{} cannot reopen its session with another submit tool", ACP.title);
                return Err(Interruption::Turn(TurnError::ToolRejected(text)));
            }
            if !(is_alive && offers)
                && let Some(agent) = running.take()
            {
                agent.live.end(TIME_TO_END).await;
            }
        }
        if running.is_none() {
            *running = Some(Box::new(Agent::start(launcher).await?));
        }
        match running {
            Some(agent) => agent.open(launcher, turn, conversation).await,
            None => Ok(()),
        }
    }

    /// Asks the agent to end its turn, so that its session is whole, and ends it.
    async fn cancel(&mut self) {
        if let Some(mut agent) = self.running.take() {
            let used = timeout(TIME_TO_CANCEL, agent.cancel()).await.unwrap_or_default();
            self.used.add(used);
            agent.live.end(TIME_TO_END).await;
        }
    }

    async fn kill(&mut self) {
        if let Some(agent) = self.running.take() {
            agent.live.kill().await;
        }
    }

    /// Counts what the session has cost since the last time, where the agent told.
    fn count_cost(&mut self, total: Option<f64>) {
        if let (Some(total), Some(conversation)) = (total, &mut self.conversation) {
            let cost_usd = Some(conversation.spent(total));
            self.used.add(Usage { cost_usd, ..Usage::default() });
        }
    }
}

#[async_trait]
impl Session for AcpSession {
    fn capabilities(&self) -> Capabilities {
        let context = &self.launcher.context;
        let command = context.settings.command.as_deref().unwrap_or_default();
        let name = Path::new(command).file_name().unwrap_or_default().to_string_lossy();
        Capabilities { native: None, ..context.capabilities(format!("acp {name}"), PROFILE) }
    }

    async fn turn(
        &mut self,
        turn: Turn,
        events: &Events,
        cancel: &CancellationToken,
    ) -> Result<Answer, TurnFailure> {
        let before = self.used;
        let mut updates = Updates::default();
        let seconds = self.launcher.context.settings.timeout_seconds;
        let asked = bounded(seconds, cancel, self.ask(turn, &mut updates, events)).await;
        let is_ended = matches!(
            asked,
            Err(TurnError::Stopped
                | TurnError::TimedOut(_)
                | TurnError::TooManySteps(_)
                | TurnError::InputRequired)
        );
        if is_ended {
            self.cancel().await;
        }
        self.count_cost(updates.cost_usd);
        let usage = self.used.since(before);
        self.launcher.context.settled(asked, usage)
    }

    fn conversation(&self) -> Option<Value> {
        self.conversation.as_ref().filter(|conversation| conversation.begun).map(Conversation::write)
    }

    fn switch(&mut self, _settings: &Value) -> Result<(), OpenError> {
        Err(OpenError::OneProvider)
    }

    async fn close(mut self: Box<Self>) {
        if let Some(agent) = self.running.take() {
            agent.live.end(TIME_TO_END).await;
        }
    }
}
