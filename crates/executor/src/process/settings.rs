//! The settings of a procedural agent's `executor`.
//!
//! `args` has two meanings that people write: a list of arguments, or how the parameters are given (`json`, `flags`,
//! `both`). Where both are needed, `parameters_as` says the second.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

use crate::program;
use crate::session::OpenError;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ParametersAs {
    Json,
    /// As `--key value` arguments.
    Flags,
    Both,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Settings {
    pub(super) command: String,
    pub(super) arguments: Vec<String>,
    pub(super) parameters_as: ParametersAs,
    pub(super) env: BTreeMap<String, String>,
    working_dir: Option<PathBuf>,
    pub(super) timeout_seconds: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawSettings {
    #[serde(rename = "type")]
    _kind: Option<String>,
    command: String,
    args: Option<Value>,
    parameters_as: Option<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    working_dir: Option<PathBuf>,
    timeout_seconds: Option<u64>,
}

impl Settings {
    pub(super) fn read(value: &Value) -> Result<Self, OpenError> {
        let written = RawSettings::deserialize(value).map_err(wrong)?;
        let (arguments, from_args) = arguments(written.args)?;
        let from_parameters_as =
            written.parameters_as.as_deref().map(|word| mode("parameters_as", word)).transpose()?;
        let parameters_as = match (from_args, from_parameters_as) {
            (Some(one), Some(other)) if one != other => {
                return Err(wrong("`args` and `parameters_as` contradict each other: keep one of them"));
            }
            (one, other) => other.or(one).unwrap_or(ParametersAs::Json),
        };
        let timeout_seconds =
            program::seconds(written.timeout_seconds, program::DEFAULT_SECONDS).map_err(wrong)?;
        program::check(&written.command, &arguments, &written.env).map_err(wrong)?;
        let RawSettings { command, env, working_dir, .. } = written;
        Ok(Self { command, arguments, parameters_as, env, working_dir, timeout_seconds })
    }

    /// The folder that the command starts in.
    pub(super) fn folder(&self, project_dir: &Path) -> Result<PathBuf, OpenError> {
        program::folder(project_dir, self.working_dir.as_deref(), wrong)
    }
}

fn arguments(args: Option<Value>) -> Result<(Vec<String>, Option<ParametersAs>), OpenError> {
    match args {
        None | Some(Value::Null) => Ok((Vec::new(), None)),
        Some(Value::String(word)) => Ok((Vec::new(), Some(mode("args", &word)?))),
        Some(list) => {
            let list = serde_json::from_value(list);
            let list =
                list.map_err(|_| wrong("expected `args` as a list of strings or one of json, flags, both"))?;
            Ok((list, None))
        }
    }
}

fn mode(field: &str, word: &str) -> Result<ParametersAs, OpenError> {
    match word {
        "json" => Ok(ParametersAs::Json),
        "flags" => Ok(ParametersAs::Flags),
        "both" => Ok(ParametersAs::Both),
        _ => Err(wrong(format!("expected `{field}` json, flags or both, got '{word}'"))),
    }
}

fn wrong(error: impl fmt::Display) -> OpenError {
    OpenError::Settings(format!("invalid settings of the process executor: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(value: Value) -> Result<Settings, String> {
        let prefix = "invalid settings of the process executor: ";
        Settings::read(&value).map_err(|error| error.to_string().strip_prefix(prefix).unwrap().to_owned())
    }

    #[test]
    fn args_are_a_list_or_a_word() {
        let settings = |arguments: &[&str], parameters_as| Settings {
            command: "x".to_owned(),
            arguments: arguments.iter().map(|&each| each.to_owned()).collect(),
            parameters_as,
            env: BTreeMap::new(),
            working_dir: None,
            timeout_seconds: 600,
        };
        let with = |args: Value| read(json!({"type": "process", "command": "x", "args": args})).unwrap();
        assert_eq!(with(json!(["-a", "b"])), settings(&["-a", "b"], ParametersAs::Json));
        assert_eq!(with(json!("flags")), settings(&[], ParametersAs::Flags));
        assert_eq!(with(json!(null)), settings(&[], ParametersAs::Json));
        let both = read(json!({"command": "x", "args": ["a"], "parameters_as": "both"})).unwrap();
        assert_eq!(both, settings(&["a"], ParametersAs::Both));
    }

    #[test]
    fn rejects_invalid_settings() {
        for (value, text) in [
            (json!({"command": " "}), "`command` is empty"),
            (json!({"command": "x", "args": "yaml"}), "expected `args` json, flags or both, got 'yaml'"),
            (
                json!({"command": "x", "args": [1]}),
                "expected `args` as a list of strings or one of json, flags, both",
            ),
            (
                json!({"command": "x", "parameters_as": "no"}),
                "expected `parameters_as` json, flags or both, got 'no'",
            ),
            (
                json!({"command": "x", "args": "json", "parameters_as": "flags"}),
                "`args` and `parameters_as` contradict each other: keep one of them",
            ),
            (
                json!({"command": "x", "timeout_seconds": 0}),
                "expected `timeout_seconds` from 1 to 86400, got 0",
            ),
            (json!({"command": "x\0"}), "`command` contains a NUL character; remove it"),
            (json!({"command": "x", "env": {"A=B": ""}}), "invalid environment variable name 'A=B' in `env`"),
        ] {
            assert_eq!(read(value).unwrap_err(), text);
        }
        assert!(
            read(json!({"command": "x", "shell": true})).unwrap_err().starts_with("unknown field `shell`")
        );
        assert!(read(json!({})).unwrap_err().starts_with("missing field `command`"));
    }

    #[test]
    fn the_working_folder_stays_inside() {
        let outside = tempfile::tempdir().unwrap();
        let project = outside.path().join("project");
        std::fs::create_dir_all(project.join("sub")).unwrap();
        std::fs::write(project.join("file"), "").unwrap();
        std::os::unix::fs::symlink(outside.path(), project.join("way-out")).unwrap();
        std::os::unix::fs::symlink(&project, outside.path().join("link")).unwrap();
        let folder = |working_dir: &str| {
            let settings = read(json!({"command": "x", "working_dir": working_dir})).unwrap();
            settings.folder(&outside.path().join("link"))
        };
        assert_eq!(folder("sub").unwrap(), project.canonicalize().unwrap().join("sub"));
        assert!(matches!(folder("gone"), Err(OpenError::Missing(_))));
        for working_dir in ["..", "way-out", "/", "sub/../..", "file"] {
            assert!(matches!(folder(working_dir), Err(OpenError::Settings(_))), "{working_dir}");
        }
    }
}
