//! A toolset as a server of `rmcp`, which knows the protocol.

use std::borrow::Cow;
use std::sync::Arc;

use accord_api::agent::IDEMPOTENCY_KEY;
use accord_trace::{HEADER, TraceParent, within};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelTaskParams, ClientCapabilities, CompleteRequestMethod,
    CompleteRequestParams, CompleteResult, CreateTaskResult, CustomRequest, CustomResult, ElicitResult,
    ErrorCode, ErrorData, GetTaskParams, GetTaskResult, Implementation, InitializeRequestParams,
    InitializeResult, InputResponses, ListPromptsRequestMethod, ListPromptsResult,
    ListResourceTemplatesRequestMethod, ListResourceTemplatesResult, ListResourcesRequestMethod,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ProtocolVersion, ServerCapabilities,
    ServerConfig, UpdateTaskParams,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::caller::{Asking, Caller, Progress, Reply};
use crate::toolset::{Outcome, Tasks, Toolset};
use crate::wire;

/// The longest key of a call.
const LONGEST_KEY: usize = 1024;

type Context = RequestContext<RoleServer>;

/// The versions that are spoken. Up to 2025-11-25 a client shakes hands first; later ones say everything with each request.
pub(crate) fn versions() -> &'static [ProtocolVersion] {
    ProtocolVersion::known_up_to(&ProtocolVersion::V_2026_07_28)
}

/// Whether a request is of version 2026-07-28 or later.
fn is_modern(context: &Context) -> bool {
    // Versions are dates, so they are in order as texts.
    context
        .protocol_version()
        .is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
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

    fn caller(
        &self,
        context: &Context,
        responses: Option<InputResponses>,
        state: Option<String>,
    ) -> Result<Caller, ErrorData> {
        let token = context.meta.get_progress_token().filter(|_| self.tells_progress);
        let capabilities = context.client_capabilities().unwrap_or_default();
        // A client that names no kind of elicitation can show forms.
        let elicitation = capabilities.elicitation.as_ref();
        let shows_forms = elicitation.is_some_and(|kinds| kinds.form.is_some() || kinds.url.is_none());
        let is_modern = is_modern(context);
        let asking = match (shows_forms, is_modern) {
            (true, true) => Asking::InResult,
            (true, false) => Asking::DuringCall(context.peer.clone()),
            (false, _) => Asking::Impossible,
        };
        Ok(Caller {
            progress: Progress::new(token.map(|token| (context.peer.clone(), token))),
            asking,
            state,
            replies: replies(responses.unwrap_or_default())?,
            takes_tasks: is_modern && capabilities.supports_tasks() && self.tools.tasks().is_some(),
            key: key(context.meta.get(IDEMPOTENCY_KEY))?,
        })
    }

    fn tasks(&self) -> Result<&dyn Tasks, ErrorData> {
        self.tools.tasks().ok_or_else(|| ErrorData::invalid_params("there are no tasks here", None))
    }
}

fn wrong(message: String) -> ErrorData {
    ErrorData::invalid_params(message, None)
}

/// The key of a call, as one that fits a header: clients may use any text.
fn key(given: Option<&Value>) -> Result<Option<String>, ErrorData> {
    match given {
        None => Ok(None),
        Some(Value::String(key)) if (1..=LONGEST_KEY).contains(&key.len()) => {
            let digest = Sha256::digest(key);
            Ok(Some(digest.iter().map(|byte| format!("{byte:02x}")).collect()))
        }
        Some(_) => {
            Err(wrong(format!("_meta.{IDEMPOTENCY_KEY}: expected a string of 1 to {LONGEST_KEY} bytes")))
        }
    }
}

/// Replies of the user, by the keys of the questions.
fn replies(responses: InputResponses) -> Result<Vec<(String, Reply)>, ErrorData> {
    let read = |(key, response): (String, Value)| {
        let result: Result<ElicitResult, _> = serde_json::from_str(&response.to_string());
        let message =
            |error| wrong(format!("inputResponses.{key}: expected the result of an elicitation; {error}"));
        result.map_err(message).map(|result| (key.clone(), result.into()))
    };
    responses.into_iter().map(read).collect()
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools();
        let capabilities = match self.tools.tasks() {
            Some(_) => capabilities.enable_tasks().build(),
            None => capabilities.build(),
        };
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
        context: Context,
    ) -> Result<ListToolsResult, ErrorData> {
        if request.is_some_and(|request| request.cursor.is_some()) {
            return Err(ErrorData::invalid_params("the tool list has a single page; omit cursor", None));
        }
        let is_modern = is_modern(&context);
        let tools = self.tools.tools().await.map_err(wire::unavailable)?.into_iter();
        Ok(ListToolsResult::with_all_items(tools.map(|tool| wire::tool(tool, is_modern)).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: Context,
    ) -> Result<CallToolResponse, ErrorData> {
        let is_modern = is_modern(&context);
        let caller = self.caller(&context, request.input_responses, request.request_state)?;
        let arguments = request.arguments.unwrap_or_default();
        let call = self.tools.call(&request.name, arguments, &caller);
        let call = within(TraceParent::read(context.meta.get(HEADER).and_then(Value::as_str)), call);
        match context.ct.run_until_cancelled(call).await {
            Some(Some(Outcome::Answer(answer))) => Ok(wire::answer(answer, is_modern).into()),
            Some(Some(Outcome::Ask { questions, state })) => Ok(wire::ask(questions, state).into()),
            Some(Some(Outcome::Task(task))) => Ok(CreateTaskResult::new(wire::task(&task)).into()),
            Some(Some(Outcome::Refused(message))) => Err(ErrorData::invalid_params(message, None)),
            Some(Some(Outcome::Unavailable(reason))) => Err(wire::unavailable(reason)),
            Some(None) => {
                let shown: String = request.name.chars().take(100).collect();
                let tools = self.tools.tools().await.map_err(wire::unavailable)?;
                let names: Vec<String> = tools.into_iter().map(|tool| tool.name).collect();
                let message = format!("unknown tool '{shown}'; available: {}", names.join(", "));
                Err(ErrorData::invalid_params(message, None))
            }
            // Never sent: the client no longer waits for it.
            None => Err(ErrorData::internal_error("the call was cancelled", None)),
        }
    }

    async fn get_task(&self, request: GetTaskParams, context: Context) -> Result<GetTaskResult, ErrorData> {
        let task = self.tasks()?.task(&request.task_id).await.map_err(wrong)?;
        Ok(wire::detailed_task(task, is_modern(&context)))
    }

    async fn update_task(&self, request: UpdateTaskParams, _: Context) -> Result<(), ErrorData> {
        let replies = replies(request.input_responses)?;
        self.tasks()?.reply(&request.task_id, replies).await.map_err(wrong)
    }

    async fn cancel_task(&self, request: CancelTaskParams, _: Context) -> Result<(), ErrorData> {
        self.tasks()?.stop(&request.task_id).await.map_err(wrong)
    }

    // What is not offered, `rmcp` would answer as if it were there, and empty.

    async fn complete(&self, _: CompleteRequestParams, _: Context) -> Result<CompleteResult, ErrorData> {
        Err(ErrorData::method_not_found::<CompleteRequestMethod>())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListPromptsResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListPromptsRequestMethod>())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListResourcesResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListResourcesRequestMethod>())
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListResourceTemplatesRequestMethod>())
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
