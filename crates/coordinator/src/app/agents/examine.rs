//! The whole examination of one agent.

use accord_api::{Problem, Severity};
use accord_contract::Place;
use accord_domain::agent::Blueprint;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::check::{Contracts, check};
use super::document::Document;
use super::finding::Findings;
use super::{kb, read};

/// A blueprint without mistakes.
#[derive(Debug)]
pub(crate) struct Sound {
    pub(crate) blueprint: Blueprint,
    pub(crate) contracts: Contracts,
}

/// What came out.
#[derive(Debug)]
pub(crate) struct Examined {
    /// The blueprint's document: mapped, with its system prompt.
    pub(crate) value: Value,
    /// The blueprint, where it has no mistakes.
    pub(crate) sound: Option<Sound>,
    /// All mistakes and warnings, in the order of the file where that is known.
    pub(crate) problems: Vec<Problem>,
    /// Where the first schema is wrong, where nothing but schemas is.
    pub(crate) wrong_schema: Option<Place>,
    /// Whether the document was of another kind than ours.
    pub(crate) foreign: bool,
}

impl Examined {
    /// The document as text: what is stored, hashed and handed to runners.
    pub(crate) fn document(&self) -> String {
        self.value.to_string()
    }
}

/// What surrounds a document in a folder.
#[derive(Debug, Default)]
pub(super) struct Surroundings<'a> {
    /// The folder's name, which must be the agent's.
    pub(super) folder: Option<&'a str>,
    /// The text of a system prompt in a file of its own.
    pub(super) prompt: Option<String>,
}

/// Examines a document that came by itself.
pub(crate) fn examine_value(value: Value) -> Examined {
    examine(Document::plain(value), Surroundings::default())
}

/// Examines a document.
pub(super) fn examine(mut document: Document, surroundings: Surroundings<'_>) -> Examined {
    let mut findings = Findings::default();
    let foreign = kb::is_one(&document.value);
    if foreign {
        kb::map(&mut document, &mut findings);
    }
    if let (Some(prompt), Value::Object(members)) = (surroundings.prompt, &mut document.value) {
        if members.contains_key("system_prompt") {
            let message = "the system prompt is set here and in system-prompt.md; keep one of them";
            findings.error(Place::root().key("system_prompt"), message);
        } else {
            members.insert("system_prompt".to_owned(), Value::from(prompt));
        }
    }
    let read = read::blueprint(&document.value, &mut findings);
    let contracts = read.as_ref().map(|read| check(read, &mut findings)).unwrap_or_default();
    if let (Some(folder), Some(read)) = (surroundings.folder, &read) {
        let name = &read.blueprint.name;
        if folder != name {
            let message =
                format!("the agent is named '{name}', but its folder is '{folder}'; use the same name");
            findings.error(Place::root().key("name"), message);
        }
    }
    let sound = match read {
        Some(read) if !findings.has_errors() => Some(Sound { blueprint: read.blueprint, contracts }),
        _ => None,
    };
    let wrong_schema = findings.only_of_schemas().map(|place| document.as_written(place));
    let mut problems: Vec<Problem> =
        findings.into_vec().into_iter().map(|finding| document.problem(finding)).collect();
    problems.sort_by_key(|problem| (problem.severity == Severity::Warning, problem.line, problem.column));
    Examined { value: document.value, sound, problems, wrong_schema, foreign }
}

/// A hash of a text: for conditions and caches.
pub(crate) fn hash_of(text: &str) -> String {
    format!("sha256:{}", hex(&Sha256::digest(text.as_bytes())))
}

/// Bytes as people write them.
pub(crate) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
