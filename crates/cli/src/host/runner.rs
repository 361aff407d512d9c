//! A runner, from the configuration.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use accord_api::Profile;
use accord_client::Client;
use accord_executor::{Registry, Retry};
use accord_runner::{Runner, RunnerSettings, Shutdown, Variables};
use tokio::task::JoinHandle;

use crate::config::{self, Config};
use crate::failure::{Failure, Problem};

/// A running runner.
pub(crate) struct Work {
    task: JoinHandle<Result<(), Problem>>,
}

impl Work {
    /// Waits until it has ended, or returns the failure that ended it.
    pub(crate) async fn ended(&mut self) -> Result<(), Failure> {
        match (&mut self.task).await {
            Ok(ended) => ended.map_err(Failure::Remote),
            Err(error) => Err(Failure::Remote(Problem::new(format!("the runner crashed: {error}")))),
        }
    }
}

/// Starts a runner against a coordinator.
pub(crate) fn runner(
    config: &Config,
    client: Client,
    executors: Registry,
    shutdown: Shutdown,
) -> Result<Work, Failure> {
    let project_dir = folder(config)?;
    let values = &config.values.runner;
    let profile = Profile {
        hostname: hostname(),
        project_dir: project_dir.display().to_string(),
        executor_types: executors.kinds().into_iter().collect(),
        tags: values.tags.iter().cloned().collect(),
        concurrency: values.concurrency,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        ..Profile::default()
    };
    let drain = Duration::from_secs(u64::from(values.drain_seconds));
    let text =
        |(name, value): (OsString, OsString)| Some((name.into_string().ok()?, value.into_string().ok()?));
    let config::Retry { for_seconds, max_attempts } = config.values.retry;
    let settings = RunnerSettings {
        drain,
        retry: Retry { for_time: Duration::from_secs(for_seconds.into()), max_attempts },
        coordinator_url: Some(client.base_url().to_owned()),
        variables: Variables::new(std::env::vars_os().filter_map(text)),
        ..RunnerSettings::new(profile)
    };
    let runner = Runner::new(Arc::new(client), executors, settings);
    let task = tokio::spawn(async move {
        if let Err(error) = runner.run(shutdown).await {
            tracing::error!(%error, "the runner stopped");
            return Err(Problem::new(error.to_string()));
        }
        Ok(())
    });
    Ok(Work { task })
}

/// The folder that runs work in, unless they name another.
pub(super) fn folder(config: &Config) -> Result<PathBuf, Failure> {
    let wanted = config.project.join(Path::new(&config.values.runner.project_dir));
    let problem = |error| Problem::new(format!("invalid runner.project_dir {}: {error}", wanted.display()));
    Ok(wanted.canonicalize().map_err(problem)?)
}

pub(super) fn hostname() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let name = name.or_else(|| std::env::var("HOSTNAME").ok());
    name.map(|name| name.trim().to_owned())
        .filter(|name| !name.is_empty())
        .unwrap_or_else(|| "localhost".to_owned())
}
