//! What the commands that ask a coordinator have in common: which one to ask, and how to print what it says.

use accord_api::{Page, PageQuery};
use accord_client::{Client, ClientError};
use serde::Serialize;

use crate::connection::{Access, ConnectionArguments, Reached};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::paging::{self, PagingArguments};
use crate::{output, runtime};

/// Which coordinator to ask, and how to print its response
#[derive(Debug, clap::Args)]
pub(crate) struct CallArguments {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) connection: ConnectionArguments,
}

impl ConnectionArguments {
    /// Asks the coordinator that runs, or one of the command's own, for something that needs no new database.
    pub(crate) fn ask<T>(&self, ask: impl AsyncFnOnce(&Reached) -> Result<T, Failure>) -> Result<T, Failure> {
        runtime::block_on(async { ask(&self.reach(Access::Look).await?).await })
    }
}

impl CallArguments {
    /// Prints a value as JSON or, for people, as this text.
    pub(crate) fn print(
        &self,
        value: &impl Serialize,
        text: impl FnOnce() -> String,
    ) -> Result<Exit, Failure> {
        match self.json {
            true => output::json(value)?,
            false => output::show(&text())?,
        }
        Ok(Exit::Success)
    }
}

/// How much of a list, from which coordinator, and how to print it
#[derive(Debug, clap::Args)]
pub(crate) struct ListingArguments {
    #[command(flatten)]
    pub(crate) paging: PagingArguments,
    #[command(flatten)]
    pub(crate) call: CallArguments,
}

impl ListingArguments {
    /// Prints the requested items as JSON or a table, or the message for an empty list.
    pub(crate) fn print<T: Serialize>(
        &self,
        fetch: impl AsyncFn(&Client, PageQuery) -> Result<Page<T>, ClientError>,
        none: &str,
        table: impl FnOnce(&[T]) -> String,
    ) -> Result<Exit, Failure> {
        let gather = async |client: &Reached| self.paging.gather(|page| fetch(client, page)).await;
        let page = self.call.connection.ask(gather)?;
        paging::show(&page, self.call.json, none, table)
    }
}
