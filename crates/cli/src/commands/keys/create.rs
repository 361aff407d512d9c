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

/// Make a key; it is shown this once
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The key goes to stdout, what to do with it to stderr. Only a hash of it is kept.
Roles: viewer reads; caller also starts and stops runs; runner speaks the runner protocol and
nothing else; admin does everything. Make an admin's key first: as soon as there is one key, a
coordinator that runs makes others for admins only. Where no admin's key is left, stop it and make
one then.

Examples:
  accord keys create --role admin --name laptop
  accord keys create --role runner --key-file admin.key > runner.key
  accord keys create --role caller --expires 30d --name ci
  accord keys create --role caller --json | jq -r .key")]
pub(crate) struct Arguments {
    /// What it allows
    #[arg(long, value_enum)]
    role: RoleName,
    /// What you call it
    #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true)]
    name: String,
    /// Stop accepting it after this long (30m, 24h, 30d, 2w) or at this time (RFC 3339)
    #[arg(long, value_name = "TIME", value_parser = since::parse_ahead)]
    expires: Option<Timestamp>,
    /// Print one JSON object
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
    output::talk(&format!(
        "{} may act as {}{until}. Keep the key now: it cannot be shown again.\n\
         Send it as 'Authorization: Bearer KEY', or set ACCORD_RUNNER__KEY for accord's own commands.\n",
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
