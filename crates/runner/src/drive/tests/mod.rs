//! The loop with a session that follows a script.

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
