//! `accord runner`: a runner without a coordinator.

use accord_runner::Shutdown;

use crate::commands::up;
use crate::config::Flag;
use crate::connection::{self, ConnectionArguments};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::host;
use crate::runtime;

/// Start a runner that executes runs for a coordinator
#[derive(Debug, clap::Args)]
#[command(after_help = "\
On the first Ctrl-C (or SIGTERM, SIGHUP) it finishes its runs; on the second it returns them to the
queue and exits.

Examples:
  accord runner --coordinator http://10.0.0.5:8765 --key-file runner.key --tags gpu --concurrency 16")]
pub(crate) struct Arguments {
    #[command(flatten)]
    connection: ConnectionArguments,
    /// Tags that runs can require
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    tags: Vec<String>,
    /// Maximum number of concurrent runs
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    concurrency: Option<u32>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let mut flags = Vec::new();
    if !arguments.tags.is_empty() {
        // An empty text is a list of none.
        let tags = arguments.tags.iter().filter(|tag| !tag.is_empty());
        let value = tags.cloned().map(toml::Value::String).collect();
        flags.push(Flag { key: "runner.tags", name: "--tags", value: toml::Value::Array(value) });
    }
    if let Some(concurrency) = arguments.concurrency {
        let value = toml::Value::Integer(i64::from(concurrency));
        flags.push(Flag { key: "runner.concurrency", name: "--concurrency", value });
    }
    let config = arguments.connection.config(flags)?;
    host::observed(&config, async {
        let mut signals = runtime::signals()?;
        let client = match connection::running(&config).await? {
            Some(client) => client,
            None => connection::client(&config.values.runner.coordinator, &config)?,
        };
        host::tell_of_openings(&config, client.clone());
        let executors = host::executors(&config)?;
        let shutdown = Shutdown::new();
        let mut work = host::runner(&config, client, executors, shutdown.clone())?;
        up::until_ended(&mut work, &mut signals, &shutdown).await?;
        Ok(Exit::Success)
    })
}
