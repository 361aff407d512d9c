//! Opens sessions with models.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use super::conversation::Conversation;
use super::endpoint::Endpoint;
use super::provider::{ProviderKind, Providers};
use super::retry::{FIRST_PAUSE, Pauses};
use super::session::LlmSession;
use super::settings::{Reasoning, Settings};
use crate::session::{Executor, OpenError, Session};
use crate::start::Start;
use crate::toolbox::Toolboxes;
use crate::transport::Transport;

/// The `llm` executor.
pub struct LlmExecutor {
    providers: Providers,
    transport: Arc<dyn Transport>,
    toolboxes: Arc<dyn Toolboxes>,
    first_pause: Duration,
}

impl LlmExecutor {
    /// An executor that asks these providers, by this way, with these tools.
    pub fn new(providers: Providers, transport: Arc<dyn Transport>, toolboxes: Arc<dyn Toolboxes>) -> Self {
        Self { providers, transport, toolboxes, first_pause: FIRST_PAUSE }
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
                "executor settings: this provider takes no `temperature` where `reasoning` is on: leave one out".into(),
            ));
        }
        let toolbox = self.toolboxes.open(&start.tools, &start.project_dir)?;
        let conversation = match start.conversation {
            Some(stored) => Conversation::restore(stored)?,
            None => Conversation::new(),
        };
        Ok(Box::new(LlmSession {
            pauses: Pauses::new(self.first_pause, &start.session_id),
            endpoint,
            settings,
            transport: Arc::clone(&self.transport),
            toolbox,
            conversation,
            max_steps: start.max_steps,
        }))
    }
}
