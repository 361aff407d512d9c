//! Requests for a person's input of everything that a command waits for: reported once each, so that nobody waits without
//! knowing for whom.

use std::collections::HashSet;
use std::convert::Infallible;
use std::time::Duration;

use accord_api::{InputQuery, InputStatus};
use accord_client::Client;
use tokio::time::sleep;

use crate::view::event::how_to_answer;

/// People take minutes; a look costs one request.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// How many open requests are looked at.
const LOOKED_AT: u32 = 500;

/// Reports open requests among these, until it is dropped.
pub(crate) async fn tell(client: &Client, among: InputQuery, say: impl Fn(&str)) -> Infallible {
    let open = InputQuery { status: Some(InputStatus::Open), limit: Some(LOOKED_AT), ..among };
    let mut told = HashSet::new();
    loop {
        // An unreachable coordinator is reported by the code that follows the run.
        let found = client.inputs(&open).await.map(|page| page.items).unwrap_or_default();
        for input in found.into_iter().rev() {
            if told.insert(input.id.clone()) {
                say(&format!("A person has to answer: {}\n", how_to_answer(&[input.id])));
            }
        }
        sleep(LOOK_EVERY).await;
    }
}
