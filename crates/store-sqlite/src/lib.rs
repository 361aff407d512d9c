//! The store on SQLite.
//!
//! One thread writes and groups what it writes into few commits (`writer`); a few connections read beside it
//! (`readers`). A use case loads rows, asks [`accord_domain::run::change`] and writes what comes out (`change`); nothing
//! is decided here. Documents that many runs share are kept once.
//!
//! [`SqliteStore`] (`store`) implements each trait of [`accord_store`] in the file of its subject, `runs/` and `workflows/` in
//! folders of theirs. There a use case is a closure for the writer or a reader. `rows/` reads and writes single tables, `value`
//! single columns; `page` makes pages of lists; `fault` turns errors into the caller's. `open`,
//! `opened` and `migrate` see to the file.
//!
//! Absent on purpose: a connection pool that writes, because SQLite has one writer whatever a pool says; and notices
//! across processes, because SQLite has no way to tell.

mod audit;
mod callbacks;
mod change;
mod contracts;
mod definitions;
mod error;
mod events;
mod facts;
mod inputs;
mod kept;
mod keys;
mod migrate;
mod open;
mod opened;
mod page;
mod poisoned;
mod quarantine;
mod readers;
mod rows;
mod runners;
mod runs;
mod schemas;
mod sessions;
mod stats;
mod store;
#[cfg(test)]
mod tests;
mod upkeep;
mod value;
mod workflows;
mod writer;

pub use store::SqliteStore;
