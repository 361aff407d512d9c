//! An application on a real store with its own agents folder, for tests.

use std::fs;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use accord_store::Store;
use accord_store_sqlite::SqliteStore;
use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{HeaderMap, Method, Request, Response, StatusCode};
use futures_util::stream::{self, StreamExt as _};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use tempfile::TempDir;
use tower::ServiceExt as _;

use crate::app::{App, Guest};
use crate::outside::Outside;
use crate::settings::Settings;

/// A clock that tests move, ids that count.
#[derive(Debug, Default)]
pub(crate) struct Fake {
    seconds: AtomicI64,
    count: AtomicU64,
}

impl Fake {
    pub(crate) fn pass(&self, seconds: i64) {
        self.seconds.fetch_add(seconds, Ordering::SeqCst);
    }
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
        let count = self.count.fetch_add(1, Ordering::SeqCst);
        let mut secret = [0; 32];
        secret[..8].copy_from_slice(&count.to_be_bytes());
        Ok(secret)
    }
}

/// A stub that answers at `/mcp`.
pub(crate) fn stub() -> Guest {
    Arc::new(|_| Box::pin(async { Response::new(stream::empty().boxed()) }))
}

/// An application, its folder and its clock.
pub(crate) struct Fixture {
    pub(crate) app: Arc<App>,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) outside: Arc<Fake>,
    folder: TempDir,
    key: Mutex<Option<String>>,
    peer: Mutex<Option<ConnectInfo<SocketAddr>>>,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
}

impl Reply {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("not JSON: {}", self.text))
    }

    /// The status and the error's name.
    pub(crate) fn error(&self) -> (u16, String) {
        (self.status.as_u16(), self.json()["error"].as_str().unwrap_or_default().to_owned())
    }

    pub(crate) fn etag(&self) -> String {
        self.headers["etag"].to_str().unwrap().to_owned()
    }
}

impl Fixture {
    /// With these files in the folder of agents.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let folder = TempDir::new().unwrap();
        let outside = Arc::new(Fake::default());
        let store: Arc<dyn Store> = Arc::new(SqliteStore::in_memory().unwrap());
        let agents = folder_of(&folder);
        for (name, text) in files {
            write(&agents.join(name), text);
        }
        let settings = Settings { agents_dir: Some(agents), ..Settings::default() };
        let app = App::new(store.clone(), Arc::clone(&outside) as Arc<dyn Outside>, settings);
        app.serves_mcp(stub());
        Self { app: Arc::new(app), store, outside, folder, key: Mutex::default(), peer: Mutex::default() }
    }

    /// The folder of agents.
    pub(crate) fn folder(&self) -> PathBuf {
        folder_of(&self.folder)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        write(&self.folder().join(name), text);
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.folder().join(name)).unwrap()
    }

    /// Sends this key from now on.
    pub(crate) fn with_key(&self, key: Option<&str>) {
        *self.key.lock().unwrap() = key.map(str::to_owned);
    }

    /// Sends from this address from now on.
    pub(crate) fn from(&self, address: &str) {
        *self.peer.lock().unwrap() = Some(ConnectInfo(address.parse().unwrap()));
    }

    pub(crate) async fn get(&self, path: &str) -> Reply {
        self.send(Method::GET, path, &[], String::new()).await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Reply {
        self.send(Method::POST, path, &[], body.to_string()).await
    }

    pub(crate) async fn send(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: String,
    ) -> Reply {
        let (parts, body) = self.respond(method, path, headers, body).await.into_parts();
        let bytes = axum::body::to_bytes(body, usize::MAX).await.unwrap();
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        Reply { status: parts.status, headers: parts.headers, text }
    }

    /// Sends, and leaves the body unread: a stream need not end.
    pub(crate) async fn respond(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: String,
    ) -> Response<Body> {
        let mut request =
            Request::builder().method(method).uri(path).header("content-type", "application/json");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if let Some(key) = self.key.lock().unwrap().as_ref() {
            request = request.header("authorization", format!("Bearer {key}"));
        }
        if let Some(peer) = *self.peer.lock().unwrap() {
            request = request.extension(peer);
        }
        let router: Router = crate::http::router(Arc::clone(&self.app));
        router.oneshot(request.body(Body::from(body)).unwrap()).await.unwrap()
    }
}

fn folder_of(folder: &TempDir) -> PathBuf {
    folder.path().join("agents")
}

fn write(path: &std::path::Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// A blueprint with an output contract.
pub(crate) fn reviewer(name: &str) -> Value {
    json!({
        "name": name,
        "description": "Reviews",
        "executor": {"type": "llm", "provider": "anthropic", "model": "claude-sonnet-4-6"},
        "tags": ["code", "review"],
        "output_schema": {
            "type": "object",
            "required": ["summary"],
            "properties": {"summary": {"type": "string"}},
        },
    })
}

/// The same as YAML.
pub(crate) const REVIEWER: &str = include_str!("../../../../blueprint/src/agent/tests/reviewer.yaml");
