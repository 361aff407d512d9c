//! What becomes of a file that already exists. Nothing that a user changed is lost: it stays, or a backup does.
//!
//! The template's configuration only has comments that show the defaults, so an existing one lacks nothing.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::live;
use super::models::Model;
use crate::config::FILE_INSIDE;

/// A blueprint of a template; others are JSON, prompts and schemas, which name no model.
const AGENT: &str = "agent.yaml";

/// What is to be done about one file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Plan {
    Create(String),
    /// It is already there.
    Leave,
    /// It is as `init` wrote it, with another model.
    Update(String),
    /// The user changed it, and it gets the model.
    Merge(String),
    /// The user changed it, and the template's text would replace that.
    Conflict(String),
    /// Settings belong to the user.
    Keep,
}

/// What was done about one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Action {
    Created,
    Unchanged,
    Updated,
    Merged,
    Replaced,
    Kept,
}

/// One file and what was done about it.
#[derive(Debug, Serialize)]
pub(super) struct Change {
    pub(super) file: PathBuf,
    pub(super) action: Action,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) backup: Option<PathBuf>,
}

impl Change {
    /// The file, and in words what was done unless it is simply new.
    pub(super) fn words(&self, shown: &Path) -> String {
        let what = match self.action {
            Action::Created => return shown.display().to_string(),
            Action::Unchanged => "unchanged",
            Action::Updated => "model changed",
            Action::Merged => "model changed, your changes kept",
            Action::Replaced => "replaced by the example",
            Action::Kept => "kept: you changed it",
        };
        let name = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let backup = self.backup.as_ref().map(|backup| format!("; backup: {}", name(backup)));
        format!("{}: {what}{}", shown.display(), backup.unwrap_or_default())
    }
}

/// Compares a file with the one that a template has.
pub(super) fn plan(path: &str, existing: Option<&[u8]>, template: &str, model: &Model) -> Plan {
    let is_agent = path.ends_with(AGENT);
    let new = if is_agent { live::with_model(template, model) } else { template.to_owned() };
    let Some(existing) = existing else { return Plan::Create(new) };
    if existing == new.as_bytes() {
        return Plan::Leave;
    }
    if path == FILE_INSIDE {
        return Plan::Keep;
    }
    let Ok(text) = std::str::from_utf8(existing) else { return Plan::Conflict(new) };
    if is_agent && live::is_untouched(text, template) {
        return Plan::Update(new);
    }
    let merged = if is_agent { live::with_model(text, model) } else { text.to_owned() };
    if merged == text { Plan::Conflict(new) } else { Plan::Merge(merged) }
}

/// Copies a file to `NAME.bak`, or `NAME.bak2` where that exists, and so on.
pub(super) fn back_up(file: &Path) -> io::Result<PathBuf> {
    let name = |number: u32| {
        let mut name = file.as_os_str().to_owned();
        name.push(if number == 1 { ".bak".to_owned() } else { format!(".bak{number}") });
        PathBuf::from(name)
    };
    let free = (1..).map(name).find(|path| fs::symlink_metadata(path).is_err());
    let backup = free.ok_or(io::ErrorKind::AlreadyExists)?;
    fs::copy(file, &backup)?;
    Ok(backup)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEMPLATE: &str = "name: a\n# Replays, or\n#   tools: [read_file]\nexecutor: { type: replay, cassette: a.json }\nlimits: {}\n";
    const AGENT_PATH: &str = "agents/a/agent.yaml";

    fn of(existing: &str, model: &Model) -> Plan {
        plan(AGENT_PATH, Some(existing.as_bytes()), TEMPLATE, model)
    }

    #[test]
    fn an_agent_that_nobody_changed_gets_the_new_model() {
        let model: Model = "openai/m".parse().unwrap();
        let live = live::with_model(TEMPLATE, &model);
        assert_eq!(plan(AGENT_PATH, None, TEMPLATE, &model), Plan::Create(live.clone()));
        assert_eq!(of(TEMPLATE, &model), Plan::Update(live.clone()));
        assert_eq!(of(&live, &model), Plan::Leave);
        for other in [Model::ClaudeCode, Model::Recorded, "ollama/x:1b".parse().unwrap()] {
            assert_eq!(of(&live, &other), Plan::Update(live::with_model(TEMPLATE, &other)), "{other:?}");
            assert_eq!(of(&live::with_model(TEMPLATE, &other), &model), Plan::Update(live.clone()));
        }
    }

    #[test]
    fn changes_of_the_user_survive() {
        let model: Model = "openai/m".parse().unwrap();
        let edited = TEMPLATE.replace("limits: {}", "# mine\nlimits: { max_turns: 3 }");
        let Plan::Merge(merged) = of(&edited, &model) else { panic!("expected a merge") };
        assert!(merged.contains("provider: openai") && merged.contains("# mine\nlimits: { max_turns: 3 }"));
        // The user has chosen a model, and perhaps settings for it.
        let own = edited.replace("type: replay, cassette: a.json", "type: llm, provider: lab, model: x");
        assert!(matches!(of(&own, &model), Plan::Conflict(_)));
        assert!(matches!(plan(AGENT_PATH, Some(b"\xff"), TEMPLATE, &model), Plan::Conflict(_)));
        assert!(matches!(plan("schemas/a.json", Some(b"{}"), "{ }", &model), Plan::Conflict(_)));
        assert_eq!(plan(FILE_INSIDE, Some(b"# mine"), "[server]", &model), Plan::Keep);
    }

    #[test]
    fn a_backup_replaces_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.yaml");
        for (text, expected) in [("one", "a.yaml.bak"), ("two", "a.yaml.bak2"), ("three", "a.yaml.bak3")] {
            fs::write(&file, text).unwrap();
            let backup = back_up(&file).unwrap();
            assert_eq!(backup, folder.path().join(expected));
            assert_eq!(fs::read_to_string(backup).unwrap(), text);
        }
    }
}
