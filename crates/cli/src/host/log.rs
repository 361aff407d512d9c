//! Logs, to stderr, for people or as JSON lines; and traces, where they are configured.
//!
//! Each has a filter of its own: traces are whole whatever is logged, and a span that neither wants is never made.

use std::future::Future;
use std::io::IsTerminal as _;

use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer, Registry};

use super::files;
use super::telemetry::Telemetry;
use crate::config::{Config, LogFormat};
use crate::failure::{Failure, Problem};
use crate::runtime;

/// Runs a service with its logs, its traces and room for open files; what is left of the traces is sent when it has ended.
pub(crate) fn observed<T>(
    config: &Config,
    service: impl Future<Output = Result<T, Failure>>,
) -> Result<T, Failure> {
    runtime::block_on(async {
        let telemetry = start(config)?;
        files::make_room(config.values.runner.concurrency);
        let result = service.await;
        if let Some(telemetry) = telemetry {
            telemetry.end().await;
        }
        result
    })
}

/// Whether logs can be written as they are configured.
pub(super) fn examine(config: &Config) -> Result<(), Problem> {
    logs(config).map(drop)
}

fn start(config: &Config) -> Result<Option<Telemetry>, Failure> {
    let mut layers = vec![logs(config)?];
    let telemetry = Telemetry::start(config)?;
    layers.extend(telemetry.as_ref().map(Telemetry::layer));
    let started = tracing_subscriber::registry().with(layers).try_init();
    started.map_err(|error| Problem::new(format!("logs cannot be written: {error}")))?;
    Ok(telemetry)
}

fn logs(config: &Config) -> Result<Box<dyn Layer<Registry> + Send + Sync>, Problem> {
    let filter = &config.values.log.filter;
    let filter = EnvFilter::try_new(filter).map_err(|error| {
        Problem::new(format!("log.filter '{filter}' cannot be used: {error}"))
            .hint("info, debug, or for example accord_coordinator=debug,info")
    })?;
    let layer = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
    Ok(match config.values.log.format {
        LogFormat::Human => {
            let ansi = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
            layer.with_target(false).with_ansi(ansi).with_filter(filter).boxed()
        }
        LogFormat::Json => layer.json().with_filter(filter).boxed(),
    })
}
