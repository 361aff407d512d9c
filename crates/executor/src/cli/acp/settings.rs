//! What a blueprint says about an ACP agent.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use crate::session::OpenError;

use super::super::{ACP, Settings, wrong};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawSettings {
    #[serde(rename = "type")]
    _kind: Option<String>,
    command: Vec<String>,
    model: Option<String>,
    auth_method: Option<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    allowed_tools: Option<Vec<String>>,
    timeout_seconds: Option<u64>,
}

/// The settings that all CLIs have, and the way to log in if one is to be chosen.
pub(super) fn read(value: &Value) -> Result<(Settings, Option<String>), OpenError> {
    let RawSettings { command, model, auth_method, env, allowed_tools, timeout_seconds, .. } =
        RawSettings::deserialize(value).map_err(|error| wrong(&ACP, error))?;
    let mut words = command.into_iter();
    let Some(executable) = words.next() else {
        return Err(wrong(
            &ACP,
            "`command` is empty; expected the agent and its arguments, as [gemini, --acp]",
        ));
    };
    let settings = Settings {
        model,
        command: Some(executable),
        args: words.collect(),
        env,
        allowed_tools,
        timeout_seconds: timeout_seconds.unwrap_or(Settings::DEFAULT_SECONDS),
    };
    Ok((settings.checked(&ACP)?, auth_method))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_command_is_a_list() {
        let value = json!({"type": "acp", "command": ["gemini", "--acp"], "auth_method": "gemini-api-key"});
        let (settings, auth_method) = read(&value).unwrap();
        assert_eq!((settings.command.as_deref(), settings.args), (Some("gemini"), vec!["--acp".to_owned()]));
        assert_eq!((auth_method.as_deref(), settings.timeout_seconds), (Some("gemini-api-key"), 3600));
    }

    #[test]
    fn names_what_does_not_fit() {
        let refused = |value: Value| read(&value).unwrap_err().to_string();
        assert!(refused(json!({"command": []})).contains("`command` is empty; expected the agent"));
        assert!(refused(json!({})).contains("missing field `command`"));
        assert!(refused(json!({"command": ["-x"]})).contains("invalid `command` '-x'"));
        assert!(refused(json!({"command": ["x"], "timeout_seconds": 0})).contains("from 1 to 86400, got 0"));
    }
}
