//! Opens sessions with models.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use super::conversation::Conversation;
use super::endpoint::Endpoint;
use super::provider::{ProviderKind, Providers};
use super::session::LlmSession;
use super::settings::{Reasoning, Settings};
use crate::cassette::Recorder;
use crate::mcp::McpServers;
use crate::retry::{Attempts, FIRST_PAUSE};
use crate::session::{Executor, OpenError, Session};
use crate::start::Start;
use crate::toolbox::Toolboxes;
use crate::transport::Transport;

/// The `llm` executor.
pub struct LlmExecutor {
    providers: Providers,
    transport: Arc<dyn Transport>,
    toolboxes: Arc<dyn Toolboxes>,
    servers: Option<McpServers>,
    recorder: Option<Recorder>,
    first_pause: Duration,
}

impl LlmExecutor {
    /// An executor that asks these providers, by this way, with these tools.
    pub fn new(providers: Providers, transport: Arc<dyn Transport>, toolboxes: Arc<dyn Toolboxes>) -> Self {
        Self { providers, transport, toolboxes, servers: None, recorder: None, first_pause: FIRST_PAUSE }
    }

    /// With MCP servers, for agents that list some.
    #[must_use]
    pub fn with_mcp_servers(self, servers: McpServers) -> Self {
        Self { servers: Some(servers), ..self }
    }

    /// With a recorder of what tools give, those of MCP servers among them.
    #[must_use]
    pub fn with_recorder(self, recorder: Recorder) -> Self {
        Self { recorder: Some(recorder), ..self }
    }

    /// Another pause before the first retry; the further ones grow from it.
    #[must_use]
    pub fn with_first_pause(self, first_pause: Duration) -> Self {
        Self { first_pause, ..self }
    }
}

#[async_trait]
impl Executor for LlmExecutor {
    async fn open(&self, start: Start) -> Result<Box<dyn Session>, OpenError> {
        let settings = Settings::read(&start.settings)?;
        let endpoint = Endpoint::resolve(&self.providers, &settings)?;
        let thinks = settings.reasoning.is_some_and(Reasoning::is_on);
        if thinks && settings.temperature.is_some() && endpoint.kind == ProviderKind::Anthropic {
            return Err(OpenError::Settings(
                "executor settings: this provider does not support `temperature` together with `reasoning`; remove one".into(),
            ));
        }
        if start.costs_are_limited && !endpoint.has_prices() {
            return Err(OpenError::Settings(format!(
                "`limits.max_cost_usd` cannot be enforced: the prices of provider `{0}` are unknown. Set \
                 providers.{0}.price_per_million_input and price_per_million_output in the runner's configuration, or limit \
                 tokens instead (`limits.max_tokens_total`)",
                settings.provider
            )));
        }
        let toolbox = self.toolboxes.open(&start.tools, &start.project_dir)?;
        let conversation = match start.conversation {
            Some(stored) => Conversation::restore(stored)?,
            None => Conversation::new(),
        };
        // The last that can fail: nothing is left running when something else is wrong.
        let toolbox = match &self.servers {
            Some(servers) => servers.open(&start.mcp_servers, &start.project_dir, toolbox).await?,
            None if start.mcp_servers.is_empty() => toolbox,
            None => {
                return Err(OpenError::Settings(
                    "MCP servers cannot be used here; remove `mcp_servers`".into(),
                ));
            }
        };
        let toolbox = match &self.recorder {
            Some(recorder) => recorder.listen_to(toolbox),
            None => toolbox,
        };
        Ok(Box::new(LlmSession {
            attempts: Attempts::with_first_pause(start.retry, &start.session_id, self.first_pause),
            endpoint,
            settings,
            transport: Arc::clone(&self.transport),
            toolbox,
            first: conversation.messages().len(),
            conversation,
            unanswered: None,
            max_steps: start.max_steps,
        }))
    }
}
