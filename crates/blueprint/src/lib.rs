//! Agent and workflow files: reads, checks and writes them. No coordinator is needed.
//!
//! - `document`, `yaml`: a file as a value with the position of each part; `splice` writes a changed value and keeps comments.
//! - `finding`: mistakes and warnings. Every step reports everything it finds and continues.
//! - `agent`: `kb` maps files in another format, `read` makes a blueprint of the value, `check` checks what the types cannot
//!   express. `folder` reads a folder of agents, `write` changes a file in it.
//! - `workflow`: the same for graphs, which `accord_workflow` reads and checks.
//! - `definition`: what both have in common.
//!
//! Whether a named agent or a registered schema exists is checked with a `Library`, which the caller fills.

mod agent;
mod definition;
mod document;
mod finding;
mod generator_schemas;
mod hash;
mod labels;
mod name;
mod shape;
mod splice;
mod stamp;
mod text_file;
mod workflow;
mod write_error;
mod yaml;

pub use agent::check::BLUEPRINT_RETRIES;
pub use agent::contracts::{Contracts, DeclaredSchema, agent_contract_hash, implicit_parameters};
pub use agent::file_schema::file_schema as agent_file_schema;
pub use agent::providers::add_configuration as add_provider_configuration;
pub use agent::tiers::{UnknownTier, resolve_tiers};
pub use agent::view::{agents_in, summary as agent_summary};
pub use agent::{Agents, ParsedAgent, ValidBlueprint};
pub use definition::{DefinitionFile, DefinitionKind, Folder, Parsed, SourceFile};
pub use finding::warning;
pub use generator_schemas::rewrite_for_generators;
pub use hash::{hash_of, hex};
pub use labels::{label_error, unmeetable};
pub use name::{MAX_NAME_LENGTH, Named, name_error, new_name_error};
pub use shape::mismatch_at;
pub use stamp::Stamp;
pub use workflow::view::{summary as workflow_summary, workflows_in};
pub use workflow::{
    Library, ParsedWorkflow, Workflows, has_errors, inline_blueprint, inline_blueprints, unregistered_schema,
};
pub use write_error::WriteError;
