//! Providers that are unavailable for a while, and runs that wait for them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use accord_api::{EventBody, FailureType, RunStatus};
use accord_client::EventFilter;
use accord_test_support::{ModelServer, Reply};
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use crate::support::{Accord, Project, accord, agent, ask, kinds, model};

/// A proxy to a model, closed until it is opened: connections are dropped without an answer.
struct Line {
    url: String,
    is_open: Arc<AtomicBool>,
    task: JoinHandle<()>,
}

impl Line {
    async fn to(model: &ModelServer) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let is_open = Arc::new(AtomicBool::new(false));
        let (opened, target) = (Arc::clone(&is_open), model.url().replace("http://", ""));
        let task = tokio::spawn(async move {
            while let Ok((mut caller, _)) = listener.accept().await {
                if !opened.load(Ordering::SeqCst) {
                    continue;
                }
                let target = target.clone();
                tokio::spawn(async move {
                    let mut model = TcpStream::connect(target).await.unwrap();
                    tokio::io::copy_bidirectional(&mut caller, &mut model).await.ok();
                });
            }
        });
        Self { url, is_open, task }
    }

    fn open(&self) {
        self.is_open.store(true, Ordering::SeqCst);
    }

    fn agent(&self, name: &str, model: &ModelServer, extra: &Value) -> Value {
        let mut blueprint = agent(name, model, extra);
        blueprint["executor"]["base_url"] = json!(self.url);
        blueprint
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Waits for the event that a run is waiting.
async fn waits(host: &Accord, run: &accord_api::RunId) -> EventBody {
    let filter = EventFilter { run_id: Some(run.clone()), ..EventFilter::default() };
    let is_wait = |body: &EventBody| matches!(body, EventBody::RequestRepeated { .. });
    host.events_until(filter, is_wait).await.pop().unwrap().body
}

#[tokio::test]
async fn a_run_waits_until_its_provider_is_back() {
    let model = model([Reply::text("back")]).await;
    let line = Line::to(&model).await;
    let host = Project::new().agent(&line.agent("free", &model, &json!({}))).up().await;
    let run = host.client.create_run(&ask("free"), None).await.unwrap();
    let told = waits(&host, &run.run_id).await;
    let EventBody::RequestRepeated { reason, milliseconds, attempts, attempts_left, milliseconds_left } =
        told
    else {
        panic!("{told:?}")
    };
    assert!(reason.starts_with("no response from anthropic "), "{reason}");
    assert_eq!((attempts, attempts_left), (Some(1), None));
    assert!((250..=500).contains(&milliseconds) && milliseconds_left.unwrap() > 80_000);
    line.open();
    let events = host.events(&run.run_id).await;
    assert_eq!(kinds(&events).last(), Some(&"run.completed"));
    let watch = ["runs", "watch", run.run_id.as_str()];
    let shown = accord(host.path()).args(watch).output().await.unwrap().stdout;
    let shown = String::from_utf8(shown).unwrap();
    assert!(
        shown.contains("retrying in ") && shown.contains("(attempt 1 failed, giving up after "),
        "{shown}"
    );
    host.end().await;
}

#[tokio::test]
async fn a_run_that_gives_up_reports_attempts_and_time() {
    let model = model([]).await;
    let line = Line::to(&model).await;
    let twice = line.agent("twice", &model, &json!({"retry": {"max_attempts": 2}}));
    let never = line.agent("never", &model, &json!({"retry": {"for_seconds": 0}}));
    let usual = line.agent("usual", &model, &json!({}));
    let host = Project::new().agent(&twice).agent(&never).agent(&usual);
    let host = host.set("ACCORD_RETRY__MAX_ATTEMPTS", "1").up().await;
    for (agent, words) in [
        ("twice", "(gave up after 2 attempts in "),
        ("never", "(not retried: `retry` allows no more attempts)"),
        ("usual", "(not retried: `retry` allows no more attempts)"),
    ] {
        let run = host.run(&ask(agent)).await;
        let failure = run.error.unwrap();
        assert_eq!(failure.kind, FailureType::ExecutorFailed);
        assert!(
            failure.message.starts_with("no response from ") && failure.message.contains(words),
            "{failure:?}"
        );
    }
    host.end().await;
}

#[tokio::test]
async fn a_stop_ends_the_wait() {
    let model = model([]).await;
    let line = Line::to(&model).await;
    let host = Project::new().agent(&line.agent("free", &model, &json!({}))).up().await;
    let run = host.client.create_run(&ask("free"), None).await.unwrap();
    waits(&host, &run.run_id).await;
    host.client.stop_run(&run.run_id).await.unwrap();
    assert_eq!(kinds(&host.events(&run.run_id).await).last(), Some(&"run.stopped"));
    host.end().await;
}

#[tokio::test]
async fn the_time_limit_of_the_run_holds() {
    let model = model([]).await;
    let line = Line::to(&model).await;
    let limited = line.agent("free", &model, &json!({"limits": {"timeout_seconds": 1}}));
    let host = Project::new().agent(&limited).up().await;
    let run = host.run(&ask("free")).await;
    assert_eq!((run.status, run.error.unwrap().kind), (RunStatus::Failed, FailureType::TimedOut));
    host.end().await;
}

#[tokio::test]
async fn a_recorded_outage_is_replayed_without_waiting() {
    let model =
        model([Reply::error(503, "down"), Reply::error(503, "down"), Reply::error(503, "down")]).await;
    let recorded = agent("free", &model, &json!({"retry": {"max_attempts": 2}}));
    let project = Project::new().agent(&recorded);
    let run = async |arguments: &[&str]| accord(project.path()).args(arguments).output().await.unwrap();
    let record = run(&["record", "free", "hello", "-o", "tape.json"]).await;
    assert_eq!(record.status.code(), Some(3), "{record:?}");
    assert_eq!(model.requests().len(), 2);
    let replay = run(&["replay", "tape.json"]).await;
    let said = String::from_utf8_lossy(&replay.stderr).into_owned();
    assert!(said.contains("Replayed 1 attempt; all match the recording."), "{said}");
    assert_eq!(model.requests().len(), 2);
}
