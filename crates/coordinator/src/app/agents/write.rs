//! Agents' files, written so that a reader sees the old file or the new one and nothing between.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

use serde_json::Value;

use super::document::Format;
use super::files::{FileAgent, Home, PROMPT_FILE};
use super::splice::spliced;
use super::yaml;

/// Writes a blueprint to where it lives. A prompt with a file of its own stays there.
pub(super) fn write(home: &Home, value: &Value) -> Result<(), String> {
    let mut value = value.clone();
    let mut prompt = None;
    if let (Some(_), Value::Object(members)) = (&home.prompt, &mut value) {
        prompt = members.shift_remove("system_prompt").and_then(|prompt| prompt.as_str().map(str::to_owned));
    }
    let text = match home.format {
        Format::Yaml => match fs::read_to_string(&home.file).ok().and_then(|old| spliced(&old, &value)) {
            Some(text) => text,
            None => yaml::write(&value)?,
        },
        Format::Json => serde_json::to_string_pretty(&value).map_err(|error| error.to_string())? + "\n",
    };
    let written = || {
        // In this order, what stands there in between is an agent as well: the old one with the new prompt.
        match (&home.prompt, &prompt) {
            (Some(file), Some(prompt)) => replace(file, prompt).and_then(|()| replace(&home.file, &text)),
            (Some(file), None) => replace(&home.file, &text).and_then(|()| fs::remove_file(file)),
            (None, _) => replace(&home.file, &text),
        }
    };
    written().map_err(|error| error.to_string())
}

/// Removes an agent's files, and its folder if nothing else is in it.
pub(super) fn remove(agent: &FileAgent) -> Result<(), String> {
    let Some(home) = &agent.home else { return Err("the agent's file is unknown".to_owned()) };
    fs::remove_file(&home.file).map_err(|error| error.to_string())?;
    if let Some(folder) = home.file.parent() {
        // The agent is gone already; what cannot be tidied up stays.
        let _ = fs::remove_file(folder.join(PROMPT_FILE));
        let _ = fs::remove_dir(folder);
    }
    Ok(())
}

/// Puts a text in the place of a file's.
pub(in crate::app) fn replace(file: &Path, text: &str) -> io::Result<()> {
    // Where the file is a link to another place of the folder, that place is written.
    let file = fs::canonicalize(file)?;
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let temporary = file.with_file_name(format!(".{name}.{}.tmp", std::process::id()));
    let written = (|| {
        let permissions = fs::metadata(&file)?.permissions();
        if permissions.readonly() {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the file is read-only"));
        }
        let mut output = File::create(&temporary)?;
        output.write_all(text.as_bytes())?;
        output.sync_all()?;
        fs::set_permissions(&temporary, permissions)?;
        fs::rename(&temporary, &file)
    })();
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
}
