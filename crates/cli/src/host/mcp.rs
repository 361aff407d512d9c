//! MCP at a coordinator's own address.
//!
//! The tools speak to the coordinator over loopback like any client, with the key that their caller showed: what a key
//! or a run may do is decided once, at the coordinator's door.

use std::sync::Arc;

use accord_client::{ApiKey, Client};
use accord_coordinator::Guest;
use accord_mcp::{Accord, Http};

use crate::failure::Failure;

/// Answers at `/mcp` with the tools of the coordinator at this address.
pub(super) fn guest(url: String) -> Result<Guest, Failure> {
    // One client for all: with each key only the key is another.
    let open = Client::new(&url, None)?;
    let http = Http::new(move |headers| {
        let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let client = match text("authorization").and_then(|header| header.split_once(' ')) {
            Some((_, key)) => open.with_key(&ApiKey::new(key)).map_err(|error| error.to_string())?,
            None => open.clone(),
        };
        // The coordinator notes who made a change: that is who called, not this machine.
        let way: Vec<&str> =
            headers.get_all("x-forwarded-for").iter().filter_map(|value| value.to_str().ok()).collect();
        let client = client.on_behalf_of(&way.join(", ")).map_err(|error| error.to_string())?;
        let tools = Accord::new(client.in_trace(text(accord_trace::HEADER)), None);
        Ok(Arc::new(tools.for_contract(text("accord-contract").map(str::to_owned))))
    });
    Ok(Arc::new(move |request| {
        let http = http.clone();
        Box::pin(async move { http.answer(request).await })
    }))
}
