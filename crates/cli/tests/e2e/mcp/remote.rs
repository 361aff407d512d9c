//! An MCP server over HTTP in this process, which tells which trace it was called in.

use std::sync::Arc;

use accord_coordinator::{App, Coordinator, Settings, System};
use accord_mcp::{Answer, Caller, Hints, Http, Outcome, Tasks, Tool, Toolset, Unavailable};
use accord_store_sqlite::SqliteStore;
use serde_json::{Map, Value, json};
use tokio_util::sync::{CancellationToken, DropGuard};

/// The only tool answers with the header `traceparent` of the request, and with that in its `_meta`.
struct Look {
    header: String,
}

#[async_trait::async_trait]
impl Toolset for Look {
    fn instructions(&self) -> Option<String> {
        None
    }

    async fn tools(&self) -> Result<Vec<Tool>, Unavailable> {
        // The list is asked for without `_meta`, so the description shows the header.
        let description = format!("listed with {}", self.header);
        let input_schema = json!({"type": "object"});
        let name = "look".to_owned();
        Ok(vec![Tool { name, description, input_schema, output_schema: None, hints: Hints::Reads }])
    }

    async fn call(&self, _: &str, _: Map<String, Value>, _: &Caller) -> Option<Outcome> {
        let meta = accord_trace::current().map(|trace| trace.to_string()).unwrap_or_default();
        Some(Answer::text(format!("header={} meta={meta}", self.header)).into())
    }

    fn tasks(&self) -> Option<&dyn Tasks> {
        None
    }
}

/// Its address, as long as the guard is kept.
pub(crate) async fn remote() -> (String, DropGuard) {
    let store = Arc::new(SqliteStore::in_memory().unwrap());
    let app = Arc::new(App::new(store, Arc::new(System), Settings::default()));
    let http = Http::new(|headers| {
        let header = headers.get("traceparent").and_then(|value| value.to_str().ok()).unwrap_or_default();
        Ok(Arc::new(Look { header: header.to_owned() }))
    });
    app.serves_mcp(Arc::new(move |request| {
        let http = http.clone();
        Box::pin(async move { http.answer(request).await })
    }));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let shutdown = CancellationToken::new();
    let coordinator = Coordinator::start(app, listener, shutdown.clone()).unwrap();
    (format!("http://{}/mcp", coordinator.address()), shutdown.drop_guard())
}
