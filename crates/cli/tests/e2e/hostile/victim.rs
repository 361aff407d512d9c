//! A coordinator that is attacked request by request, and the effect of each attack.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use accord_test_support::{ModelServer, Reply, Script};
use serde_json::{Value, json};

use super::meter::Meter;
use super::wire::{Answer, Request, send};
use crate::support::{Accord, Project, accord, agent};

/// The most CPU time that one request may take. An unoptimised build needs several times as much
/// for the same work.
pub(super) const MOST_CPU: Duration = Duration::from_secs(if cfg!(debug_assertions) { 20 } else { 5 });

/// The most memory that one request may add.
pub(super) const MOST_GROWTH: u64 = 512 * 1024 * 1024;

/// A request without an answer after this time hangs.
const PATIENCE: Duration = Duration::from_secs(600);

/// How often CPU time and memory are measured.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// The caller of a request.
#[derive(Debug, Clone, Copy)]
pub(super) enum By<'a> {
    Nobody,
    Viewer,
    Caller,
    Runner,
    Admin,
    /// A run, with its token.
    Run(&'a str),
}

/// The keys of a host, by role.
struct Keys {
    viewer: String,
    caller: String,
    runner: String,
    admin: String,
}

impl Keys {
    async fn create(folder: &std::path::Path) -> Self {
        let create = async |role: &str| {
            let output = accord(folder).args(["keys", "create", "--role", role]).output().await.unwrap();
            String::from_utf8(output.stdout).unwrap().trim().to_owned()
        };
        Self {
            viewer: create("viewer").await,
            caller: create("caller").await,
            runner: create("runner").await,
            admin: create("admin").await,
        }
    }
}

/// `accord up` with a key for each role, an agent with a scripted model, and a workflow.
pub(super) struct Victim {
    host: Accord,
    model: ModelServer,
    says: Arc<Mutex<String>>,
    meter: Meter,
    keys: Keys,
    report: Report,
}

/// The results of all attacks.
#[derive(Default)]
struct Report {
    sent: usize,
    failures: Vec<String>,
    latencies: Vec<Duration>,
    costliest: (Duration, String),
    largest: (u64, String),
}

/// An agent with a model that accepts any answer unless the caller sets a contract.
pub(super) const AGENT: &str = "parrot";

/// A workflow that returns its input.
pub(super) const WORKFLOW: &str = "plain";

impl Victim {
    pub(super) async fn start() -> Self {
        let says = Arc::new(Mutex::new("{}".to_owned()));
        let model = {
            let says = Arc::clone(&says);
            ModelServer::start(Script::handler(move |_, _| Reply::text(says.lock().unwrap().as_str())))
                .await
                .unwrap()
        };
        let (host, keys) = host(&model).await;
        let meter = Meter::new(host.id());
        let victim = Self { host, model, says, meter, keys, report: Report::default() };
        victim.furnish().await;
        victim
    }

    async fn furnish(&self) {
        let nodes = json!({"input": {"type": "input"}, "output": {"type": "output"}});
        let edges = json!([{"from": "input", "to": "output"}]);
        let document = json!({"name": WORKFLOW, "nodes": nodes, "edges": edges});
        let request = self.signed(By::Admin, Request::post("/workflows", document.to_string()));
        let made = send(self.address(), &request).await;
        assert_eq!(made.unwrap().status, 201);
    }

    /// A request with the key of the caller.
    pub(super) fn signed(&self, by: By<'_>, request: Request) -> Request {
        let key = match by {
            By::Nobody => return request,
            By::Viewer => &self.keys.viewer,
            By::Caller => &self.keys.caller,
            By::Runner => &self.keys.runner,
            By::Admin => &self.keys.admin,
            By::Run(token) => token,
        };
        request.header("authorization", &format!("Bearer {key}"))
    }

    pub(super) fn meter(&self) -> Meter {
        self.meter
    }

    pub(super) fn address(&self) -> &str {
        self.host.url.trim_start_matches("http://")
    }

    /// Sets the model's answer from now on.
    pub(super) fn model_says(&self, text: &str) {
        text.clone_into(&mut self.says.lock().unwrap());
    }

    /// The answer to a harmless request, as JSON.
    pub(super) async fn json(&self, request: Request) -> Value {
        let answer = send(self.address(), &self.signed(By::Admin, request)).await.unwrap();
        serde_json::from_str(&answer.text).unwrap_or_else(|_| json!(answer.text))
    }

    /// Sends a request and measures its effect. A process that does not survive is replaced, so
    /// that the other shapes are tried too.
    pub(super) async fn attack(&mut self, name: &str, by: By<'_>, request: Request) -> Option<Answer> {
        let request = self.signed(by, request);
        let name = format!("{} {}: {name}", request.method, shortened(&request.target));
        self.report.sent += 1;
        self.meter.forget_peak();
        let (cpu, resident) =
            (self.meter.cpu().unwrap_or_default(), self.meter.resident().unwrap_or_default());
        let outcome = {
            let asked = async {
                let answer = send(self.address(), &request).await.map_err(|error| error.to_string())?;
                let since = Instant::now();
                let health = send(self.address(), &Request::new("GET", "/health")).await;
                health.map_err(|error| format!("the next request: {error}"))?;
                Ok::<_, String>((answer, since.elapsed()))
            };
            let watched = async {
                tokio::select! {
                    outcome = asked => outcome,
                    exceeded = self.exceeds(cpu, resident) => Err(exceeded),
                }
            };
            let outcome = tokio::time::timeout(PATIENCE, watched).await;
            outcome.unwrap_or_else(|_| Err(format!("no answer in {PATIENCE:?}")))
        };
        let used = self.meter.cpu().map(|after| after.saturating_sub(cpu));
        let grown = self.meter.peak().map(|after| after.saturating_sub(resident));
        let error = match (outcome, used, grown) {
            (Ok((answer, latency)), Some(used), Some(grown)) => {
                self.report.note(&name, used, grown, latency);
                if answer.status >= 500 && answer.status != 503 {
                    let text: String = answer.text.chars().take(200).collect();
                    self.report.failures.push(format!("{name}: status {}: {text}", answer.status));
                }
                return Some(answer);
            }
            (Err(error), Some(_), Some(_)) => error,
            (Err(error), ..) => format!("the process died: {error}"),
            (Ok(_), ..) => "the process died".to_owned(),
        };
        self.report.failures.push(format!("{name}: {error}"));
        self.replace().await;
        None
    }

    /// Returns when the process has exceeded a limit.
    async fn exceeds(&self, cpu: Duration, resident: u64) -> String {
        let mut looks = tokio::time::interval(LOOK_EVERY);
        loop {
            looks.tick().await;
            let used = self.meter.cpu().unwrap_or_default().saturating_sub(cpu);
            if used > MOST_CPU {
                return format!("more than {MOST_CPU:?} of CPU");
            }
            let grown = self.meter.peak().unwrap_or_default().saturating_sub(resident);
            if grown > MOST_GROWTH {
                return format!("more than {} MiB of memory, after {used:?} of CPU", MOST_GROWTH >> 20);
            }
        }
    }

    async fn replace(&mut self) {
        let (host, keys) = host(&self.model).await;
        let dead = std::mem::replace(&mut self.host, host);
        (self.keys, self.meter) = (keys, Meter::new(self.host.id()));
        dead.kill().await;
        self.furnish().await;
    }

    /// Prints the measurements and fails if a limit was exceeded.
    pub(super) async fn conclude(self) {
        println!("{}", self.report.summary());
        self.host.kill().await;
        let failures = &self.report.failures;
        assert!(failures.is_empty(), "{} attacks did harm:\n{}", failures.len(), failures.join("\n"));
    }
}

async fn host(model: &ModelServer) -> (Accord, Keys) {
    let project = Project::new().agent(&agent(AGENT, model, &json!({})));
    let keys = Keys::create(project.path()).await;
    (project.up().await, keys)
}

fn shortened(target: &str) -> String {
    target.chars().take(60).collect()
}

impl Report {
    fn note(&mut self, name: &str, used: Duration, grown: u64, latency: Duration) {
        self.latencies.push(latency);
        if used > self.costliest.0 {
            self.costliest = (used, name.to_owned());
        }
        if grown > self.largest.0 {
            self.largest = (grown, name.to_owned());
        }
        if std::env::var_os("HOSTILE_VERBOSE").is_some() {
            println!("{used:>8.2?} {:>6} MiB {name}", grown >> 20);
        }
    }

    fn summary(&self) -> String {
        let mut latencies = self.latencies.clone();
        latencies.sort_unstable();
        let percentile =
            |share: usize| latencies.get((latencies.len().saturating_sub(1)) * share / 100).copied();
        let mut text = format!("{} requests, {} failures", self.sent, self.failures.len());
        let _ = write!(
            text,
            "; the next request: p50 {:.1?}, p90 {:.1?}, p99 {:.1?}, most {:.1?}",
            percentile(50).unwrap_or_default(),
            percentile(90).unwrap_or_default(),
            percentile(99).unwrap_or_default(),
            percentile(100).unwrap_or_default(),
        );
        let _ = write!(text, "; most CPU {:.2?} ({})", self.costliest.0, self.costliest.1);
        let _ = write!(text, "; most memory {} MiB ({})", self.largest.0 >> 20, self.largest.1);
        text
    }
}
