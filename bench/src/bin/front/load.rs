//! Requests at a fixed rate, whether or not earlier ones were answered.
//!
//! Every caller is a thread with a connection of its own: a thread wakes within some ten microseconds of its time, timers of an
//! async runtime within a millisecond. Time is measured from when a request was due, so that nothing is left out if answers are late.

use std::fmt;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use bench::http::Connection;
use serde_json::{Value, json};

use crate::model::CONTENT;

/// At 100 requests per second, each caller is due every 640 ms. Answers that take longer delay its next request, and that delay
/// counts.
const CALLERS: u32 = 64;

/// The name of the model for all peers: of the agent, for Accord.
pub(crate) const MODEL: &str = "front";

pub(crate) struct Load {
    address: String,
    key: Option<String>,
    body: String,
}

impl Load {
    /// With the schema in the request.
    pub(crate) fn with_schema(address: &str) -> Self {
        let format = json!({"name": "ticket", "strict": true, "schema": schema()});
        let format = json!({"type": "json_schema", "json_schema": format});
        let body = json!({"model": MODEL, "messages": messages(), "response_format": format});
        Self { address: address.to_owned(), key: None, body: body.to_string() }
    }

    /// For an agent, which has the schema itself.
    pub(crate) fn without_schema(address: &str) -> Self {
        let body = json!({"model": MODEL, "messages": messages()});
        Self { address: address.to_owned(), key: None, body: body.to_string() }
    }

    pub(crate) fn with_key(self, key: &str) -> Self {
        Self { key: Some(key.to_owned()), ..self }
    }

    async fn connect(&self) -> Result<Connection> {
        let connection = Connection::open(&self.address).await?;
        Ok(match &self.key {
            Some(key) => connection.with_key(key),
            None => connection,
        })
    }

    pub(crate) fn run(&self, rate: u32, length: Duration) -> Result<Measured> {
        let mut callers = Vec::new();
        for _ in 0..CALLERS {
            callers.push(Caller::warm(self)?);
        }
        let (begun, between) = (Instant::now() + Duration::from_millis(100), Duration::from_secs(1) / rate);
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..)
                .zip(callers)
                .map(|(index, mut caller)| {
                    scope.spawn(move || {
                        let mut measured = Measured::default();
                        let due = (index..).step_by(CALLERS as usize).map(|number: u32| between * number);
                        for due in due.take_while(|due| *due < length) {
                            measured.add(caller.ask_at(begun + due));
                        }
                        measured
                    })
                })
                .collect();
            let measured: Vec<Measured> = threads
                .into_iter()
                .map(|thread| thread.join().map_err(|_| anyhow::anyhow!("a caller panicked")))
                .collect::<Result<_>>()?;
            Ok(Measured::all(&measured))
        })
    }
}

fn messages() -> Value {
    json!([{"role": "user", "content": "Sort this ticket: nobody can log in since nine"}])
}

pub(crate) fn schema() -> Value {
    json!({
        "type": "object",
        "required": ["severity", "summary"],
        "additionalProperties": false,
        "properties": {
            "severity": {"type": "string", "enum": ["low", "medium", "high"]},
            "summary": {"type": "string"},
        },
    })
}

/// A caller with an open connection.
struct Caller<'a> {
    load: &'a Load,
    runtime: tokio::runtime::Runtime,
    connection: Connection,
    expected: String,
}

impl<'a> Caller<'a> {
    /// Connects, and asks once.
    fn warm(load: &'a Load) -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let connection = runtime.block_on(load.connect())?;
        let mut caller = Self { load, runtime, connection, expected: json!(CONTENT).to_string() };
        caller.ask().with_context(|| format!("the first request to {}", load.address))?;
        Ok(caller)
    }

    fn ask_at(&mut self, due: Instant) -> Result<Duration> {
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
        let asked = self.ask();
        if asked.is_err() {
            self.connection = self.runtime.block_on(self.load.connect())?;
        }
        asked.map(|()| due.elapsed())
    }

    /// The answer has to be the model's, whole.
    fn ask(&mut self) -> Result<()> {
        let answer = self.connection.post("/v1/chat/completions", &self.load.body);
        let answer = self.runtime.block_on(answer)?;
        anyhow::ensure!(answer.contains(&self.expected), "another answer");
        Ok(())
    }
}

#[derive(Default)]
pub(crate) struct Measured {
    times: Vec<Duration>,
    pub(crate) failures: usize,
}

impl Measured {
    fn add(&mut self, asked: Result<Duration>) {
        match asked {
            Ok(time) => self.times.push(time),
            Err(error) => {
                if self.failures == 0 {
                    eprintln!("a request failed: {error:#}");
                }
                self.failures += 1;
            }
        }
    }

    pub(crate) fn all(parts: &[Self]) -> Self {
        let mut times: Vec<Duration> = parts.iter().flat_map(|part| &part.times).copied().collect();
        times.sort_unstable();
        Self { times, failures: parts.iter().map(|part| part.failures).sum() }
    }

    pub(crate) fn answers(&self) -> usize {
        self.times.len()
    }

    /// In milliseconds, of sorted times.
    pub(crate) fn percentile(&self, percent: usize) -> f64 {
        let index = self.times.len() * percent / 100;
        self.times.get(index).or(self.times.last()).map_or(0.0, |time| time.as_secs_f64() * 1000.0)
    }
}

impl fmt::Display for Measured {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (p50, p99) = (self.percentile(50), self.percentile(99));
        write!(formatter, "p50 {p50:.2} ms, p99 {p99:.2} ms, {} failures", self.failures)
    }
}
