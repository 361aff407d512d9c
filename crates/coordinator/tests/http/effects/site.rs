//! A coordinator over a store that fails once, with a client and a runner that do what real ones do then: repeat the request.

use std::collections::BTreeMap;
use std::sync::Arc;

use accord_api::StoreKind;
use accord_coordinator::{AppOptions, Background, Settings};
use accord_store::Store;
use accord_test_support::{Call, FailingStore, Fault};
use serde_json::{Value, json};

use super::invariants;
use crate::support::{Answer, Desk, Fake, Held, settings, text};

/// How long a restarted coordinator leaves work alone on which another one crashed, and a second.
const REST_SECONDS: i64 = 3;

/// The same if another coordinator may still be alive, and has to be silent first.
const SILENCE_SECONDS: i64 = 11;

/// More rounds than any chain of consequences here has links.
const MOST_ROUNDS: usize = 12;

pub(crate) struct Site {
    pub(crate) desk: Desk,
    /// A coordinator without the fault, to look at what there is.
    reader: Desk,
    /// Without the fault.
    pub(crate) store: Arc<dyn Store>,
    front: Arc<FailingStore>,
    kind: StoreKind,
    fault: Fault,
    has_recovered: bool,
    runner: String,
    /// The runs that the runner holds, by their ids.
    held: Vec<(String, Value)>,
    /// Those of them that nobody has asked for yet.
    claimed: Vec<Held>,
    /// What was acknowledged: runs, and how they ended where that was said.
    acknowledged: BTreeMap<String, Option<String>>,
    /// Whether the work begins with the claim.
    pub(crate) starts: bool,
    keys: u32,
}

/// An answer, and whether the request was sent before.
pub(crate) struct Sent {
    pub(crate) status: u16,
    pub(crate) body: Value,
    pub(crate) is_repeated: bool,
}

impl Sent {
    /// Checks the status. A repeated request may find that the first one had its effect.
    #[track_caller]
    pub(crate) fn expect(self, status: u16, if_repeated: &[u16]) -> Value {
        let is_done = self.is_repeated && if_repeated.contains(&self.status);
        assert!(self.status == status || is_done, "expected {status}, got {}: {}", self.status, self.body);
        self.body
    }
}

fn coordinator(store: Arc<dyn Store>, clock: Arc<Fake>, kind: StoreKind) -> Desk {
    Desk::over(store, clock, Settings { store: kind, ..settings() }, AppOptions::default())
}

impl Site {
    /// A coordinator with a runner and agents. The fault counts from here.
    pub(crate) async fn new(store: Arc<dyn Store>, kind: StoreKind, agents: &[&str], fault: Fault) -> Self {
        let desk = coordinator(Arc::clone(&store), Arc::default(), kind);
        super::cases::create(&desk, agents).await;
        let profile = json!({"executor_types": ["llm", "external"], "held_executor_types": ["external"]});
        let runner = desk.runner_with(profile).await;
        let front = Arc::new(FailingStore::new(Arc::clone(&store), fault));
        Self {
            desk: coordinator(front.clone(), Arc::clone(&desk.clock), kind),
            reader: desk,
            store,
            front,
            kind,
            fault,
            has_recovered: false,
            runner,
            held: Vec::new(),
            claimed: Vec::new(),
            acknowledged: BTreeMap::new(),
            starts: false,
            keys: 0,
        }
    }

    /// What follows prepares the case. It can fail in another case, and does not here.
    pub(crate) fn prepare(&self) {
        self.front.pause(true);
    }

    /// The case itself begins.
    pub(crate) fn begin(&self) {
        self.front.pause(false);
    }

    /// The calls of the store.
    pub(crate) fn calls(&self) -> Vec<Call> {
        self.front.calls()
    }

    /// After the fault: starts another coordinator if this one died, lets the reconcilers run, and checks what must be true
    /// although nobody has repeated anything.
    async fn recovered(&mut self) -> bool {
        if self.has_recovered || !self.front.has_failed() {
            return false;
        }
        self.has_recovered = true;
        if matches!(self.fault, Fault::Dies { .. }) {
            self.desk = coordinator(Arc::clone(&self.store), Arc::clone(&self.desk.clock), self.kind);
            let is_alone = self.kind != StoreKind::Postgres;
            self.desk.pass(if is_alone { REST_SECONDS } else { SILENCE_SECONDS });
        }
        self.settle().await;
        true
    }

    /// Lets the reconcilers run until nothing changes, and checks the invariants.
    pub(crate) async fn settle(&mut self) {
        let mut last = self.store.last_event().await.unwrap();
        for _ in 0..MOST_ROUNDS {
            Background::round(&self.desk.app).await.unwrap();
            let now = self.store.last_event().await.unwrap();
            if now == last {
                return self.check().await;
            }
            last = now;
        }
        panic!("the reconcilers do not come to rest");
    }

    /// Checks the invariants.
    pub(crate) async fn check(&self) {
        invariants::check(self.store.as_ref(), &self.acknowledged, self.desk.clock.as_ref()).await;
    }

    /// One round of the reconcilers, in which the coordinator may die.
    pub(crate) async fn round(&mut self) {
        let round = Background::round(&self.desk.app).await;
        if !self.recovered().await {
            round.unwrap();
        }
    }

    /// Time passes while the runner renews the leases that it knows of.
    pub(crate) async fn pass(&mut self, seconds: i64) {
        let mut left = seconds;
        while left > 0 {
            self.beat().await;
            self.desk.pass(left.min(20));
            left -= 20;
        }
        self.beat().await;
    }

    /// Time passes, and nobody hears of the runner.
    pub(crate) async fn lose_runner(&mut self, seconds: i64) {
        self.held.clear();
        self.claimed.clear();
        self.desk.pass(seconds);
        self.round().await;
    }

    async fn beat(&mut self) {
        let runs: Vec<Value> = self
            .held
            .iter()
            .map(|(run, holding)| {
                json!({"run_id": run, "lease_id": holding["lease_id"], "attempt": holding["attempt"]})
            })
            .collect();
        let beat = json!({"runner_id": self.runner, "runs": runs, "wait_seconds": 0});
        self.send("POST", "/runner/heartbeat", beat).await.expect(200, &[]);
    }

    /// Sends a request until it is answered by a coordinator that works.
    pub(crate) async fn send(&mut self, method: &str, path: &str, body: Value) -> Sent {
        self.keys += 1;
        let key = format!("key-{}", self.keys);
        let creates = method == "POST"
            && (path.ends_with('s') && !path.contains("runner/")
                || path.ends_with("/retry")
                || path.ends_with("/fork"));
        let mut body = body;
        let mut is_repeated = false;
        loop {
            let headers: &[_] = match path.split_once("#") {
                Some((_, token)) => &[("accord-input-link", token)],
                None if creates => &[("idempotency-key", key.as_str())],
                None => &[],
            };
            let sent = (method != "DELETE").then(|| body.clone());
            let (status, answer): Answer = self.desk.send(method, path, headers, sent).await;
            if !self.recovered().await || status < 500 {
                return Sent { status, body: answer, is_repeated };
            }
            is_repeated = true;
            if path.ends_with("/finish") {
                body["repeated"] = json!(true);
            }
        }
    }

    pub(crate) async fn post(&mut self, path: &str, body: Value) -> Sent {
        self.send("POST", path, body).await
    }

    /// What the store says, past the fault.
    pub(crate) async fn get(&self, path: &str) -> Value {
        let (status, body) = self.reader.get(path).await;
        assert_eq!(status, 200, "{path}: {body}");
        body
    }

    /// Creates a run, and gives its id and its session's.
    pub(crate) async fn run(&mut self, request: Value) -> (String, String) {
        let made = self.post("/runs", request).await.expect(201, &[]);
        let run = text(&made, "run_id");
        self.acknowledged.insert(run.clone(), None);
        (run, text(&made, "session_id"))
    }

    /// The runner takes the run whose prompt contains this. If the answer of an earlier claim was lost, so is that lease, which
    /// has to run out first; others are claimed meanwhile.
    pub(crate) async fn claim(&mut self, prompt: &str) -> Held {
        for _ in 0..8 {
            let is_it =
                |held: &Held| held.run["parameters"]["prompt"].as_str().unwrap_or_default().contains(prompt);
            if let Some(found) = self.claimed.iter().position(is_it) {
                return self.claimed.remove(found);
            }
            let claim = json!({"runner_id": self.runner, "max": 1, "start": self.starts});
            let body = self.post("/runner/claims", claim).await.expect(200, &[]);
            let Some(run) = body["runs"].get(0).cloned() else {
                assert!(self.has_recovered, "no run waits for a runner");
                self.pass(31).await;
                self.round().await;
                continue;
            };
            let holding =
                json!({"runner_id": self.runner, "lease_id": run["lease_id"], "attempt": run["attempt"]});
            self.held.push((text(&run, "run_id"), holding.clone()));
            self.claimed.push(Held { run_id: text(&run, "run_id"), holding, run });
        }
        panic!("no run with the prompt {prompt} waits for a runner");
    }

    /// The runner takes what there is, and is never heard of again.
    pub(crate) async fn claim_all(&mut self) {
        let claim = json!({"runner_id": self.runner, "max": 10});
        self.post("/runner/claims", claim).await.expect(200, &[]);
    }

    /// The runner reports the end. A repeated report is refused if the first one had its effect.
    pub(crate) async fn finish(&mut self, held: &Held, report: Value) {
        self.held.retain(|(run, _)| *run != held.run_id);
        let mut whole = json!({"holding": held.holding});
        whole.as_object_mut().unwrap().extend(report.as_object().unwrap().clone());
        let path = format!("/runner/runs/{}/finish", held.run_id);
        let answer = self.post(&path, whole).await.expect(200, &[409]);
        self.ended(&answer);
    }

    /// What was said about the end of a run stays true.
    pub(crate) fn ended(&mut self, run: &Value) {
        let status = run["status"].as_str().unwrap_or_default();
        if let (Some(run), "completed" | "failed" | "stopped") = (run["run_id"].as_str(), status) {
            self.acknowledged.insert(run.to_owned(), Some(status.to_owned()));
        }
    }

    /// The runner takes a run and completes it with a text.
    pub(crate) async fn complete(&mut self, prompt: &str, result: &str) {
        let held = self.claim(prompt).await;
        self.finish(&held, json!({"status": "completed", "result_text": result})).await;
    }

    /// Somebody asks a run to stop.
    pub(crate) async fn stop(&mut self, run: &str) {
        let answer = self.post(&format!("/runs/{run}/stop"), json!({})).await.expect(200, &[]);
        self.ended(&answer);
    }

    /// Removes a session: it is no longer there to be acknowledged.
    pub(crate) async fn remove(&mut self, session: &str, runs: &[&str]) {
        for run in runs {
            self.acknowledged.remove(*run);
        }
        self.send("DELETE", &format!("/sessions/{session}"), Value::Null).await.expect(204, &[404]);
    }
}
