//! `accord keys create`.

use accord_api::{CreateKey, CreatedKey, Role};
use accord_coordinator::System;
use clap::ValueEnum;
use jiff::Timestamp;

use super::{PlaceArguments, record, refused};
use crate::config::Config;
use crate::exit::Exit;
use crate::failure::{Failure, Problem};
use crate::store::local_store;
use crate::{output, runtime, since};

/// Create a key; it is shown only once
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The key is printed to stdout, instructions to stderr. Only a hash of the key is stored.
Roles: viewer can read; caller can also start and stop runs; runner can only use the runner
protocol; admin can do everything. Create an admin key first: once a key exists, a running
coordinator lets only admins create more. If all admin keys are lost, stop the coordinator and
create one.

Examples:
  accord keys create --role admin --name laptop
  accord keys create --role runner --key-file admin.key > runner.key
  accord keys create --role caller --expires 30d --name ci
  accord keys create --role caller --json | jq -r .key")]
pub(crate) struct Arguments {
    /// What the key is allowed to do
    #[arg(long, value_enum)]
    role: RoleName,
    /// Name of the key, for your own reference
    #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true)]
    name: String,
    /// Expire after this long (30m, 24h, 30d, 2w) or at this time (RFC 3339)
    #[arg(long, value_name = "TIME", value_parser = since::parse_ahead)]
    expires: Option<Timestamp>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    place: PlaceArguments,
}

/// The roles as they are written on the command line.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum RoleName {
    Admin,
    Caller,
    Runner,
    Viewer,
}

impl From<RoleName> for Role {
    fn from(name: RoleName) -> Self {
        match name {
            RoleName::Admin => Self::Admin,
            RoleName::Caller => Self::Caller,
            RoleName::Runner => Self::Runner,
            RoleName::Viewer => Self::Viewer,
        }
    }
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let config = arguments.place.config()?;
    let request = CreateKey {
        role: arguments.role.into(),
        name: arguments.name.clone(),
        expires_at: arguments.expires,
    };
    let created = runtime::block_on(async {
        match arguments.place.client(&config).await? {
            Some(client) => Ok(client.create_key(&request).await?),
            None => create_here(&config, request).await,
        }
    })?;
    if arguments.json {
        output::json(&created)?;
    } else {
        output::data(format!("{}\n", created.key).as_bytes())?;
    }
    let until = created.expires_at.map(|at| format!(" until {at}")).unwrap_or_default();
    output::message(&format!(
        "Created {} with the role {}{until}. Save the key now: it cannot be shown again.\n\
         Send it as 'Authorization: Bearer KEY', or set ACCORD_KEY for accord's own commands.\n",
        created.key_id, created.role
    ));
    Ok(Exit::Success)
}

async fn create_here(config: &Config, request: CreateKey) -> Result<CreatedKey, Failure> {
    let store = local_store(config).await?;
    let (key, secret) = accord_coordinator::new_key(&System, request.role, &request.name, request.expires_at)
        .map_err(|error| Problem::new(error.body().message))?;
    store.add_key(key.clone()).await.map_err(refused)?;
    record(store.as_ref(), "key.created", &key.id).await?;
    Ok(CreatedKey {
        key_id: key.id,
        name: key.name,
        role: key.role,
        key: secret,
        created_at: key.created_at,
        expires_at: key.expires_at,
    })
}
