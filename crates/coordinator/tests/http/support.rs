//! A coordinator in the test process.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use accord_coordinator::{App, AppOptions, Background, Outside, Queue, Settings, router};
use accord_store::Store;
use accord_store_sqlite::SqliteStore;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode, header};
use axum::response::Response;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use tower::ServiceExt as _;

/// A clock that tests move, and ids from a counter.
#[derive(Debug, Default)]
pub(crate) struct Fake {
    seconds: AtomicI64,
    count: AtomicU64,
}

impl Outside for Fake {
    fn now(&self) -> Timestamp {
        let begin: Timestamp = "2026-11-01T00:00:00Z".parse().unwrap();
        begin + SignedDuration::from_secs(self.seconds.load(Ordering::SeqCst))
    }

    fn unique(&self) -> String {
        format!("{:04}", self.count.fetch_add(1, Ordering::SeqCst))
    }

    fn secret(&self) -> Result<[u8; 32], String> {
        Ok([7; 32])
    }
}

pub(crate) struct Desk {
    pub(crate) app: Arc<App>,
    router: Router,
    pub(crate) clock: Arc<Fake>,
    pub(crate) store: Arc<dyn Store>,
}

/// How long a wake-up may take: shorter than every wait and every poll of [`Desk::unpolled`], and
/// far longer than it takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// The result of a future that must be woken. Fails if it was not woken but ended by its time
/// limit.
pub(crate) async fn woken<T>(waiting: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, waiting).await.unwrap()
}

/// An answer: its status and its body.
pub(crate) type Answer = (u16, Value);

pub(crate) fn settings() -> Settings {
    Settings {
        queue: Queue { lease_seconds: 30, max_deliveries: 3, match_timeout_seconds: 300 },
        // Waiters are woken by signals: a poll must not hide a lost wake-up.
        poll_interval: Duration::from_secs(3600),
        ..Settings::default()
    }
}

impl Desk {
    pub(crate) fn new() -> Self {
        Self::with(settings())
    }

    pub(crate) fn with(settings: Settings) -> Self {
        Self::over(
            Arc::new(SqliteStore::in_memory().unwrap()),
            Arc::default(),
            settings,
            AppOptions::default(),
        )
    }

    /// A coordinator on this store.
    pub(crate) fn over(
        store: Arc<dyn Store>,
        clock: Arc<Fake>,
        settings: Settings,
        options: AppOptions,
    ) -> Self {
        let outside = Arc::clone(&clock) as Arc<dyn Outside>;
        let app = Arc::new(App::with_options(Arc::clone(&store), outside, settings, options));
        Self { router: router(Arc::clone(&app)), app, clock, store }
    }

    /// Another coordinator on the same store, started now.
    pub(crate) fn another(&self) -> Self {
        self.beside(AppOptions::default())
    }

    /// The same, for the runner with this tag.
    pub(crate) fn of_runner(&self, tag: &str) -> Self {
        self.beside(AppOptions { runner_tag: Some(tag.to_owned()), embedder: None })
    }

    fn beside(&self, options: AppOptions) -> Self {
        Self::over(Arc::clone(&self.store), Arc::clone(&self.clock), settings(), options)
    }

    /// A coordinator without polls, with the agent `writer`, which has no contract. Leases are so
    /// long that heartbeats are no polls either.
    pub(crate) async fn unpolled() -> Self {
        let queue = Queue { lease_seconds: 300, ..settings().queue };
        let desk = Self::with(Settings { queue, ..settings() });
        desk.agent(json!({"name": "writer"})).await;
        desk
    }

    pub(crate) async fn with_writer() -> Self {
        let desk = Self::new();
        desk.agent(json!({"name": "writer"})).await;
        desk
    }

    pub(crate) async fn reconcile(&self) {
        Background::round(&self.app).await.unwrap();
    }

    /// Starts the background work that delivers wake-ups.
    pub(crate) fn awake(&self) -> Background {
        Background::start(&self.app)
    }

    pub(crate) fn pass(&self, seconds: i64) {
        self.clock.seconds.fetch_add(seconds, Ordering::SeqCst);
    }

    /// Sends a request and leaves the body unread.
    pub(crate) async fn open(&self, request: Request<Body>) -> Response {
        self.router.clone().oneshot(request).await.unwrap()
    }

    pub(crate) async fn raw(&self, request: Request<Body>) -> (StatusCode, String) {
        let response = self.open(request).await;
        let status = response.status();
        let bytes = to_bytes(response.into_body(), usize::MAX).await.unwrap();
        (status, String::from_utf8(bytes.to_vec()).unwrap())
    }

    pub(crate) async fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<Value>,
    ) -> Answer {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let body = match body {
            Some(body) => {
                request = request.header(header::CONTENT_TYPE, "application/json");
                Body::from(body.to_string())
            }
            None => Body::empty(),
        };
        let (status, text) = self.raw(request.body(body).unwrap()).await;
        let value = if text.is_empty() { Value::Null } else { serde_json::from_str(&text).unwrap() };
        (status.as_u16(), value)
    }

    /// Sends a request with a key or a token.
    pub(crate) async fn ask_as(&self, bearer: &str, method: &str, path: &str, body: Option<Value>) -> Answer {
        self.send(method, path, &[("authorization", &format!("Bearer {bearer}"))], body).await
    }

    /// Sends a request with a key or a token and an idempotency key.
    pub(crate) async fn ask_once_as(&self, bearer: &str, path: &str, key: &str, body: Value) -> Answer {
        let bearer = format!("Bearer {bearer}");
        self.send("POST", path, &[("authorization", &bearer), ("idempotency-key", key)], Some(body)).await
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.send("GET", path, &[], None).await
    }

    pub(crate) async fn delete(&self, path: &str) -> Answer {
        self.send("DELETE", path, &[], None).await
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Answer {
        self.send("POST", path, &[], Some(body)).await
    }

    pub(crate) async fn post_empty(&self, path: &str) -> Answer {
        self.send("POST", path, &[], None).await
    }

    pub(crate) async fn post_once(&self, path: &str, key: &str, body: Value) -> Answer {
        self.send("POST", path, &[("idempotency-key", key)], Some(body)).await
    }

    /// Creates an agent; missing fields are filled in.
    pub(crate) async fn agent(&self, blueprint: Value) {
        let mut whole = json!({
            "type": "autonomous",
            "executor": {"type": "llm", "provider": "anthropic", "model": "small"},
        });
        whole.as_object_mut().unwrap().extend(blueprint.as_object().unwrap().clone());
        let (status, body) = self.post("/agents", whole).await;
        assert_eq!(status, 201, "{body}");
    }

    /// Creates a run and returns its id and its session's.
    pub(crate) async fn run(&self, request: Value) -> (String, String) {
        let (status, body) = self.post("/runs", request).await;
        assert_eq!(status, 201, "{body}");
        (text(&body, "run_id"), text(&body, "session_id"))
    }

    pub(crate) async fn runner(&self) -> String {
        self.runner_with(json!({"executor_types": ["llm", "process", "external"]})).await
    }

    pub(crate) async fn runner_with(&self, profile: Value) -> String {
        let (status, body) = self.post("/runner/register", json!({"profile": profile})).await;
        assert_eq!(status, 201, "{body}");
        text(&body, "runner_id")
    }

    /// Claims one run.
    pub(crate) async fn claim(&self, runner: &str) -> Held {
        let (status, body) = self.post("/runner/claims", json!({"runner_id": runner, "max": 1})).await;
        assert_eq!(status, 200, "{body}");
        let run = body["runs"][0].clone();
        let holding = json!({"runner_id": runner, "lease_id": run["lease_id"], "attempt": run["attempt"]});
        Held { run_id: text(&run, "run_id"), holding, run }
    }

    /// Reports the result of a run.
    pub(crate) async fn finish(&self, held: &Held, report: Value) -> Answer {
        let mut whole = json!({"holding": held.holding});
        whole.as_object_mut().unwrap().extend(report.as_object().unwrap().clone());
        self.post(&format!("/runner/runs/{}/finish", held.run_id), whole).await
    }

    /// Claims a run and completes it with a text.
    pub(crate) async fn complete(&self, runner: &str, result: &str) -> Held {
        let held = self.claim(runner).await;
        let answer = self.finish(&held, json!({"status": "completed", "result_text": result})).await;
        assert_eq!(answer, (200, json!({"run_id": held.run_id, "status": "completed"})));
        held
    }
}

/// A run held by a runner.
pub(crate) struct Held {
    pub(crate) run_id: String,
    pub(crate) holding: Value,
    pub(crate) run: Value,
}

pub(crate) fn text(value: &Value, name: &str) -> String {
    value[name].as_str().unwrap_or_else(|| panic_with(value)).to_owned()
}

fn panic_with(value: &Value) -> &str {
    assert_eq!(*value, Value::Null, "the text is not there");
    ""
}

/// Status and error name of an answer.
pub(crate) fn refused(answer: &Answer) -> (u16, &str) {
    (answer.0, answer.1["error"].as_str().unwrap_or_default())
}

pub(crate) fn kinds(events: &Value) -> Vec<&str> {
    events["items"].as_array().unwrap().iter().map(|event| event["type"].as_str().unwrap()).collect()
}
