//! What a blueprint says about a CLI.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use crate::child::{no_nul, variable};
use crate::program::seconds;
use crate::session::OpenError;
use crate::settings_error::SettingsError;

use super::Program;
use super::wrong;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Settings {
    pub(crate) model: Option<String>,
    pub(crate) command: Option<String>,
    pub(crate) args: Vec<String>,
    pub(crate) env: BTreeMap<String, String>,
    pub(crate) allowed_tools: Option<Vec<String>>,
    pub(crate) timeout_seconds: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawSettings {
    #[serde(rename = "type")]
    _kind: Option<String>,
    model: Option<String>,
    command: Option<String>,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    allowed_tools: Option<Vec<String>>,
    timeout_seconds: Option<u64>,
}

impl Settings {
    /// An hour. An agent that works on files may take that long; more must be asked for.
    pub(crate) const DEFAULT_SECONDS: u64 = 60 * 60;

    pub(crate) fn read(program: &Program, value: &Value) -> Result<Self, OpenError> {
        let written = RawSettings::deserialize(value).map_err(|error| wrong(program, error))?;
        let RawSettings { model, command, args, env, allowed_tools, timeout_seconds, .. } = written;
        let timeout_seconds = timeout_seconds.unwrap_or(Self::DEFAULT_SECONDS);
        Self { model, command, args, env, allowed_tools, timeout_seconds }.checked(program)
    }

    /// The settings, if a program can be started with them.
    pub(crate) fn checked(self, program: &Program) -> Result<Self, OpenError> {
        self.check().map_err(|error| wrong(program, error))?;
        Ok(self)
    }

    fn check(&self) -> Result<(), SettingsError> {
        let Self { model, command, args, env, allowed_tools, timeout_seconds } = self;
        seconds(Some(*timeout_seconds), Self::DEFAULT_SECONDS)?;
        for (field, text) in [("model", model), ("command", command)] {
            if let Some(text) = text {
                no_nul(field, text)?;
                if text.trim().is_empty() || text.starts_with('-') {
                    return Err(SettingsError::Invalid(field, text.clone()));
                }
            }
        }
        args.iter().try_for_each(|argument| no_nul("args", argument))?;
        env.iter().try_for_each(variable)?;
        for tool in allowed_tools.iter().flatten() {
            no_nul("allowed_tools", tool)?;
            if tool.trim().is_empty() || tool.starts_with('-') {
                return Err(SettingsError::ToolName(tool.clone()));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::CLAUDE_CODE;
    use super::*;
    use serde_json::json;

    fn refused(value: Value) -> String {
        let prefix = "invalid settings of the claude-code executor: ";
        let text = Settings::read(&CLAUDE_CODE, &value).unwrap_err().to_string();
        text.strip_prefix(prefix).unwrap().to_owned()
    }

    #[test]
    fn nothing_is_needed() {
        let settings = Settings {
            model: None,
            command: None,
            args: Vec::new(),
            env: BTreeMap::new(),
            allowed_tools: None,
            timeout_seconds: 3600,
        };
        assert_eq!(Settings::read(&CLAUDE_CODE, &json!({"type": "claude-code"})).unwrap(), settings);
        let all = json!({"type": "claude-code", "model": "m", "command": "c", "args": ["a"], "env": {"E": "v"},
            "allowed_tools": ["Bash(git *)"], "timeout_seconds": 86400});
        let settings = Settings {
            model: Some("m".to_owned()),
            command: Some("c".to_owned()),
            args: vec!["a".to_owned()],
            env: BTreeMap::from([("E".to_owned(), "v".to_owned())]),
            allowed_tools: Some(vec!["Bash(git *)".to_owned()]),
            timeout_seconds: 86400,
        };
        assert_eq!(Settings::read(&CLAUDE_CODE, &all).unwrap(), settings);
    }

    #[test]
    fn rejects_invalid_settings() {
        for (value, text) in [
            (json!({"model": " "}), "invalid `model` ' '; set a value, or omit it"),
            (json!({"model": "--x"}), "invalid `model` '--x'; set a value, or omit it"),
            (json!({"command": ""}), "invalid `command` ''; set a value, or omit it"),
            (json!({"args": ["a\0"]}), "`args` contains a NUL character; remove it"),
            (json!({"env": {"A=B": ""}}), "invalid environment variable name 'A=B' in `env`"),
            (json!({"allowed_tools": ["-p"]}), "`allowed_tools` contains '-p', which is not a tool name"),
            (json!({"timeout_seconds": 0}), "expected `timeout_seconds` from 1 to 86400, got 0"),
            (json!({"timeout_seconds": 86401}), "expected `timeout_seconds` from 1 to 86400, got 86401"),
        ] {
            assert_eq!(refused(value), text);
        }
        assert!(refused(json!({"modle": "x"})).starts_with("unknown field `modle`"));
    }
}
