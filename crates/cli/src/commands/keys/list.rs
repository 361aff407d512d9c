//! `accord keys list`.

use accord_api::{KeyView, Page, PageQuery};

use super::{PlaceArguments, refused};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::paging::PagingArguments;
use crate::store::store_as_it_is;
use crate::view::text::{Times, line};
use crate::{output, runtime, table};

/// List keys, without their secrets
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  accord keys list
  accord keys list --json | jq -r '.items[] | select(.role == \"runner\").key_id'")]
pub(crate) struct Arguments {
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    place: PlaceArguments,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let config = arguments.place.config()?;
    let page = runtime::block_on(async {
        if let Some(client) = &arguments.place.client(&config).await? {
            // They are few: a list of keys with some left out would mislead.
            return PagingArguments::all()
                .gather(|page: PageQuery| async move { client.keys(&page).await })
                .await;
        }
        let keys = store_as_it_is(&config).await?.keys().await.map_err(refused)?;
        let view = |key: accord_domain::key::Key| KeyView {
            key_id: key.id,
            name: key.name,
            role: key.role,
            created_at: key.created_at,
            expires_at: key.expires_at,
            last_used_at: key.last_used_at,
        };
        Ok(Page::new(keys.into_iter().map(view).collect(), None))
    })?;
    if arguments.json {
        output::json(&page)?;
    } else if page.items.is_empty() {
        output::message("No keys found. Without keys, anyone on this machine has full access.\n");
    } else {
        output::show(&view(&page.items, &Times::here()))?;
    }
    Ok(Exit::Success)
}

fn view(keys: &[KeyView], times: &Times) -> String {
    let mut table =
        table::new(&["key", "role", "name", "created", "last used", "expires"]).spare(&["created"]);
    for key in keys {
        table.add_row([
            key.key_id.to_string(),
            key.role.to_string(),
            line(&key.name),
            times.at(key.created_at),
            key.last_used_at.map_or_else(|| "never".to_owned(), |at| times.at(at)),
            key.expires_at.map_or_else(|| "never".to_owned(), |at| times.at(at)),
        ]);
    }
    table.text()
}
