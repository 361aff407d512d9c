//! Types for callers: the input and output schemas of agents as TypeScript with Zod, Pydantic models or serde structs.
//!
//! `read` turns JSON Schema into a neutral [`model`], and one printer per language writes it. A type never rejects a conforming
//! value, and a value that is read and written again is the same value. What a type cannot express (a pattern, a range, a
//! condition) is a comment next to it; a schema without a usable structure becomes `unknown`, `Any` or `serde_json::Value`.
//!
//! Missing on purpose: validation of constraints. The coordinator validates every input and output against the whole schema.

mod agent;
mod comment;
mod merge;
mod model;
mod names;
mod order;
mod python;
mod read;
mod rust;
mod typescript;

use accord_json::{Exceeded, Meter};

pub use agent::Agent;

use crate::model::Types;

/// A language that types can be written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// TypeScript types and Zod 4 schemas.
    TypeScript,
    /// Pydantic 2 models.
    Python,
    /// Structs and enums with serde.
    Rust,
}

/// The source file with the types of these agents.
pub fn generate(language: Language, agents: &[Agent], meter: &Meter) -> Result<String, Exceeded> {
    let types = Types::of(agents, meter)?;
    match language {
        Language::TypeScript => typescript::print(&types, meter),
        Language::Python => python::print(&types, meter),
        Language::Rust => rust::print(&types, meter),
    }
}

#[cfg(test)]
mod tests;
