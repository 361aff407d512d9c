//! Logs, to stderr, for people or as JSON lines; and traces, where they are configured.
//!
//! Logs and traces have separate filters: traces are complete at every log level, and a span that
//! neither needs is never created.

use std::future::Future;
use std::io::IsTerminal as _;
use std::str::FromStr as _;

use tracing_subscriber::filter::LevelFilter;
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
    started.map_err(|error| Problem::new(format!("cannot start logging: {error}")))?;
    Ok(telemetry)
}

fn logs(config: &Config) -> Result<Box<dyn Layer<Registry> + Send + Sync>, Problem> {
    let filter = filter(&config.values.log.filter)?;
    let layer = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
    Ok(match config.values.log.format {
        LogFormat::Human => {
            let ansi = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
            layer.with_target(false).with_ansi(ansi).with_filter(filter).boxed()
        }
        LogFormat::Json => layer.json().with_filter(filter).boxed(),
    })
}

/// The log filter. A single word is a level: the filter library would read a mistyped level as the
/// name of a module and hide everything else, including errors.
fn filter(text: &str) -> Result<EnvFilter, Problem> {
    let refused = |why: String| {
        Problem::new(format!("invalid log.filter '{text}': {why}"))
            .hint("use info, debug, or for example accord_coordinator=debug,info")
    };
    // A directive in brackets is a span and needs no level.
    let is_unknown =
        |word: &&str| !word.is_empty() && !word.contains(['=', '[']) && LevelFilter::from_str(word).is_err();
    if let Some(word) = text.split(',').map(str::trim).find(is_unknown) {
        return Err(refused(format!("expected off, error, warn, info, debug or trace, got '{word}'")));
    }
    // It logs every message, with what is in it, so only a filter that names it gets it. Alone, this would turn off the rest.
    let quiet = if text.trim().is_empty() { "" } else { "rmcp=off," };
    EnvFilter::try_new(format!("{quiet}{text}")).map_err(|error| refused(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistyped_level_is_rejected() {
        for text in
            ["info", "INFO", "off", "2", "", "accord_coordinator=debug,info", "a=off, warn", "[request],info"]
        {
            assert!(filter(text).is_ok(), "{text}");
        }
        for (text, word) in
            [("infoo", "infoo"), ("accord=debug,wran", "wran"), ("accord_coordinator", "accord_coordinator")]
        {
            let problem = format!("{:?}", filter(text).unwrap_err());
            assert!(problem.contains(&format!("debug or trace, got '{word}'")), "{problem}");
        }
    }
}
