//! The server's settings, and the queue in its statistics.

use serde_json::json;

use crate::support::{Desk, text};

#[tokio::test]
async fn config_shows_settings_and_no_secrets() {
    let desk = Desk::new();
    desk.app.listens_on("127.0.0.1:8765".parse().unwrap());
    let (status, told) = desk.get("/config").await;
    let expected = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "instance": desk.app.instance(),
        "store": "sqlite",
        "listen": "127.0.0.1:8765",
        "auth": false,
        "files": false,
        "embeddings": false,
        "limits": {
            "request_bytes": 8_388_608, "lease_seconds": 30, "max_deliveries": 3, "match_timeout_seconds": 300,
        },
        "enforcement": {
            "max_retries": 2, "extract_json": true, "embedded": "accept", "validation_mode": "strict", "strategy": "auto",
        },
    });
    assert_eq!((status, told), (200, expected));
    let viewer = text(&desk.post("/keys", json!({"role": "viewer", "name": "v"})).await.1, "key");
    assert_eq!(desk.get("/config").await.0, 401);
    assert_eq!(desk.ask_as(&viewer, "GET", "/config", None).await.1["auth"], json!(true));
}

#[tokio::test]
async fn the_stats_include_the_current_queue() {
    let desk = Desk::with_writer().await;
    let runner = desk.runner().await;
    for prompt in ["a", "b", "c"] {
        desk.run(json!({"agent_name": "writer", "prompt": prompt})).await;
    }
    desk.complete(&runner, "done").await;
    desk.claim(&runner).await;
    let (_, stats) = desk.get("/stats?agent_name=nobody").await;
    assert_eq!(stats["queue"], json!({"pending": 1, "held": 1}));
}
