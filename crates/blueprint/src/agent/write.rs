//! Writes and removes the files of agents.

use std::fs;

use serde_json::Value;

use super::{PROMPT_FILE, ParsedAgent};
use crate::definition::DefinitionFile;
use crate::document::Format;
use crate::splice::spliced;
use crate::text_file::replace;
use crate::write_error::WriteError;

/// Writes a blueprint to its file. A prompt with its own file stays there.
pub(super) fn write(agent: &DefinitionFile<ParsedAgent>, value: &Value) -> Result<(), WriteError> {
    if agent.parsed.foreign {
        return Err(WriteError::Foreign);
    }
    let source = agent.source.as_ref().ok_or(WriteError::NoFile("agent"))?;
    let mut value = value.clone();
    let mut prompt = None;
    if let (Some(_), Value::Object(members)) = (&source.prompt, &mut value) {
        prompt = members.shift_remove("system_prompt").and_then(|prompt| prompt.as_str().map(str::to_owned));
    }
    let old = fs::read_to_string(&source.file).ok().filter(|_| source.format == Format::Yaml);
    let text = match old.and_then(|old| spliced(&old, &value)) {
        Some(text) => text,
        None => source.text_of(&value)?,
    };
    // In this order, a reader in between sees a valid agent too: the old one with the new prompt.
    let written = match (&source.prompt, &prompt) {
        (Some(file), Some(prompt)) => replace(file, prompt).and_then(|()| replace(&source.file, &text)),
        (Some(file), None) => replace(&source.file, &text).and_then(|()| fs::remove_file(file)),
        (None, _) => replace(&source.file, &text),
    };
    Ok(written?)
}

/// Removes the files of an agent, and its folder if nothing else is in it.
pub(super) fn remove(agent: &DefinitionFile<ParsedAgent>) -> Result<(), WriteError> {
    let source = agent.source.as_ref().ok_or(WriteError::NoFile("agent"))?;
    fs::remove_file(&source.file)?;
    if let Some(folder) = source.file.parent() {
        // The agent is removed already, so what cannot be cleaned up stays.
        let _ = fs::remove_file(folder.join(PROMPT_FILE));
        let _ = fs::remove_dir(folder);
    }
    Ok(())
}
