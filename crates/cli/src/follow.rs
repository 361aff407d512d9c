//! Following a run to its end.

use accord_api::{EventId, EventView, RunId, RunView};
use accord_client::{Client, ClientError, EventFilter};
use futures_util::StreamExt as _;

use crate::failure::{Failure, Problem};
use crate::output;
use crate::view::event;

/// Hands over every event of a run, from its first, and gives the run when it is over.
pub(crate) async fn follow(
    client: &Client,
    run_id: &RunId,
    mut seen: impl FnMut(&EventView) -> Result<(), Failure>,
) -> Result<RunView, Failure> {
    let filter = EventFilter { run_id: Some(run_id.clone()), ..EventFilter::default() };
    let mut events = client.events(&filter, Some(EventId(0)));
    while let Some(item) = events.next().await {
        let event = match item {
            Ok(event) => event,
            // An event of a newer coordinator: what matters comes at the end.
            Err(ClientError::Unreadable { .. }) => {
                output::talk("an event that this version cannot read was skipped\n");
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        seen(&event)?;
        if event::ends(&event.body) {
            return Ok(client.run(run_id).await?);
        }
    }
    Err(Failure::Remote(Problem::new(format!("the events of {run_id} ended before the run did"))))
}
