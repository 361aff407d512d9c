//! MCP servers, as Codex's configuration takes them.
//!
//! Secrets are never passed as arguments, which everybody on the machine can read. The app server gets the
//! configuration by its stdin; `codex exec` gets secrets as variables that its configuration refers to.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use thiserror::Error;

use crate::child::holds_secret;
use crate::mcp_server::{McpServer, Reach};

use super::super::SUBMIT_SERVER;
use super::arguments::quoted;

/// How long a server may take to start: `npx` fetches some of them.
const SECONDS_TO_START: u32 = 60;

/// Whether Codex asks before it calls a tool of a server.
const APPROVAL_MODE: &str = "default_tools_approval_mode";

#[derive(Debug, PartialEq, Eq, Error)]
pub(super) enum ServerError {
    #[error("`mcp_servers` has '{name}', which is the same to Codex as {other}: use another name")]
    SameKey { name: String, other: String },
    #[error(
        "the URL of the MCP server '{0}' contains a login or a key, and this version of Codex receives it as an argument, which other users of the machine can read: use `headers`, or a newer Codex"
    )]
    SecretUrl(String),
    #[error(
        "two MCP servers have different values for {0}: this version of Codex supports only one; use different names, or a newer Codex"
    )]
    DifferentValues(String),
}

pub(super) fn check(servers: &[McpServer]) -> Result<(), ServerError> {
    let mut taken = BTreeMap::from([(SUBMIT_SERVER.to_owned(), "the submit tool")]);
    for server in servers {
        let name = server.name.as_str();
        if let Some(other) = taken.insert(key(name), name) {
            return Err(ServerError::SameKey { name: name.to_owned(), other: other.to_owned() });
        }
    }
    Ok(())
}

/// The name of a server as Codex takes it: letters, digits, `_` and `-`.
pub(super) fn key(name: &str) -> String {
    let fits = |each: char| each.is_ascii_alphanumeric() || matches!(each, '_' | '-');
    name.chars().map(|each| if fits(each) { each } else { '_' }).collect()
}

/// The configuration of all of them, secrets included. Codex asks before it calls tools of those that are held back.
pub(super) fn inline<'a>(
    servers: impl Iterator<Item = &'a McpServer>,
    is_held_back: impl Fn(&McpServer) -> bool,
) -> Value {
    let configured = servers.map(|server| {
        let mut members = common();
        if is_held_back(server) {
            members.insert(APPROVAL_MODE.to_owned(), json!("prompt"));
        }
        match &server.reach {
            Reach::Program { command, args, env } => {
                members.extend(program(command, args));
                members.insert("env".to_owned(), json!(env));
            }
            Reach::Address { url, headers } | Reach::Coordinator { url, headers } => {
                members.insert("url".to_owned(), json!(url));
                members.insert("http_headers".to_owned(), json!(headers));
            }
        }
        (key(&server.name), Value::Object(members))
    });
    Value::Object(configured.collect())
}

/// The configuration for `codex exec`: arguments without secrets, and variables with them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ServerVariables {
    pub(super) arguments: Vec<String>,
    pub(super) variables: BTreeMap<String, String>,
}

impl ServerVariables {
    pub(super) fn new<'a>(
        servers: impl Iterator<Item = &'a McpServer>,
        is_secret: impl Fn(&str) -> bool,
    ) -> Result<Self, ServerError> {
        let mut configured = Self::default();
        for server in servers {
            let mut members = common();
            match &server.reach {
                Reach::Program { command, args, env } => {
                    let (secret, plain): (BTreeMap<_, _>, BTreeMap<_, _>) =
                        env.iter().partition(|(name, _)| is_secret(name));
                    members.extend(program(command, args));
                    members.insert("env".to_owned(), json!(plain));
                    members.insert("env_vars".to_owned(), secret.keys().cloned().cloned().collect());
                    secret.into_iter().try_for_each(|(name, value)| configured.variable(name, value))?;
                }
                Reach::Address { url, .. } | Reach::Coordinator { url, .. } if holds_secret(url) => {
                    return Err(ServerError::SecretUrl(server.name.clone()));
                }
                Reach::Address { url, headers } | Reach::Coordinator { url, headers } => {
                    members.insert("url".to_owned(), json!(url));
                    let mut named = Map::new();
                    for (header, value) in headers {
                        let name = format!("ACCORD_MCP_HEADER_{}", configured.variables.len());
                        configured.variable(&name, value)?;
                        named.insert(header.clone(), json!(name));
                    }
                    members.insert("env_http_headers".to_owned(), named.into());
                }
            }
            let value = toml(&Value::Object(members));
            configured
                .arguments
                .extend(["-c".to_owned(), format!("mcp_servers.{}={value}", key(&server.name))]);
        }
        Ok(configured)
    }

    fn variable(&mut self, name: &str, value: &str) -> Result<(), ServerError> {
        match self.variables.insert(name.to_owned(), value.to_owned()) {
            Some(other) if other != value => Err(ServerError::DifferentValues(name.to_owned())),
            _ => Ok(()),
        }
    }
}

/// A server that is listed is there to be used, and without it the agent could not do its work.
fn common() -> Map<String, Value> {
    let mut members = Map::new();
    members.insert("required".to_owned(), json!(true));
    members.insert(APPROVAL_MODE.to_owned(), json!("approve"));
    members.insert("startup_timeout_sec".to_owned(), json!(SECONDS_TO_START));
    members
}

fn program(command: &str, args: &[String]) -> [(String, Value); 2] {
    [("command".to_owned(), json!(command)), ("args".to_owned(), json!(args))]
}

/// A value as TOML writes it, in one line.
fn toml(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let member = |(key, value): (&String, &Value)| format!("{}={}", quoted(key), toml(value));
            format!("{{{}}}", members.iter().map(member).collect::<Vec<_>>().join(","))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(toml).collect::<Vec<_>>().join(",")),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::child::is_secret;

    fn servers() -> Vec<McpServer> {
        let env =
            [("API_TOKEN", "t0p"), ("MODE", "a\"b")].map(|(name, value)| (name.to_owned(), value.to_owned()));
        let reach =
            Reach::Program { command: "srv".to_owned(), args: vec!["-x".to_owned()], env: env.into() };
        let headers = [("Authorization".to_owned(), "Bearer t1p".to_owned())].into();
        let far = Reach::Address { url: "http://127.0.0.1:1/mcp".to_owned(), headers };
        [("near", reach), ("far", far)].map(|(name, reach)| McpServer { name: name.to_owned(), reach }).into()
    }

    #[test]
    fn the_app_server_gets_everything() {
        let expected = json!({
            "near": {
                "required": true, "default_tools_approval_mode": "approve", "startup_timeout_sec": 60,
                "command": "srv", "args": ["-x"], "env": {"API_TOKEN": "t0p", "MODE": "a\"b"},
            },
            "far": {
                "required": true, "default_tools_approval_mode": "approve", "startup_timeout_sec": 60,
                "url": "http://127.0.0.1:1/mcp", "http_headers": {"Authorization": "Bearer t1p"},
            },
        });
        assert_eq!(inline(servers().iter(), |_| false), expected);
        let asking = inline(servers().iter(), |server| server.name == "far");
        let mode = |server: &str| asking.pointer(&format!("/{server}/{APPROVAL_MODE}")).cloned();
        assert_eq!((mode("near"), mode("far")), (Some(json!("approve")), Some(json!("prompt"))));
    }

    #[test]
    fn no_secret_is_an_argument() {
        let told = ServerVariables::new(servers().iter(), is_secret).unwrap();
        let text = told.arguments.join(" ");
        assert!(!text.contains("t0p") && !text.contains("t1p"), "{text}");
        assert!(text.contains(r#""env_vars"=["API_TOKEN"]"#) && text.contains(r#""MODE"="a\"b""#), "{text}");
        assert!(text.contains(r#""env_http_headers"={"Authorization"="ACCORD_MCP_HEADER_1"}"#), "{text}");
        let variables = [("ACCORD_MCP_HEADER_1", "Bearer t1p"), ("API_TOKEN", "t0p")];
        assert_eq!(told.variables, variables.map(|(name, value)| (name.to_owned(), value.to_owned())).into());
        let all = ServerVariables::new(servers().iter(), |name| name == "MODE").unwrap();
        assert!(!all.arguments.join(" ").contains(r#"a\"b"#), "{all:?}");
        let mut twice = servers();
        twice.push(McpServer {
            name: "other".to_owned(),
            reach: Reach::Program {
                command: "x".to_owned(),
                args: Vec::new(),
                env: [("API_TOKEN".to_owned(), "t2p".to_owned())].into(),
            },
        });
        let error = ServerVariables::new(twice.iter(), is_secret).unwrap_err().to_string();
        assert!(error.contains("API_TOKEN") && !error.contains("t2p"), "{error}");
    }

    #[test]
    fn an_address_with_a_key_is_not_passed_as_an_argument() {
        let reach = Reach::Address { url: "https://h/mcp?api_key=t0p".to_owned(), headers: BTreeMap::new() };
        let server = McpServer { name: "far".to_owned(), reach };
        let error = ServerVariables::new([&server].into_iter(), is_secret).unwrap_err().to_string();
        assert!(error.contains("'far' contains a login or a key") && !error.contains("t0p"), "{error}");
    }

    #[test]
    fn names_that_codex_cannot_distinguish_are_rejected() {
        let named = |names: &[&str]| {
            let reach = || Reach::Address { url: String::new(), headers: BTreeMap::new() };
            let server = |name: &&str| McpServer { name: (*name).to_owned(), reach: reach() };
            check(&names.iter().map(server).collect::<Vec<_>>()).map_err(|error| error.to_string())
        };
        assert_eq!((named(&["a-b_1", "my.desk"]), key("my.desk").as_str()), (Ok(()), "my_desk"));
        assert!(
            named(&["my.desk", "my_desk"])
                .unwrap_err()
                .contains("'my_desk', which is the same to Codex as my.desk")
        );
        assert!(named(&[SUBMIT_SERVER]).unwrap_err().contains("the submit tool"));
    }
}
