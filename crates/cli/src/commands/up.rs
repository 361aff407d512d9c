//! `accord up`: coordinator and runner in one process.

use accord_api::Role;
use accord_runner::Shutdown;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::config::{Config, Flag};
use crate::connection::{self, Address};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::host::{self, Duty};
use crate::output;
use crate::project::ProjectArguments;
use crate::runtime;

/// Start a coordinator and a runner in one process
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Prints its address to stdout when it is ready; logs go to stderr. On the first Ctrl-C (or SIGTERM,
or when the terminal closes) it finishes running work; on the second it stops at once, and
unfinished runs are queued again. Nothing is lost either way.

Examples:
  accord up
  accord up --listen 127.0.0.1:0 --dir examples
  accord up --database postgres://accord@localhost/accord --concurrency 32")]
pub(crate) struct Arguments {
    #[command(flatten)]
    project: ProjectArguments,
    #[command(flatten)]
    server: ServerArguments,
    /// Start only the coordinator
    #[arg(long)]
    no_runner: bool,
    /// Maximum number of concurrent runs
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    concurrency: Option<u32>,
}

/// How the coordinator is reached and where it keeps things
#[derive(Debug, Default, clap::Args)]
pub(crate) struct ServerArguments {
    /// Address to listen on, HOST:PORT; port 0 picks a free one [default: 127.0.0.1:8765]
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<String>,
    /// Database: sqlite://FILE or postgres://… [default: sqlite://.accord/accord.db]
    #[arg(long, value_name = "URL")]
    database: Option<String>,
}

impl ServerArguments {
    pub(crate) fn flags(&self) -> Vec<Flag> {
        let text = |key, name, value: &Option<String>| {
            value.as_ref().map(|value| Flag { key, name, value: toml::Value::String(value.clone()) })
        };
        [text("server.listen", "--listen", &self.listen), text("database.url", "--database", &self.database)]
            .into_iter()
            .flatten()
            .collect()
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let mut flags = arguments.server.flags();
    if let Some(concurrency) = arguments.concurrency {
        let value = toml::Value::Integer(i64::from(concurrency));
        flags.push(Flag { key: "runner.concurrency", name: "--concurrency", value });
    }
    let config = Config::load(&arguments.project.find()?, flags)?;
    serve(&config, !arguments.no_runner)
}

/// Hosts a coordinator, and a runner unless it is disabled, until a signal comes.
pub(crate) fn serve(config: &Config, with_runner: bool) -> Result<Exit, Failure> {
    host::observed(config, async {
        let mut signals = runtime::signals()?;
        let store = crate::store::local_store(config).await?;
        let serving = CancellationToken::new();
        let listen = &config.values.server.listen;
        let hosted = host::coordinator(config, store, listen, Duty::All, serving.clone()).await?;
        connection::tell_of_another(config).await;
        let address =
            Address { url: hosted.url(), pid: std::process::id(), instance: hosted.instance().to_owned() };
        let _address = address.leave(&config.project)?;
        let ready = format!("accord is ready at {}\n", hosted.url());
        if with_runner {
            let shutdown = Shutdown::new();
            let client = hosted.client(Role::Runner)?;
            let mut work = host::runner(config, client, host::executors(config)?, shutdown.clone())?;
            output::show(&ready)?;
            host::tell_of_openings(config, hosted.client(Role::Viewer)?);
            until_ended(&mut work, &mut signals, &shutdown).await?;
        } else {
            output::show(&ready)?;
            signals.recv().await;
        }
        // The runner went first: it still had to report to the coordinator.
        serving.cancel();
        hosted.ended().await;
        Ok(Exit::Success)
    })
}

/// Passes signals on until the runner has ended.
pub(crate) async fn until_ended(
    work: &mut host::Work,
    signals: &mut mpsc::UnboundedReceiver<()>,
    shutdown: &Shutdown,
) -> Result<(), Failure> {
    loop {
        tokio::select! {
            ended = work.ended() => return ended,
            Some(()) = signals.recv() => shutdown.signal(),
        }
    }
}
