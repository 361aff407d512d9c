//! The loop against a session that answers by a script.

mod budgets;
mod cuts;
mod delivery;
mod ladder;
mod models;
mod outages;
mod plain;
mod prompts;
mod rows;
mod script;
mod sources;
mod steps;
