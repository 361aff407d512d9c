//! The Prometheus metrics after a few runs.

use axum::body::Body;
use axum::http::Request;
use serde_json::{Value, json};

use crate::support::{Desk, Held, refused};

/// Names that only this test uses: other tests in the process count into the same metrics.
const AGENT: &str = "metrics-agent";
const MODEL: &str = "metrics-model";

async fn scraped(desk: &Desk) -> String {
    let request = Request::builder().uri("/metrics").body(Body::empty()).unwrap();
    let (status, text) = desk.raw(request).await;
    assert_eq!(status, 200, "{text}");
    text
}

/// The value of a series; zero if there is none.
fn value(text: &str, series: &str) -> f64 {
    let line = text.lines().find_map(|line| line.strip_prefix(series)?.strip_prefix(' '));
    line.map_or(0.0, |value| value.parse().unwrap())
}

fn attempt(number: u32, outcome: &str) -> Value {
    json!({
        "number": number,
        "delivery": 1,
        "at": "2026-11-01T00:00:00Z",
        "strategy": "native",
        "model": MODEL,
        "endpoint": "anthropic http://metrics",
        "outcome": outcome,
        "usage": {"input_tokens": 10, "output_tokens": 2, "cost_usd": 0.25},
        "duration_ms": 9000,
        "request_ms": [1000, 500],
        "text": "",
    })
}

#[tokio::test]
async fn commands_have_no_strategy_and_no_model() {
    let desk = Desk::with_writer().await;
    let before = scraped(&desk).await;
    let runner = desk.runner().await;
    for strategy in ["auto", "tool"] {
        desk.run(json!({"agent_name": "writer", "prompt": "a"})).await;
        let held = desk.claim(&runner).await;
        let answer = json!({
            "number": 1, "delivery": 1, "at": "2026-11-01T00:00:00Z", "strategy": strategy, "model": format!("metrics-of-{strategy}"),
            "outcome": "no_progress", "duration_ms": 1, "text": "",
        });
        assert_eq!(report(&desk, &held, &held.holding, &[answer]).await.0, 200);
        desk.finish(&held, json!({"status": "completed", "result_text": "done"})).await;
    }
    let stats = desk.get("/stats").await.1;
    let keys: Vec<&Value> = stats["by_strategy"].as_array().unwrap().iter().map(|row| &row["key"]).collect();
    assert_eq!((keys, &stats["all"]["attempts"]), (vec![&json!("tool")], &json!(2)));
    let text = scraped(&desk).await;
    let counted = |text: &str, strategy: &str| {
        value(text, &format!("accord_attempts_total{{strategy=\"{strategy}\",outcome=\"no_progress\"}}"))
    };
    assert_eq!(counted(&text, "auto"), 0.0);
    assert!(counted(&text, "tool") - counted(&before, "tool") >= 1.0, "{text}");
    assert!(text.contains("metrics-of-tool") && !text.contains("metrics-of-auto"), "{text}");
}

async fn report(desk: &Desk, held: &Held, holding: &Value, attempts: &[Value]) -> (u16, Value) {
    let body = json!({"holding": holding, "attempts": attempts});
    desk.post(&format!("/runner/runs/{}/attempts", held.run_id), body).await
}

#[tokio::test]
async fn runs_attempts_waits_and_losses_are_counted() {
    let desk = Desk::new();
    desk.agent(json!({"name": AGENT})).await;
    let before = scraped(&desk).await;
    assert!(before.contains("\naccord_lease_losses_total "), "{before}");
    let runner = desk.runner().await;
    let request = json!({"agent_name": AGENT, "prompt": "a"});

    desk.run(request.clone()).await;
    desk.pass(3);
    let held = desk.claim(&runner).await;
    let answers = [attempt(1, "schema_echo"), attempt(2, "accepted")];
    assert_eq!(report(&desk, &held, &held.holding, &answers).await.0, 200);
    // If a response is lost, the runner repeats its report.
    assert_eq!(report(&desk, &held, &held.holding, &answers).await.0, 200);
    let mut stranger = held.holding.clone();
    stranger["runner_id"] = json!(desk.runner().await);
    assert_eq!(refused(&report(&desk, &held, &stranger, &answers).await), (409, "LeaseLost"));
    let end = desk.finish(&held, json!({"status": "completed", "result_text": "done"})).await;
    assert_eq!(end.1["status"], "completed");

    desk.run(request.clone()).await;
    let held = desk.claim(&runner).await;
    let error = json!({"type": "executor_failed", "message": "no"});
    assert_eq!(desk.finish(&held, json!({"status": "failed", "error": error})).await.1["status"], "failed");

    let (stopped, _) = desk.run(request.clone()).await;
    assert_eq!(desk.post_empty(&format!("/runs/{stopped}/stop")).await.1["status"], "stopped");

    desk.run(request.clone()).await;
    desk.claim(&runner).await;
    desk.pass(31);
    desk.reconcile().await;
    desk.run(request).await;
    desk.claim(&runner).await;

    let text = scraped(&desk).await;
    let mut ours: Vec<&str> = text
        .lines()
        .filter(|line| {
            line.contains("\"metrics-") && !line.contains("metrics-of-") && !line.contains("_bucket{")
        })
        .map(|line| line.trim_start_matches("accord_"))
        .collect();
    ours.sort_unstable();
    let expected = [
        r#"cost_usd_total{model="metrics-model"} 0.5"#,
        r#"provider_request_seconds_count{model="metrics-model",endpoint="anthropic http://metrics"} 4"#,
        r#"provider_request_seconds_sum{model="metrics-model",endpoint="anthropic http://metrics"} 3"#,
        r#"runs_total{agent="metrics-agent",outcome="completed"} 1"#,
        r#"runs_total{agent="metrics-agent",outcome="executor_failed"} 1"#,
        r#"runs_total{agent="metrics-agent",outcome="stopped"} 1"#,
        r#"tokens_total{direction="input",model="metrics-model"} 20"#,
        r#"tokens_total{direction="output",model="metrics-model"} 4"#,
    ];
    assert_eq!(ours, expected, "{text}");
    let grown = |series: &str| value(&text, series) - value(&before, series);
    for (series, least) in [
        (r#"accord_attempts_total{strategy="native",outcome="schema_echo"}"#, 1.0),
        (r#"accord_attempts_total{strategy="native",outcome="accepted"}"#, 1.0),
        ("accord_lease_losses_total", 1.0),
        ("accord_queue_wait_seconds_count", 4.0),
        ("accord_queue_wait_seconds_sum", 3.0),
        (r#"accord_http_requests_total{route="/runs",status="2xx"}"#, 5.0),
        (r#"accord_http_requests_total{route="/runner/runs/{id}/attempts",status="4xx"}"#, 1.0),
    ] {
        assert!(grown(series) >= least, "{series} has grown by {}\n{text}", grown(series));
    }
    assert_eq!(value(&text, r#"accord_queue_depth{state="pending"}"#), 1.0);
    assert_eq!(value(&text, r#"accord_queue_depth{state="held"}"#), 1.0);
}
