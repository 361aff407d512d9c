//! The arguments of Codex.
//!
//! Everything is passed as `-c key=value`, because both ways of starting it support that. The blueprint's own arguments
//! come last, so that they win.

use serde_json::Value;
use thiserror::Error;

/// No analytics, no plugins, no update check, and no approvals, because there is no interactive user.
const ALWAYS: [&str; 4] = [
    "analytics.enabled=false",
    "features.plugins=false",
    "check_for_update_on_startup=false",
    "approval_policy=\"never\"",
];

const SANDBOXES: [&str; 3] = ["read-only", "workspace-write", "danger-full-access"];

/// Accord's tools that change files. Codex does the same with its shell; the other tools only need to read.
const WRITING: [&str; 2] = ["write_file", "run_command"];

/// Values of `allowed_tools` besides sandboxes.
const WEB_SEARCH: &str = "web_search";

/// The name of our provider in its configuration.
const PROVIDER: &str = "accord";

/// Where OpenAI answers, for a key without an address.
const OPENAI: &str = "https://api.openai.com/v1";

#[derive(Debug, PartialEq, Eq, Error)]
pub(super) enum ArgumentError {
    #[error("unknown tool '{0}' in `allowed_tools`: Codex has {known} and {own}", own = WEB_SEARCH, known = SANDBOXES.join(", "))]
    UnknownTool(String),
    #[error("`args` has the sandbox '{0}': use {known}", known = SANDBOXES.join(", "))]
    UnknownSandbox(String),
    #[error("`args` ends in '{0}' without a value")]
    NoValue(String),
    #[error(
        "`args` has '{0}': use -s MODE, -c KEY=VALUE, --enable, --disable or --strict-config; every Codex setting has a key"
    )]
    Unsupported(String),
}

/// What the blueprint says about arguments, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OwnArguments {
    arguments: Vec<String>,
    sandbox: String,
    web_search: bool,
}

impl OwnArguments {
    pub(super) fn read(
        args: &[String],
        allowed_tools: Option<&[String]>,
        tools: &[String],
    ) -> Result<Self, ArgumentError> {
        let writes = tools.iter().any(|tool| WRITING.contains(&tool.as_str()));
        let sandbox = if writes { "workspace-write" } else { "read-only" }.to_owned();
        let mut own = Self { arguments: Vec::new(), sandbox, web_search: false };
        for tool in allowed_tools.into_iter().flatten() {
            match tool.as_str() {
                WEB_SEARCH => own.web_search = true,
                sandbox if SANDBOXES.contains(&sandbox) => own.sandbox = sandbox.to_owned(),
                other => return Err(ArgumentError::UnknownTool(other.to_owned())),
            }
        }
        let mut rest = args.iter();
        while let Some(argument) = rest.next() {
            own.take(argument, &mut rest)?;
        }
        Ok(own)
    }

    fn take(&mut self, argument: &str, rest: &mut std::slice::Iter<'_, String>) -> Result<(), ArgumentError> {
        let mut value = || rest.next().cloned().ok_or_else(|| ArgumentError::NoValue(argument.to_owned()));
        match argument {
            "-s" | "--sandbox" => {
                let sandbox = value()?;
                if !SANDBOXES.contains(&sandbox.as_str()) {
                    return Err(ArgumentError::UnknownSandbox(sandbox));
                }
                self.sandbox = sandbox;
            }
            "-c" | "--config" | "--enable" | "--disable" => {
                let value = value()?;
                self.arguments.extend([argument.to_owned(), value]);
            }
            "--strict-config" => self.arguments.push(argument.to_owned()),
            other if other.starts_with("--config=") => self.arguments.push(other.to_owned()),
            other => return Err(ArgumentError::Unsupported(other.to_owned())),
        }
        Ok(())
    }

    /// Whether commands are confined.
    pub(super) fn has_sandbox(&self) -> bool {
        self.sandbox != "danger-full-access"
    }

    /// Whether the blueprint sets a key by itself.
    fn sets(&self, key: &str) -> bool {
        let begins = |text: &str| {
            text.trim_start().strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with('='))
        };
        self.arguments
            .iter()
            .any(|argument| begins(argument) || argument.strip_prefix("--config=").is_some_and(begins))
    }

    pub(super) fn list(&self, provider: Option<&Provider>) -> Vec<String> {
        let search = if self.web_search { "live" } else { "disabled" };
        let mut keys: Vec<String> = ALWAYS.map(str::to_owned).to_vec();
        keys.push(format!("sandbox_mode={}", quoted(&self.sandbox)));
        keys.push(format!("web_search={}", quoted(search)));
        if let Some(provider) = provider.filter(|_| !self.sets("model_provider")) {
            keys.extend(provider.keys());
        }
        let ours = keys.into_iter().flat_map(|key| ["-c".to_owned(), key]);
        ours.chain(self.arguments.iter().cloned()).collect()
    }
}

/// Another provider than the one that the user's own configuration names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Provider {
    pub(super) base_url: String,
    /// Whether the usual variable holds its key.
    pub(super) has_key: bool,
}

impl Provider {
    /// From the usual variables. Codex itself looks at neither: it knows only its configuration and its own login.
    pub(super) fn of(base_url: Option<String>, has_key: bool, is_logged_in: bool) -> Option<Self> {
        match base_url.filter(|url| !url.is_empty()) {
            Some(base_url) => Some(Self { base_url, has_key }),
            None if has_key && !is_logged_in => Some(Self { base_url: OPENAI.to_owned(), has_key }),
            None => None,
        }
    }

    fn keys(&self) -> Vec<String> {
        let at = |key: &str, value: &str| format!("model_providers.{PROVIDER}.{key}={}", quoted(value));
        let mut keys = vec![
            format!("model_provider={}", quoted(PROVIDER)),
            at("name", PROVIDER),
            at("base_url", &self.base_url),
            at("wire_api", "responses"),
        ];
        if self.has_key {
            keys.push(at("env_key", "OPENAI_API_KEY"));
        }
        keys
    }
}

/// A text as TOML writes it: as JSON does.
pub(super) fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|&text| text.to_owned()).collect()
    }

    #[test]
    fn files_are_read_only_by_default() {
        let own = OwnArguments::read(&[], None, &[]).unwrap();
        let list = own.list(None);
        assert!(list.contains(&"sandbox_mode=\"read-only\"".to_owned()));
        assert!(list.contains(&"web_search=\"disabled\"".to_owned()), "{list:?}");
        let sandbox = |tools: &[&str]| OwnArguments::read(&[], None, &texts(tools)).unwrap().sandbox;
        assert_eq!(
            (sandbox(&["read_file"]).as_str(), sandbox(&["write_file"]).as_str()),
            ("read-only", "workspace-write")
        );
        let tools = texts(&["workspace-write", "web_search"]);
        let list = OwnArguments::read(&[], Some(&tools), &[]).unwrap().list(None);
        assert!(list.contains(&"sandbox_mode=\"workspace-write\"".to_owned()));
        assert!(list.contains(&"web_search=\"live\"".to_owned()));
        let own =
            OwnArguments::read(&texts(&["-s", "danger-full-access", "-c", "a.b=1"]), None, &[]).unwrap();
        let list = own.list(None);
        assert!(list.contains(&"sandbox_mode=\"danger-full-access\"".to_owned()));
        assert_eq!(list.last().map(String::as_str), Some("a.b=1"));
    }

    #[test]
    fn rejects_invalid_arguments() {
        let refused = |args: &[&str], tools: &[&str]| {
            OwnArguments::read(&texts(args), Some(&texts(tools)), &[]).unwrap_err().to_string()
        };
        assert!(refused(&["--json"], &[]).starts_with("`args` has '--json': use -s MODE"));
        assert_eq!(refused(&["-c"], &[]), "`args` ends in '-c' without a value");
        assert_eq!(
            refused(&["-s", "none"], &[]),
            "`args` has the sandbox 'none': use read-only, workspace-write, danger-full-access"
        );
        assert!(
            refused(&[], &["Bash"])
                .starts_with("unknown tool 'Bash' in `allowed_tools`: Codex has read-only")
        );
    }

    #[test]
    fn a_provider_comes_from_the_usual_variables_or_from_the_blueprint() {
        let url = Some("http://127.0.0.1:1/v1".to_owned());
        let provider = Provider::of(url, true, true).unwrap();
        let list = OwnArguments::read(&[], None, &[]).unwrap().list(Some(&provider));
        for key in [
            "model_provider=\"accord\"",
            "model_providers.accord.base_url=\"http://127.0.0.1:1/v1\"",
            "model_providers.accord.env_key=\"OPENAI_API_KEY\"",
        ] {
            assert!(list.contains(&key.to_owned()), "{list:?}");
        }
        let own = OwnArguments::read(&texts(&["-c", "model_provider = \"mine\""]), None, &[]).unwrap();
        assert!(!own.list(Some(&provider)).contains(&"model_provider=\"accord\"".to_owned()));
        assert_eq!(Provider::of(None, true, true), None);
        assert_eq!(Provider::of(Some(String::new()), false, false), None);
        let key_alone = Provider { base_url: OPENAI.to_owned(), has_key: true };
        assert_eq!(Provider::of(None, true, false), Some(key_alone));
    }
}
