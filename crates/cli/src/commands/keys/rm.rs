//! `accord keys rm`.

use accord_api::KeyId;

use super::{PlaceArguments, refused};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::store::store_as_it_is;
use crate::{output, runtime};

/// Take a key back: whoever has it is shut out
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  accord keys rm key_…")]
pub(crate) struct Arguments {
    /// The key's id, not the key itself
    key_id: KeyId,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    place: PlaceArguments,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let config = arguments.place.config()?;
    runtime::block_on(async {
        match arguments.place.client(&config).await? {
            Some(client) => Ok(client.delete_key(&arguments.key_id).await?),
            None => store_as_it_is(&config).await?.remove_key(&arguments.key_id).await.map_err(refused),
        }
    })?;
    if arguments.json {
        output::json(&serde_json::json!({"key_id": arguments.key_id, "removed": true}))?;
    } else {
        output::talk(&format!("removed {}\n", arguments.key_id));
    }
    Ok(Exit::Success)
}
