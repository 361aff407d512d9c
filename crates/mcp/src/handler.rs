//! A toolset as a server of `rmcp`, which knows the protocol.

use std::borrow::Cow;
use std::sync::Arc;

use accord_trace::{HEADER, TraceParent, within};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ClientCapabilities, CustomRequest, CustomResult, ErrorCode,
    ErrorData, Implementation, InitializeRequestParams, InitializeResult, ListToolsResult,
    PaginatedRequestParams, ProtocolVersion, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use serde_json::Value;

use crate::toolset::{Progress, Tool, Toolset};

type Context = RequestContext<RoleServer>;

/// The versions that are spoken. Of what differs between them only the batches of 2025-03-26 matter here, and they are
/// taken whatever version is spoken.
pub(crate) fn versions() -> &'static [ProtocolVersion] {
    ProtocolVersion::known_up_to(&ProtocolVersion::V_2025_11_25)
}

/// Answers the requests of one client. Nothing depends on `initialize`, and it may be repeated.
#[derive(Clone)]
pub(crate) struct Handler {
    tools: Arc<dyn Toolset>,
    tells_progress: bool,
}

impl Handler {
    pub(crate) fn new(tools: Arc<dyn Toolset>) -> Self {
        Self { tools, tells_progress: true }
    }

    /// For clients that can take nothing but the answer.
    pub(crate) fn without_progress(self) -> Self {
        Self { tells_progress: false, ..self }
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        let mut info = InitializeResult::new(capabilities)
            .with_server_info(Implementation::new("accord", env!("CARGO_PKG_VERSION")).with_title("Accord"));
        info.instructions = self.tools.instructions();
        info
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(versions())
    }

    /// Later answers depend on the version that was agreed upon, not on the one that was asked for.
    async fn initialize(
        &self,
        mut request: InitializeRequestParams,
        context: Context,
    ) -> Result<InitializeResult, ErrorData> {
        let result = self.negotiate_initialize(&request)?;
        request.protocol_version = result.protocol_version.clone();
        context.peer.set_peer_info(request);
        Ok(result)
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListToolsResult, ErrorData> {
        if request.is_some_and(|request| request.cursor.is_some()) {
            return Err(ErrorData::invalid_params("the tool list has a single page; omit cursor", None));
        }
        Ok(ListToolsResult::with_all_items(self.tools.tools().into_iter().map(Tool::described).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: Context,
    ) -> Result<CallToolResponse, ErrorData> {
        let token = context.meta.get_progress_token().filter(|_| self.tells_progress);
        let progress = Progress::new(token.map(|token| (context.peer, token)));
        let arguments = request.arguments.unwrap_or_default();
        let call = self.tools.call(&request.name, arguments, &progress);
        let call = within(TraceParent::read(context.meta.get(HEADER).and_then(Value::as_str)), call);
        match context.ct.run_until_cancelled(call).await {
            Some(Some(answer)) => Ok(answer.described().into()),
            Some(None) => {
                let shown: String = request.name.chars().take(100).collect();
                let names: Vec<&str> = self.tools.tools().iter().map(|tool| tool.name).collect();
                let message = format!("unknown tool '{shown}'; available: {}", names.join(", "));
                Err(ErrorData::invalid_params(message, None))
            }
            // Never sent: the client no longer waits for it.
            None => Err(ErrorData::internal_error("the call was cancelled", None)),
        }
    }

    /// Answers what `rmcp` does not know, which includes known methods with invalid parameters.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: Context,
    ) -> Result<CustomResult, ErrorData> {
        let params = request.params.unwrap_or_default();
        match request.method.as_str() {
            // Scripts say no more about themselves than the version, if that.
            "initialize" => {
                let version = params.get("protocolVersion").cloned().unwrap_or_default();
                let version = serde_json::from_value(version).unwrap_or(ProtocolVersion::V_2025_11_25);
                let client = Implementation::new("unknown", "unknown");
                let request = InitializeRequestParams::new(ClientCapabilities::default(), client);
                let result = self.initialize(request.with_protocol_version(version), context).await?;
                let result = serde_json::to_value(result);
                result.map(CustomResult).map_err(|error| ErrorData::internal_error(error.to_string(), None))
            }
            "tools/call" if params.get("name").is_some_and(Value::is_string) => {
                Err(ErrorData::invalid_params("expected an object in 'arguments'", None))
            }
            "tools/call" => Err(ErrorData::invalid_params("expected the name of a tool in 'name'", None)),
            "tools/list" => Err(ErrorData::invalid_params("expected a string in 'cursor'", None)),
            other => {
                let shown: String = other.chars().take(100).collect();
                let message = format!("unknown method '{shown}'");
                Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None))
            }
        }
    }
}
