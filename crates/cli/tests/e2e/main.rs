//! The binary as a user runs it: `accord up` in a folder, with a scripted model as the provider,
//! used over HTTP.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test that cannot set itself up has failed"
)]

mod acp;
mod again;
mod blueprint_contracts;
mod caller_contracts;
mod caller_tools;
mod chaos;
mod collector;
mod commands;
mod contract_decisions;
mod cuts;
mod endpoints;
mod external;
mod fallbacks;
mod faults;
#[cfg(target_os = "linux")]
mod hostile;
mod kill;
mod lifecycle;
mod mcp;
mod observability;
mod outages;
mod people;
mod review;
mod steps;
mod support;
#[cfg(target_os = "linux")]
mod terminal;
mod traces;
mod unread;
mod workflow;
