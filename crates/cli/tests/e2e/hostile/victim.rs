//! A coordinator that is attacked request by request, and the effect of each attack.

use std::cell::Cell;
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex};
use std::time::{Duration, Instant};

use accord_test_support::{ModelServer, Reply, Script};
use serde_json::{Value, json};

use super::meter::Meter;
use super::objects::{self, AGENT, LINKS, Objects};
use super::report::{Cost, Report};
use super::wire::{Answer, Request, send};
use crate::support::{Accord, Project, accord, agent, given_binary};

/// The most CPU time that one request may take. An unoptimised build needs several times as much for the same work: a binary
/// that is given is an optimised one.
pub(super) static MOST_CPU: LazyLock<Duration> = LazyLock::new(|| {
    let is_optimised = !cfg!(debug_assertions) || given_binary().is_some();
    Duration::from_secs(if is_optimised { 5 } else { 20 })
});

/// The most memory that one request may take, over what the process has before it.
pub(super) const MOST_MEMORY: u64 = 512 * 1024 * 1024;

/// The most memory over what the idle process has, after any number of attacks. What the allocator keeps of earlier ones is in it.
const MOST_IN_ALL: u64 = 1024 << 20;

/// A request without an answer after this time hangs.
const PATIENCE: Duration = Duration::from_secs(600);

/// How often CPU time and memory are measured, and another client asks something.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// A contract that every value meets, at every level.
pub(super) fn recursive() -> Value {
    json!({"$ref": "#/$defs/node", "$defs": {"node": {"anyOf": [
        {"type": ["null", "boolean", "number", "string"]}, {"type": "array", "items": {"$ref": "#/$defs/node"}},
        {"type": "object", "additionalProperties": {"$ref": "#/$defs/node"}}]}}})
}

/// The caller of a request.
#[derive(Debug, Clone, Copy)]
pub(super) enum By {
    Nobody,
    Viewer,
    Caller,
    Runner,
    Admin,
    /// A run, with its token.
    Run,
}

impl By {
    /// Those who have a key, and nobody.
    pub(super) const EVERYBODY: [Self; 5] =
        [Self::Admin, Self::Caller, Self::Viewer, Self::Runner, Self::Nobody];

    fn role(self) -> Option<&'static str> {
        match self {
            Self::Nobody | Self::Run => None,
            Self::Viewer => Some("viewer"),
            Self::Caller => Some("caller"),
            Self::Runner => Some("runner"),
            Self::Admin => Some("admin"),
        }
    }
}

/// `accord up` with a key for each role, an agent with a scripted model, and a workflow.
pub(super) struct Victim {
    host: Accord,
    /// Makes the project folder, also for the process that replaces a dead one.
    project: Box<dyn Fn() -> Project>,
    model: ModelServer,
    says: Arc<Mutex<String>>,
    meter: Meter,
    idle: u64,
    keys: Vec<(&'static str, String)>,
    pub(super) objects: Objects,
    pub(super) report: Report,
}

impl Victim {
    pub(super) async fn start() -> Self {
        Self::with(Project::new).await
    }

    /// A victim in a project with more files.
    pub(super) async fn with(project: impl Fn() -> Project + 'static) -> Self {
        let says = Arc::new(Mutex::new("{}".to_owned()));
        let model = {
            let says = Arc::clone(&says);
            ModelServer::start(Script::handler(move |_, _| Reply::text(says.lock().unwrap().as_str())))
                .await
                .unwrap()
        };
        let project = Box::new(project);
        let (host, keys) = host(project(), &model).await;
        let meter = Meter::new(host.id());
        let (objects, report) = Default::default();
        let mut victim = Self { host, project, model, says, meter, idle: 0, keys, objects, report };
        victim.settle().await;
        victim
    }

    /// Creates the objects and measures the idle process.
    async fn settle(&mut self) {
        self.furnish().await;
        self.finished_run().await;
        self.idle = self.meter.resident().unwrap();
    }

    /// A request with the key of the caller, or the token of the link.
    pub(super) fn signed(&self, by: By, request: Request) -> Request {
        if let Some(token) = self.objects.link.as_ref().filter(|_| request.target.starts_with(LINKS)) {
            return request.header("accord-input-link", token);
        }
        let key = by.role().and_then(|role| self.keys.iter().find(|(name, _)| *name == role));
        match key {
            Some((_, key)) => request.header("authorization", &format!("Bearer {key}")),
            None => request,
        }
    }

    pub(super) fn admin_key(&self) -> Option<String> {
        self.keys.iter().find(|(role, _)| *role == "admin").map(|(_, key)| key.clone())
    }

    /// Reports a process that died of something that was not a request of this test, and replaces it.
    pub(super) async fn survived(&mut self, place: &str, shape: &str) {
        if self.meter.cpu().is_none() {
            self.report.fail(place, shape, "the coordinator died");
            self.replace().await;
        }
    }

    pub(super) fn meter(&self) -> Meter {
        self.meter
    }

    pub(super) fn host(&self) -> &str {
        self.host.url.trim_start_matches("http://")
    }

    pub(super) fn path(&self) -> &Path {
        self.host.path()
    }

    /// Sets the model's answer from now on.
    pub(super) fn model_says(&self, text: &str) {
        text.clone_into(&mut self.says.lock().unwrap());
    }

    /// The answer to a harmless request, as JSON.
    pub(super) async fn json(&self, request: Request) -> Value {
        let answer = send(self.host(), &self.signed(By::Admin, request)).await.unwrap();
        serde_json::from_str(&answer.text).unwrap_or_else(|_| json!(answer.text))
    }

    /// Sends a request and measures its effect. A process that does not survive is replaced, so
    /// that the other shapes are tried too.
    pub(super) async fn attack(
        &mut self,
        place: &str,
        shape: &str,
        by: By,
        request: Request,
    ) -> Option<Answer> {
        let request = match by {
            By::Run => request.header("authorization", &format!("Bearer {}", self.held().await.token())),
            by => self.signed(by, request),
        };
        self.meter.forget_peak();
        let cpu = self.meter.cpu().unwrap_or_default();
        let before = self.meter.resident().unwrap_or_default();
        let (outcome, other) = {
            let longest = Cell::new(Duration::ZERO);
            let health = async || {
                let since = Instant::now();
                let health = send(self.host(), &Request::new("GET", "/health")).await;
                longest.set(longest.get().max(since.elapsed()));
                health.map_err(|error| format!("another client: {error}"))
            };
            let others = async {
                let mut looks = tokio::time::interval(LOOK_EVERY);
                loop {
                    looks.tick().await;
                    if let Err(error) = health().await {
                        return error;
                    }
                }
            };
            let asked = async {
                let answer = tokio::select! {
                    answer = send(self.host(), &request) => answer.map_err(|error| error.to_string())?,
                    error = others => return Err(error),
                };
                health().await?;
                Ok(answer)
            };
            let watched = async {
                tokio::select! {
                    outcome = asked => outcome,
                    exceeded = self.exceeds(cpu, before) => Err(exceeded),
                }
            };
            let outcome = tokio::time::timeout(PATIENCE, watched).await;
            (outcome.unwrap_or_else(|_| Err(format!("no answer in {PATIENCE:?}"))), longest.get())
        };
        let used = self.meter.cpu().map(|after| after.saturating_sub(cpu));
        let memory = self.meter.peak().map(|after| after.saturating_sub(before));
        let error = match (outcome, used, memory) {
            (Ok(answer), Some(cpu), Some(memory)) => {
                let shape_and_status = format!("{shape} → {}", answer.status);
                self.report.note(place, &shape_and_status, Cost { cpu, memory, other: Some(other) });
                if answer.status >= 500 && answer.status != 503 {
                    let text: String = answer.text.chars().take(200).collect();
                    self.report.fail(place, shape, &format!("status {}: {text}", answer.status));
                }
                return Some(answer);
            }
            (Err(error), Some(_), Some(_)) => error,
            (Err(error), ..) => format!("the process died: {error}"),
            (Ok(_), ..) => "the process died".to_owned(),
        };
        self.report.fail(place, shape, &error);
        self.replace().await;
        None
    }

    /// Sends a request that is to be accepted: otherwise the attacks that are made from it reach nothing.
    pub(super) async fn accepts(&mut self, place: &str, request: Request) {
        if let Some(answer) = self.attack(place, "harmless", By::Admin, request).await
            && (answer.status >= 400 || answer.text.contains("\"error\":{\"code\""))
        {
            let text: String = answer.text.chars().take(300).collect();
            self.report.fail(place, "harmless", &format!("refused: {} {text}", answer.status));
        }
    }

    /// Returns when the process has exceeded a limit.
    async fn exceeds(&self, cpu: Duration, before: u64) -> String {
        let mut looks = tokio::time::interval(LOOK_EVERY);
        loop {
            looks.tick().await;
            let used = self.meter.cpu().unwrap_or_default().saturating_sub(cpu);
            if used > *MOST_CPU {
                return format!("more than {:?} of CPU", *MOST_CPU);
            }
            let peak = self.meter.peak().unwrap_or_default();
            if peak.saturating_sub(self.idle) > MOST_IN_ALL {
                return format!("more than {} MiB of memory after all attacks so far", MOST_IN_ALL >> 20);
            }
            if peak.saturating_sub(before) > MOST_MEMORY {
                return format!("more than {} MiB of memory, after {used:?} of CPU", MOST_MEMORY >> 20);
            }
        }
    }

    async fn replace(&mut self) {
        let (host, keys) = host((self.project)(), &self.model).await;
        let dead = std::mem::replace(&mut self.host, host);
        (self.keys, self.meter) = (keys, Meter::new(self.host.id()));
        dead.kill().await;
        self.settle().await;
    }

    /// Prints the measurements and fails if a limit was exceeded.
    pub(super) async fn conclude(self, kind: &str) {
        self.host.kill().await;
        self.report.conclude(kind);
    }
}

async fn host(project: Project, model: &ModelServer) -> (Accord, Vec<(&'static str, String)>) {
    // A run that demands what no runner has ends soon, and not when the request has waited for it.
    let project = project.set("ACCORD_QUEUE__MATCH_TIMEOUT_SECONDS", "5");
    // On a machine that does much else, a process may not get the CPU for a while: that is not what is tested here.
    let project = project.set("ACCORD_QUEUE__LEASE_SECONDS", "120");
    let project = project.agent(&agent(AGENT, model, &json!({})));
    let project = objects::agents().iter().fold(project, Project::agent);
    let mut keys = Vec::new();
    for role in By::EVERYBODY.iter().filter_map(|by| by.role()) {
        let output = accord(project.path()).args(["keys", "create", "--role", role]).output().await.unwrap();
        keys.push((role, String::from_utf8(output.stdout).unwrap().trim().to_owned()));
    }
    (project.up().await, keys)
}
