//! A coordinator whose runner never meets a contract, and clients of `rmcp` whose users reply as they are told.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};

use accord_api::{Checked, ClaimRuns, JsonLimits};
use accord_client::Client;
use accord_coordinator::{App, Coordinator, Settings, System};
use accord_mcp::{Accord, Http, serve};
use accord_store_sqlite::SqliteStore;
use bytes::Bytes;
use futures_util::StreamExt as _;
use futures_util::stream::BoxStream;
use http::{HeaderName, HeaderValue, Request};
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, ClientJsonRpcMessage,
    ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationCapability, Implementation,
    ProtocolVersion, ServerJsonRpcMessage,
};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt as _, RequestContext, RoleClient, RunningService};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::{
    SseError, StreamableHttpClient, StreamableHttpClientTransportConfig, StreamableHttpError,
    StreamableHttpPostResponse,
};
use rmcp::{ClientHandler, ErrorData};
use serde_json::{Value, json};
use tokio_util::sync::{CancellationToken, DropGuard};

/// A coordinator in this process. Its agents never meet their contracts, and have a person correct what they did.
pub(crate) struct Office {
    pub(crate) client: Client,
    _shutdown: DropGuard,
}

/// A runner that fails whatever it gets.
async fn fail(client: Client) {
    let register = serde_json::from_value(json!({"profile": {"executor_types": ["llm"]}})).unwrap();
    let runner = client.register_runner(&register).await.unwrap().runner_id;
    let claim = ClaimRuns { runner_id: runner.clone(), max: 10, wait_seconds: 60, start: true };
    // Ends with the coordinator.
    while let Ok(claimed) = client.claim_runs(&claim).await {
        for run in claimed.runs {
            let report = json!({
                "holding": {"runner_id": runner, "lease_id": run.lease_id, "attempt": run.attempt},
                "status": "failed",
                "error": {"type": "output_schema_validation_failed", "message": "it did not conform"},
            });
            client.finish_run(&run.run_id, &serde_json::from_value(report).unwrap()).await.unwrap();
        }
    }
}

impl Office {
    pub(crate) async fn open() -> Self {
        let store = Arc::new(SqliteStore::in_memory().unwrap());
        let app = Arc::new(App::new(store, Arc::new(System), Settings::default()));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let shutdown = CancellationToken::new();
        let coordinator = Coordinator::start(app, listener, shutdown.clone()).unwrap();
        let client = Client::new(&format!("http://{}", coordinator.address()), None).unwrap();
        let office = Self { client, _shutdown: shutdown.drop_guard() };
        tokio::spawn(fail(office.client.clone()));
        let flat = json!({
            "type": "object",
            "required": ["severity", "hours"],
            "properties": {
                "severity": {"enum": ["low", "high"]},
                "hours": {"type": "number", "multipleOf": 0.5},
            },
            "additionalProperties": false,
        });
        let nested = json!({
            "type": "object",
            "required": ["items"],
            "properties": {"items": {"type": "array", "items": {"type": "object"}}},
        });
        for (name, schema) in [("clerk", flat), ("archivist", nested)] {
            let blueprint = json!({
                "name": name, "type": "autonomous", "output_schema": schema,
                "executor": {"type": "llm", "provider": "anthropic", "model": "small"},
                "output_schema_options": {"on_failure": "ask"},
            });
            office.client.create_agent(&blueprint).await.unwrap();
        }
        let workflow = json!({
            "name": "sorting",
            "nodes": {
                "input": {
                    "type": "input",
                    "schema": {"type": "object", "required": ["ticket"], "properties": {"ticket": {"type": "string"}}},
                },
                "sort": {"type": "agent", "agent": "clerk", "prompt": "{{ input.ticket }}"},
                "output": {"type": "output"},
            },
            "edges": [{"from": "input", "to": "sort"}, {"from": "sort", "to": "output"}],
        });
        office.client.create_workflow(&workflow).await.unwrap();
        office
    }

    fn tools(&self) -> Arc<Accord> {
        Arc::new(Accord::new(self.client.clone(), None))
    }

    /// A client that shakes hands and speaks over pipes.
    pub(crate) async fn over_pipes(&self, user: User) -> RunningService<RoleClient, User> {
        let (near, far) = tokio::io::duplex(1 << 16);
        let (input, output) = tokio::io::split(far);
        tokio::spawn(serve(self.tools(), input, output));
        user.serve_with_lifecycle(near, ClientLifecycleMode::Initialize).await.unwrap()
    }

    /// A client of version 2026-07-28 over HTTP.
    pub(crate) async fn over_http(&self, user: User) -> RunningService<RoleClient, User> {
        let tools = self.tools();
        let http = Http::new(move |_| Ok(Arc::clone(&tools) as _));
        let config = StreamableHttpClientTransportConfig::with_uri("http://accord/mcp");
        let transport = StreamableHttpClientTransport::with_client(Direct(http), config);
        let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
        user.serve_with_lifecycle(transport, ClientLifecycleMode::Discover { preferred_versions })
            .await
            .unwrap()
    }
}

/// What a user replies, in order. Nothing is left to chance: a question too many is an error.
#[derive(Debug, Clone, Default)]
pub(crate) struct User {
    replies: Arc<Mutex<VecDeque<ElicitResult>>>,
    pub(crate) heard: Arc<Mutex<Vec<(String, Value)>>>,
    capabilities: ClientCapabilities,
    /// Whether it never replies.
    is_silent: bool,
    asked: Arc<tokio::sync::Notify>,
}

impl User {
    /// A user who looks at the question and does nothing.
    pub(crate) fn silent() -> Self {
        Self { is_silent: true, ..Self::replying([]) }
    }

    pub(crate) async fn was_asked(&self) {
        self.asked.notified().await;
    }

    pub(crate) fn replying(replies: impl IntoIterator<Item = ElicitResult>) -> Self {
        let mut user =
            Self { replies: Arc::new(Mutex::new(replies.into_iter().collect())), ..Self::default() };
        user.capabilities.elicitation = Some(ElicitationCapability::default());
        user
    }

    pub(crate) fn with_tasks(mut self) -> Self {
        self.capabilities.extensions = ClientCapabilities::builder().enable_tasks().build().extensions;
        self
    }

    pub(crate) fn messages(&self) -> Vec<String> {
        self.heard.lock().unwrap().iter().map(|(message, _)| message.clone()).collect()
    }
}

pub(crate) fn accept(content: Value) -> ElicitResult {
    ElicitResult::new(ElicitationAction::Accept).with_content(content)
}

impl ClientHandler for User {
    fn get_info(&self) -> ClientConfig {
        ClientConfig::new(self.capabilities.clone(), Implementation::new("a test", "1"))
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } = request else {
            return Err(ErrorData::invalid_params("no form", None));
        };
        self.heard.lock().unwrap().push((message, serde_json::to_value(requested_schema).unwrap()));
        self.asked.notify_one();
        if self.is_silent {
            std::future::pending::<()>().await;
        }
        let reply = self.replies.lock().unwrap().pop_front();
        reply.ok_or_else(|| ErrorData::internal_error("a question too many", None))
    }
}

pub(crate) async fn call(
    client: &RunningService<RoleClient, User>,
    name: &'static str,
    arguments: Value,
) -> CallToolResult {
    let Value::Object(arguments) = arguments else { panic!("{arguments}") };
    client.call_tool(CallToolRequestParams::new(name).with_arguments(arguments)).await.unwrap()
}

pub(crate) fn text(result: &CallToolResult) -> String {
    let content = serde_json::to_value(&result.content).unwrap();
    content.pointer("/0/text").and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// HTTP without a network between.
#[derive(Clone)]
struct Direct(Http);

type Failed = StreamableHttpError<std::io::Error>;

impl StreamableHttpClient for Direct {
    type Error = std::io::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        _: Option<Arc<str>>,
        _: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, Failed> {
        let body = Bytes::from(serde_json::to_string(&message).unwrap());
        let body = Checked::new(body, JsonLimits::WHOLE).unwrap();
        let mut request = Request::builder().method("POST").uri(&*uri);
        for (name, value) in headers {
            request = request.header(name, value);
        }
        let answer = self.0.answer(request.body(body).unwrap()).await;
        let status = answer.status();
        let pieces: Vec<Bytes> = answer.into_body().map(|piece| piece.unwrap()).collect().await;
        let bytes = pieces.concat();
        if bytes.is_empty() {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        let read: Result<ServerJsonRpcMessage, _> = serde_json::from_slice(&bytes);
        match read {
            Ok(message) => Ok(StreamableHttpPostResponse::Json(message, None)),
            Err(error) => panic!("{status} {error}: {}", String::from_utf8_lossy(&bytes)),
        }
    }

    async fn delete_session(
        &self,
        _: Arc<str>,
        _: Arc<str>,
        _: Option<String>,
        _: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), Failed> {
        Err(StreamableHttpError::ServerDoesNotSupportDeleteSession)
    }

    async fn get_stream(
        &self,
        _: Arc<str>,
        _: Option<Arc<str>>,
        _: Option<String>,
        _: Option<String>,
        _: HashMap<HeaderName, HeaderValue>,
    ) -> Result<BoxStream<'static, Result<sse_stream::Sse, SseError>>, Failed> {
        Err(StreamableHttpError::ServerDoesNotSupportSse)
    }
}
