//! The settings of an external program.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

use crate::program;
use crate::session::OpenError;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Settings {
    pub(super) command: String,
    pub(super) args: Vec<String>,
    pub(super) env: BTreeMap<String, String>,
    working_dir: Option<PathBuf>,
    pub(super) timeout_seconds: u64,
    /// Whether the blueprint takes it for one that can be asked again in place.
    pub(super) reprompt: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawSettings {
    #[serde(rename = "type")]
    _kind: Option<String>,
    command: String,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    working_dir: Option<PathBuf>,
    timeout_seconds: Option<u64>,
    reprompt: Option<bool>,
}

impl Settings {
    pub(super) fn read(value: &Value) -> Result<Self, OpenError> {
        let written = RawSettings::deserialize(value).map_err(wrong)?;
        program::check(&written.command, &written.args, &written.env).map_err(wrong)?;
        let timeout_seconds =
            program::seconds(written.timeout_seconds, program::DEFAULT_SECONDS).map_err(wrong)?;
        let RawSettings { command, args, env, working_dir, reprompt, .. } = written;
        Ok(Self { command, args, env, working_dir, timeout_seconds, reprompt: reprompt.unwrap_or(true) })
    }

    /// The folder that the program starts in.
    pub(super) fn folder(&self, project_dir: &Path) -> Result<PathBuf, OpenError> {
        program::folder(project_dir, self.working_dir.as_deref(), wrong)
    }
}

fn wrong(error: impl fmt::Display) -> OpenError {
    OpenError::Settings(format!("invalid settings of the external executor: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_the_command_is_needed() {
        let read = Settings::read(&json!({"type": "external", "command": "x"})).unwrap();
        let expected = Settings {
            command: "x".to_owned(),
            args: Vec::new(),
            env: BTreeMap::new(),
            working_dir: None,
            timeout_seconds: 600,
            reprompt: true,
        };
        assert_eq!(read, expected);
    }

    #[test]
    fn rejects_invalid_settings() {
        for (value, text) in [
            (json!({"command": " "}), "`command` is empty"),
            (
                json!({"command": "x", "timeout_seconds": 0}),
                "expected `timeout_seconds` from 1 to 86400, got 0",
            ),
            (json!({"command": "x", "args": ["\0"]}), "`args` contains a NUL character; remove it"),
        ] {
            let error = Settings::read(&value).unwrap_err().to_string();
            assert_eq!(error, format!("invalid settings of the external executor: {text}"));
        }
        let error = Settings::read(&json!({"command": "x", "args": "json"})).unwrap_err().to_string();
        assert!(error.contains("expected a sequence"), "{error}");
        let error = Settings::read(&json!({"command": "x", "shell": true})).unwrap_err().to_string();
        assert!(error.contains("unknown field `shell`"), "{error}");
    }
}
