//! `accord keys rm`.

use accord_api::{KeyId, PageQuery};

use super::{PlaceArguments, record, refused};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::store::store_as_it_is;
use crate::{output, runtime};

/// Revoke a key
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  accord keys rm key_…")]
pub(crate) struct Arguments {
    /// Key id (key_…), not the key itself
    key_id: KeyId,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    place: PlaceArguments,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let config = arguments.place.config()?;
    let none_is_left = runtime::block_on(async {
        match arguments.place.client(&config).await? {
            Some(client) => {
                client.delete_key(&arguments.key_id).await?;
                // Where keys are left, this one may have been the one that was shown.
                let left = client.keys(&PageQuery::default()).await;
                Ok(left.is_ok_and(|left| left.items.is_empty()))
            }
            None => {
                let store = store_as_it_is(&config).await?;
                store.remove_key(&arguments.key_id).await.map_err(refused)?;
                record(store.as_ref(), "key.deleted", &arguments.key_id).await?;
                Ok::<_, Failure>(store.keys().await.is_ok_and(|left| left.is_empty()))
            }
        }
    })?;
    if arguments.json {
        output::json(&serde_json::json!({"key_id": arguments.key_id, "removed": true}))?;
    } else {
        output::message(&format!("revoked {}\n", arguments.key_id));
    }
    if none_is_left {
        output::message("That was the last key: anyone on this machine now has full access.\n");
    }
    Ok(Exit::Success)
}
