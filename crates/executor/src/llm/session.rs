//! One conversation with a model.

use std::sync::Arc;
use std::time::Duration;

use accord_domain::provider::Capability;
use async_trait::async_trait;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::conversation::{Conversation, ENDED};
use super::endpoint::Endpoint;
use super::files::SessionFiles;
use super::people::spec;
use super::providers::Providers;
use super::settings::{Reasoning, Settings};
use super::steps::Steps;
use crate::answer::{Answer, Usage};
use crate::caller_tools::CallerTools;
use crate::event::Events;
use crate::journal::Journal;
use crate::people::ToolPolicy;
use crate::retry::Attempts;
use crate::session::{Capabilities, OpenError, Session, Tool, TurnError, TurnFailure};
use crate::toolbox::{ToolSpec, Toolbox};
use crate::transport::Transport;
use crate::turn::Turn;

/// How long a tool has to end what it started once the turn is over. Longer, and it is dropped.
const TIME_TO_STOP: Duration = Duration::from_secs(5);

pub(super) struct LlmSession {
    pub(super) endpoint: Endpoint,
    pub(super) settings: Settings,
    pub(super) transport: Arc<dyn Transport>,
    pub(super) toolbox: Box<dyn Toolbox>,
    pub(super) conversation: Conversation,
    /// Where this run begins in the conversation.
    pub(super) first: usize,
    /// Where the turn begins that has no answer, if the last one has none.
    pub(super) unanswered: Option<usize>,
    pub(super) attempts: Attempts,
    pub(super) max_steps: u32,
    pub(super) providers: Arc<Providers>,
    pub(super) costs_are_limited: bool,
    pub(super) journal: Arc<Journal>,
    pub(super) policy: ToolPolicy,
    pub(super) callers: CallerTools,
    /// What the keys of tool calls begin with.
    pub(super) run_id: String,
    pub(super) files: SessionFiles,
}

#[async_trait]
impl Session for LlmSession {
    fn capabilities(&self) -> Capabilities {
        let kind = self.endpoint.kind;
        let profile = &self.endpoint.schema_profile;
        let thinks = self.settings.reasoning.is_some_and(Reasoning::is_on);
        let default = self.endpoint.wire.default_max_tokens(self.settings.reasoning);
        Capabilities {
            endpoint: self.endpoint.name.clone(),
            model: self.settings.model.clone(),
            native: kind.supports(Capability::AnswerSchema).then(|| profile.clone()),
            tool: Some(Tool {
                profile: profile.clone(),
                strict: kind.supports(Capability::StrictTools),
                force: !thinks && kind.supports(Capability::ForcedTools),
            }),
            native_beside_tools: kind.supports(Capability::SchemaWithTools),
            json_mode: kind.supports(Capability::AnswerSchema) && self.endpoint.wire.has_json_mode(),
            reprompt: true,
            max_tokens: self.settings.max_tokens.or(default),
            takes_ceiling: true,
            repeats: true,
            records_steps: true,
            takes_pdfs: self.endpoint.takes_files().pdfs,
        }
    }

    async fn turn(
        &mut self,
        turn: Turn,
        events: &Events,
        cancel: &CancellationToken,
    ) -> Result<Answer, TurnFailure> {
        if let Some(before) = self.unanswered
            && !self.conversation.has_worked(before, &self.specs())
        {
            self.conversation.truncate(before);
        }
        if turn.fresh && !self.conversation.has_worked(self.first, &self.specs()) {
            self.conversation.truncate(self.first);
        }
        self.unanswered = Some(self.conversation.messages().len());
        let mut usage = Usage::default();
        match self.bounded(&turn, events, cancel, &mut usage).await {
            Ok(answer) => {
                self.unanswered = None;
                Ok(answer)
            }
            Err(error) => {
                self.conversation.answer(Vec::new(), ENDED);
                Err(TurnFailure { error, usage })
            }
        }
    }

    fn conversation(&self) -> Option<Value> {
        serde_json::to_value(&self.conversation).ok()
    }

    fn switch(&mut self, settings: &Value) -> Result<(), OpenError> {
        let (settings, endpoint) = resolve(&self.providers, settings, self.costs_are_limited)?;
        (self.settings, self.endpoint) = (settings, endpoint);
        Ok(())
    }

    async fn close(self: Box<Self>) {
        self.toolbox.close().await;
    }
}

/// What settings mean with these providers, if they can be used together.
pub(super) fn resolve(
    providers: &Providers,
    settings: &Value,
    costs_are_limited: bool,
) -> Result<(Settings, Endpoint), OpenError> {
    let settings = Settings::read(settings)?;
    let endpoint = Endpoint::resolve(providers, &settings)?;
    let thinks = settings.reasoning.is_some_and(Reasoning::is_on);
    if thinks
        && settings.temperature.is_some()
        && !endpoint.kind.supports(Capability::TemperatureWithReasoning)
    {
        return Err(OpenError::Settings(
            "executor settings: this provider does not support `temperature` together with `reasoning`; remove one".into(),
        ));
    }
    if costs_are_limited && !endpoint.has_price(&settings.model) {
        return Err(OpenError::Settings(unpriced(&endpoint, &settings.model)));
    }
    Ok((settings, endpoint))
}

fn unpriced(endpoint: &Endpoint, model: &str) -> String {
    format!(
        "`limits.max_cost_usd` cannot be enforced: the price of model `{model}` is unknown. Set \"{}/{model}\" under [prices] in \
         the runner's configuration, or limit tokens instead (`limits.max_tokens_total`)",
        endpoint.provider
    )
}

impl LlmSession {
    /// The tools of the agent and of the caller.
    fn specs(&self) -> Vec<ToolSpec> {
        self.toolbox.specs().into_iter().chain(self.callers.tools().map(spec)).collect()
    }

    /// Works until there is an answer, the time is over, or it is stopped.
    async fn bounded(
        &mut self,
        turn: &Turn,
        events: &Events,
        cancel: &CancellationToken,
        usage: &mut Usage,
    ) -> Result<Answer, TurnError> {
        // Another model of the provider may have no price.
        let model = turn.model.as_deref().unwrap_or(&self.settings.model);
        if turn.allowance.cost_usd.is_some() && !self.endpoint.has_price(model) {
            return Err(TurnError::Failed(unpriced(&self.endpoint, model)));
        }
        let stop = cancel.child_token();
        self.files.prepare(&self.endpoint.provider, self.endpoint.takes_files(), &stop).await?;
        let steps = Steps {
            endpoint: &self.endpoint,
            settings: &self.settings,
            transport: self.transport.as_ref(),
            toolbox: self.toolbox.as_ref(),
            events,
            journal: &self.journal,
            policy: &self.policy,
            callers: &self.callers,
            run_id: &self.run_id,
            stop: &stop,
            max_steps: self.max_steps,
            turn,
            files: &self.files,
        };
        let work = steps.run(&mut self.conversation, &mut self.attempts, usage);
        tokio::pin!(work);
        let ended = tokio::select! {
            biased;
            () = cancel.cancelled() => TurnError::Stopped,
            result = &mut work => return result,
            error = over(self.settings.timeout_seconds) => error,
        };
        stop.cancel();
        tokio::time::timeout(TIME_TO_STOP, work).await.ok();
        Err(ended)
    }
}

/// Ends when the time is over, or never.
async fn over(seconds: Option<u64>) -> TurnError {
    match seconds {
        Some(seconds) => {
            tokio::time::sleep(Duration::from_secs(seconds)).await;
            TurnError::TimedOut(seconds)
        }
        None => std::future::pending().await,
    }
}
