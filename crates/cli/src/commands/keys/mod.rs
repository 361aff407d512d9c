//! `accord keys`: who may speak to the coordinator.
//!
//! Where no coordinator runs, the configured store is opened here: the first key is made before the first start.

mod create;
mod list;
mod rm;

use accord_api::KeyId;
use accord_client::Client;
use accord_coordinator::{Outside as _, System};
use accord_domain::audit::{Actor, Entry};
use accord_store::{Store, StoreError};
use clap::Subcommand;

use crate::config::{Config, Flag};
use crate::connection::{self, ConnectionArguments};
use crate::exit::Exit;
use crate::failure::{Failure, Problem};
use crate::store;

/// Manage API keys: create, list, rm
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Without keys, a coordinator accepts everything from this machine. Listening on other addresses
requires a key. If no coordinator runs, keys are read from and written to the configured database.

Examples:
  accord keys create --role admin --name laptop
  accord keys list
  accord keys rm key_…")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Create(create::Arguments),
    List(list::Arguments),
    Rm(rm::Arguments),
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    match &arguments.command {
        Command::Create(arguments) => create::run(arguments),
        Command::List(arguments) => list::run(arguments),
        Command::Rm(arguments) => rm::run(arguments),
    }
}

/// Where the keys are
#[derive(Debug, clap::Args)]
struct PlaceArguments {
    #[command(flatten)]
    connection: ConnectionArguments,
    /// Database to use instead of a coordinator [default: the configured one]
    #[arg(long, value_name = "URL", conflicts_with = "coordinator")]
    database: Option<String>,
}

impl PlaceArguments {
    fn config(&self) -> Result<Config, Problem> {
        let database = self.database.iter().map(|url| Flag {
            key: "database.url",
            name: "--database",
            value: toml::Value::String(url.clone()),
        });
        self.connection.config(database.collect())
    }

    /// The coordinator that runs; none where the store is to be used.
    async fn client(&self, config: &Config) -> Result<Option<Client>, Failure> {
        // A database that was named explicitly is used, even if others use it.
        if self.database.is_some() {
            return Ok(None);
        }
        connection::running(config).await
    }
}

/// Notes in the audit log what was done to a key without a coordinator.
async fn record(store: &dyn Store, action: &str, key_id: &KeyId) -> Result<(), Failure> {
    let entry = Entry {
        at: System.now(),
        actor: Actor::CommandLine,
        action: action.to_owned(),
        object: Some(key_id.to_string()),
        hash: None,
        address: None,
        forwarded_for: None,
    };
    store.add_audit(entry).await.map_err(refused)
}

/// A store that does not do what it is asked.
fn refused(error: StoreError) -> Failure {
    let message = error.to_string();
    match error {
        StoreError::NoSuch { .. } => {
            Problem::new(message).hint("run `accord keys list` to see available keys").into()
        }
        StoreError::Unavailable(_) => {
            Failure::Remote(store::failed().unwrap_or_else(|| Problem::new(message)))
        }
        _ => Failure::Remote(Problem::new(message)),
    }
}
