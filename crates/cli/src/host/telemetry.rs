//! Traces by OpenTelemetry: OTLP over HTTP, as protobuf, to the collector that is configured.
//!
//! Finished spans go into a bounded queue, and a thread of the SDK sends them in batches. Work never waits for a
//! collector: if it is slow or unreachable, spans are dropped, with one warning in the log. Logs and metrics are not exported:
//! the ones are lines on stderr, the others are scraped from `/metrics`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use accord_executor::HttpTransport;
use async_trait::async_trait;
use opentelemetry::KeyValue;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{SpanExporter, WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tokio::runtime::Handle;
use tokio::time::timeout;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::{Layer, Registry};

use crate::config::{Config, without_secrets};
use crate::failure::{Failure, Problem};

/// Where traces go unless it is configured; the variable that other tools use, too.
const VARIABLE: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";

/// The same for traces alone, with the whole path. It goes before the other.
const VARIABLE_OF_TRACES: &str = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";

/// `true` turns traces off, as it does for every program that sends them.
const OFF: &str = "OTEL_SDK_DISABLED";

/// What collectors take traces at.
const PATH: &str = "/v1/traces";

/// The name that a service has unless `OTEL_SERVICE_NAME` gives another.
const SERVICE: &str = "accord";

/// A collector that takes longer is away. It is the time that OTLP names.
const LONGEST_POST: Duration = Duration::from_secs(10);

/// How long the process may wait for a collector when it exits: the user has pressed Ctrl-C.
const LONGEST_FLUSH: Duration = Duration::from_secs(3);

/// Traces that are sent.
pub(super) struct Telemetry {
    provider: SdkTracerProvider,
}

impl Telemetry {
    /// Begins to send, where an address is configured. Needs a runtime.
    pub(super) fn start(config: &Config) -> Result<Option<Self>, Failure> {
        let Some(address) = wanted(config)? else { return Ok(None) };
        let transport = HttpTransport::new().map_err(|error| Problem::new(error.to_string()))?;
        let sender = Sender { transport, runtime: Handle::current(), away: Arc::default() };
        let exporter = SpanExporter::builder().with_http().with_http_client(sender).with_endpoint(address);
        let exporter =
            exporter.build().map_err(|error| Problem::new(format!("cannot send traces: {error}")))?;
        let name = std::env::var("OTEL_SERVICE_NAME").unwrap_or_else(|_| SERVICE.to_owned());
        let resource = Resource::builder()
            .with_service_name(name)
            .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")))
            .build();
        let provider =
            SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(resource).build();
        Ok(Some(Self { provider }))
    }

    /// Whether traces can be sent as it is configured.
    pub(super) fn examine(config: &Config) -> Result<(), Problem> {
        wanted(config).map(drop)
    }

    /// What hands our spans over. Ours alone: those of the HTTP client that sends them would make more of them.
    pub(super) fn layer(&self) -> Box<dyn Layer<Registry> + Send + Sync> {
        tracing_opentelemetry::layer()
            .with_tracer(self.provider.tracer(SERVICE))
            .with_location(false)
            .with_threads(false)
            .with_target(false)
            .with_tracked_inactivity(false)
            .with_context_activation(false)
            .with_filter(filter_fn(|metadata| metadata.is_span() && metadata.target().starts_with("accord")))
            .boxed()
    }

    /// Sends what is left, as far as the time allows.
    pub(super) async fn end(self) {
        let flushing = move || self.provider.shutdown_with_timeout(LONGEST_FLUSH);
        let ended = timeout(LONGEST_FLUSH, tokio::task::spawn_blocking(flushing)).await;
        if !matches!(ended, Ok(Ok(Ok(())))) {
            tracing::warn!("could not send the last traces");
        }
    }
}

/// The address that traces go to, where they are wanted.
fn wanted(config: &Config) -> Result<Option<String>, Problem> {
    if std::env::var(OFF).is_ok_and(|value| value.trim().eq_ignore_ascii_case("true")) {
        return Ok(None);
    }
    let variable = |name| std::env::var(name).unwrap_or_default();
    address(&config.values.telemetry.otlp_endpoint, &variable(VARIABLE_OF_TRACES), &variable(VARIABLE))
}

/// The address that traces go to. That of traces alone is taken as it is, the others may leave out the path.
fn address(configured: &str, of_traces: &str, variable: &str) -> Result<Option<String>, Problem> {
    let (name, base) = match (configured.trim(), of_traces.trim(), variable.trim()) {
        ("", "", "") => return Ok(None),
        ("", "", base) => (VARIABLE, base),
        ("", address, _) => (VARIABLE_OF_TRACES, address),
        (base, _, _) => ("telemetry.otlp_endpoint", base),
    };
    if !base.starts_with("http://") && !base.starts_with("https://") {
        let shown = without_secrets(base);
        let problem = Problem::new(format!("invalid {name}: expected an http or https URL, got '{shown}'"));
        return Err(problem.hint("for example http://127.0.0.1:4318"));
    }
    if name == VARIABLE_OF_TRACES {
        return Ok(Some(base.to_owned()));
    }
    let base = base.trim_end_matches('/');
    Ok(Some(format!("{}{PATH}", base.strip_suffix(PATH).unwrap_or(base))))
}

/// Carries batches, with the HTTP client that models are asked with.
#[derive(Debug)]
struct Sender {
    transport: HttpTransport,
    /// Batches come from a thread that has none.
    runtime: Handle,
    /// Whether the unreachable collector was reported.
    away: Arc<AtomicBool>,
}

#[async_trait]
impl HttpClient for Sender {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let (transport, url) = (self.transport.clone(), request.uri().to_string());
        let text = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
        let headers = request.headers().iter();
        let headers =
            headers.map(|(name, value)| (name.as_str().to_owned(), text(value.as_bytes()))).collect();
        let body = request.into_body().to_vec();
        let posting = async move { timeout(LONGEST_POST, transport.post(&url, headers, body)).await };
        let posted = match self.runtime.spawn(posting).await {
            Ok(Ok(posted)) => posted.map_err(|error| error.to_string()),
            Ok(Err(_)) => Err(format!("no response within {} seconds", LONGEST_POST.as_secs())),
            Err(error) => Err(error.to_string()),
        };
        self.tell(&posted);
        Ok(Response::builder().status(posted?).body(Bytes::new())?)
    }
}

impl Sender {
    /// Says that the collector is away, and that it is back: not with every batch.
    fn tell(&self, posted: &Result<u16, String>) {
        let problem = match posted {
            Ok(status) if (200..300).contains(status) => None,
            Ok(status) => Some(format!("status {status}")),
            Err(error) => Some(error.clone()),
        };
        match (self.away.swap(problem.is_some(), Ordering::Relaxed), problem) {
            (false, Some(problem)) => {
                tracing::warn!(
                    problem,
                    "the trace collector is unavailable; traces are dropped until it is back"
                );
            }
            (true, None) => tracing::info!("the trace collector is available again"),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_configuration_comes_before_the_variables() {
        let cases = [
            ("", "", "", None),
            ("http://a:4318", "http://c", "http://b", Some("http://a:4318/v1/traces")),
            ("", "", "https://b/otlp/", Some("https://b/otlp/v1/traces")),
            ("", "http://c:4318/own", "http://b", Some("http://c:4318/own")),
            ("http://a/v1/traces", "", "", Some("http://a/v1/traces")),
        ];
        for (configured, of_traces, variable, expected) in cases {
            let address = address(configured, of_traces, variable).ok().flatten();
            assert_eq!(address.as_deref(), expected, "{configured} {of_traces} {variable}");
        }
        assert!(address("a:4318", "", "").is_err() && address("", "", "unix:///a").is_err());
        let problem = format!("{:?}", address("", "c:4318", "http://b").unwrap_err());
        assert!(
            problem.contains(
                "invalid OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: expected an http or https URL, got 'c:4318'"
            ),
            "{problem}"
        );
        let problem = format!("{:?}", address("bob:hush@a:4318", "", "").unwrap_err());
        assert!(problem.contains("'(hidden)@a:4318'") && !problem.contains("hush"), "{problem}");
    }
}
