//! The binary as a user runs it: `accord up` in a folder, a scripted model behind it, HTTP in front of it.

#![expect(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

mod chaos;
mod commands;
mod external;
mod faults;
mod kill;
mod lifecycle;
mod mcp;
mod observability;
mod seed_000;
mod seed_001;
mod seed_002;
mod support;
