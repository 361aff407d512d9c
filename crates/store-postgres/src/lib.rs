//! The store on PostgreSQL 13 or newer, for several coordinators on one database.
//!
//! Every use case is in one transaction in `READ COMMITTED`: it locks the session and then the run (always in this order),
//! asks [`accord_domain::run::change`], and writes what comes out. Claims and reconcilers skip what others have locked,
//! so that any number of coordinators share the work without waiting for each other. What happens many times in every run shares
//! its transaction with others of its kind (`group`).
//!
//! [`PostgresStore`] (`store`) implements each trait of [`accord_store`] in the file of its
//! subject, with `runs/` and `workflows/` as folders. `load` locks and reads a run with its
//! session, `write` writes changes, many in a few statements; `rows`, `convert` and `text` are
//! rows, columns and plain texts; `list` and `page` make pages of lists; `fault` says what is tried
//! again.
//!
//! # The order of events
//!
//! Ids must become visible in increasing order, and commits must not wait for each other. So an
//! event's id is the number of its transaction (with an offset) and its place in it, and readers
//! stop in front of the oldest transaction that is still open: every smaller number is already
//! visible or will never be used. Transactions of other programs, in this database or elsewhere in
//! the cluster, delay readers only for a moment (`horizon`). In another cluster, a restored dump
//! meets smaller transaction numbers; the offset is raised when a store connects, so restore first
//! and start coordinators afterwards.
//!
//! # Notices
//!
//! `NOTIFY` makes commits wait for each other when it is in their transactions, so it is sent after
//! the commit, in batches. If a process dies in between, the events themselves are read instead
//! (`notices`).
//!
//! Deliberately not used: foreign keys, `jsonb`, stored procedures, and any state in memory that
//! another coordinator needs.

mod audit;
mod callbacks;
mod connect;
mod contracts;
mod convert;
mod definitions;
mod error;
mod event_rows;
mod events;
mod facts;
mod files;
mod front;
mod group;
mod horizon;
mod idempotency;
mod inputs;
mod kept;
mod keys;
mod list;
mod load;
mod migrate;
mod notices;
mod page;
mod quarantine;
mod rows;
mod runners;
mod runs;
mod schemas;
mod sessions;
mod sql;
mod stats;
mod store;
mod text;
mod upkeep;
mod workflows;
mod write;

pub use store::PostgresStore;
