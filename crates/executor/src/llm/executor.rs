//! Opens sessions with models.

use std::sync::Arc;
use std::time::Duration;

use accord_domain::agent::KnownTools;
use async_trait::async_trait;

use super::conversation::Conversation;
use super::files::SessionFiles;
use super::opening::opened;
use super::providers::Providers;
use super::session::{LlmSession, resolve};
use crate::cassette::Recorder;
use crate::files::PdfReader;
use crate::mcp::McpServers;
use crate::retry::{Attempts, FIRST_PAUSE};
use crate::session::{Executor, OpenError, Session};
use crate::start::Start;
use crate::toolbox::Toolboxes;
use crate::transport::Transport;

pub struct LlmExecutor {
    providers: Arc<Providers>,
    transport: Arc<dyn Transport>,
    toolboxes: Arc<dyn Toolboxes>,
    servers: Option<McpServers>,
    recorder: Option<Recorder>,
    first_pause: Duration,
    pdf_reader: Option<PdfReader>,
}

impl LlmExecutor {
    /// An executor that asks these providers, by this way, with these tools.
    pub fn new(providers: Providers, transport: Arc<dyn Transport>, toolboxes: Arc<dyn Toolboxes>) -> Self {
        let providers = Arc::new(providers);
        Self {
            providers,
            transport,
            toolboxes,
            servers: None,
            recorder: None,
            first_pause: FIRST_PAUSE,
            pdf_reader: None,
        }
    }

    /// With MCP servers, for agents that list some.
    #[must_use]
    pub fn with_mcp_servers(self, servers: McpServers) -> Self {
        Self { servers: Some(servers), ..self }
    }

    /// With a program that reads PDFs, for providers that take none.
    #[must_use]
    pub fn with_pdf_reader(self, reader: PdfReader) -> Self {
        Self { pdf_reader: Some(reader), ..self }
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
        let (settings, endpoint) = resolve(&self.providers, &start.settings, start.costs_are_limited)?;
        let toolbox = self.toolboxes.open(&start.tools, &start.project_dir)?;
        let conversation = match start.conversation {
            Some(stored) => Conversation::restore(stored)?,
            None => Conversation::new(),
        };
        let conversation = opened(conversation, start.opening);
        // Last, so that nothing is left running if another step fails.
        let toolbox = match &self.servers {
            Some(servers) => servers.open(&start.mcp_servers, &start.project_dir, toolbox).await?,
            None if start.mcp_servers.is_empty() => toolbox,
            None => {
                return Err(OpenError::Settings(
                    "MCP servers cannot be used here; remove `mcp_servers`".into(),
                ));
            }
        };
        let specs = toolbox.specs();
        let known = specs.iter().fold(KnownTools::default(), |known, spec| {
            known.with_tool([Some(&spec.name), spec.original.as_ref()].into_iter().flatten())
        });
        let policy = match start.tool_entries.resolve(&known) {
            Ok(policy) => policy,
            Err(error) => {
                toolbox.close().await;
                return Err(error);
            }
        };
        if let Some(both) = specs.iter().find(|spec| start.caller_tools.has(&spec.name)) {
            toolbox.close().await;
            return Err(OpenError::Settings(format!(
                "the agent and the caller of the run both have a tool `{}`; rename the caller's",
                both.name
            )));
        }
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
            providers: Arc::clone(&self.providers),
            costs_are_limited: start.costs_are_limited,
            journal: start.journal,
            policy,
            callers: start.caller_tools,
            run_id: start.run_id,
            files: SessionFiles::new(start.files, self.pdf_reader.clone()),
        }))
    }
}
