//! Tools in recordings: their results are recorded and returned on replay, when nothing is run.
//!
//! A replay must not run the commands of a recording, which may come from others, and must give the same results even if files
//! have changed. So the results are in the recording, each after the exchange
//! whose answer asked for it. The request that follows carries their texts too, but it is no source for them: three of the
//! five dialects do not say there whether a tool did what it was asked, one has no ids to find a result by, calls that never
//! reached a tool are among the others, and after the last answer of a run that was ended no request follows.
//!
//! The tools of MCP servers are recorded as they were offered, because no server is started on replay. The built-in
//! ones are those that the replaying blueprint lists: a change of them shows, like any other change of a request.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use crate::session::OpenError;
use crate::toolbox::{Effect, ToolCall, ToolOutput, ToolSpec, Toolbox, Toolboxes};
use crate::tools::{is_built_in, specs};

use super::recorder::Recorder;
use super::transport::ReplayTransport;

pub(super) struct RecordingToolbox {
    pub(super) inner: Box<dyn Toolbox>,
    pub(super) recorder: Recorder,
}

impl RecordingToolbox {
    pub(super) fn new(inner: Box<dyn Toolbox>, recorder: Recorder) -> Self {
        let offered = inner.specs().into_iter().filter(|spec| !is_built_in(&spec.name));
        recorder.offered(offered.collect());
        Self { inner, recorder }
    }
}

#[async_trait]
impl Toolbox for RecordingToolbox {
    fn specs(&self) -> Vec<ToolSpec> {
        self.inner.specs()
    }

    async fn call(&self, call: ToolCall<'_>, cancel: &CancellationToken) -> ToolOutput {
        let output = self.inner.call(call, cancel).await;
        // The output of a tool that is cancelled is not used.
        if !cancel.is_cancelled() {
            self.recorder.gave(call.name, call.arguments, &output);
        }
        output
    }

    fn effect(&self, name: &str) -> Effect {
        self.inner.effect(name)
    }

    async fn close(&self) {
        self.inner.close().await;
    }
}

pub(super) struct ReplayToolboxes {
    pub(super) tape: Arc<ReplayTransport>,
    pub(super) mcp_tools: Vec<ToolSpec>,
}

impl Toolboxes for ReplayToolboxes {
    fn open(&self, names: &[String], _project_dir: &Path) -> Result<Box<dyn Toolbox>, OpenError> {
        let mut specs = specs(names)?;
        specs.extend(self.mcp_tools.iter().cloned());
        Ok(Box::new(ReplayToolbox { tape: Arc::clone(&self.tape), specs }))
    }
}

/// Tools that return the recorded results.
struct ReplayToolbox {
    tape: Arc<ReplayTransport>,
    specs: Vec<ToolSpec>,
}

#[async_trait]
impl Toolbox for ReplayToolbox {
    fn specs(&self) -> Vec<ToolSpec> {
        self.specs.clone()
    }

    async fn call(&self, call: ToolCall<'_>, cancel: &CancellationToken) -> ToolOutput {
        self.tape.call(call.name, cancel).await
    }
}
