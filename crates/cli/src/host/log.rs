//! Logs: to stderr, for people or as JSON lines.

use tracing_subscriber::EnvFilter;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::config::{Config, LogFormat};
use crate::failure::{Failure, Problem};

/// Starts to log, as configured.
pub(crate) fn start(config: &Config) -> Result<(), Failure> {
    let filter = &config.values.log.filter;
    let filter = EnvFilter::try_new(filter).map_err(|error| {
        Problem::new(format!("log.filter '{filter}' cannot be used: {error}"))
            .hint("info, debug, or for example accord_coordinator=debug,info")
    })?;
    let registry = tracing_subscriber::registry().with(filter);
    let layer = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
    let started = match config.values.log.format {
        LogFormat::Human => registry.with(layer.with_target(false)).try_init(),
        LogFormat::Json => registry.with(layer.json()).try_init(),
    };
    started.map_err(|error| Problem::new(format!("logs cannot be written: {error}")).into())
}
