//! What a server was given, and must not come back from it: not in errors and results, and not in what the model reads of
//! its tools.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::mcp_server::{McpServer, Reach};

/// Shorter values are ordinary words, not secrets.
const SHORTEST: usize = 6;

/// Replaces a secret.
const HIDDEN: &str = "[hidden]";

/// Keywords of schemas whose texts a model gives back as they are.
const EXACT: [&str; 4] = ["type", "required", "enum", "const"];

/// The values that a server was given, the longest first: one may be a part of another.
#[derive(Default)]
pub(super) struct Secrets(Vec<String>);

impl Secrets {
    pub(super) fn of(server: &McpServer) -> Self {
        let given: &BTreeMap<String, String> = match &server.reach {
            Reach::Program { env, .. } => env,
            Reach::Address { headers, .. } | Reach::Coordinator { headers, .. } => headers,
        };
        // The secret follows the scheme of the authorization.
        let parts = given
            .values()
            .flat_map(|value| [Some(value.as_str()), value.split_once(' ').map(|(_, key)| key)]);
        let mut secrets: Vec<String> =
            parts.flatten().filter(|secret| secret.len() >= SHORTEST).map(str::to_owned).collect();
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        Self(secrets)
    }

    fn each(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    pub(super) fn hide(&self, text: String) -> String {
        self.each().fold(text, without)
    }

    /// A schema or a result without them. A plain word (`verbose`, `object`) stays where it is a key or an option: somebody
    /// has to find it there, or a model to give it back.
    pub(super) fn hide_in(&self, value: Value) -> Value {
        changed(value, Role::Words, &|text, role| match role {
            Role::Exact => self.each().filter(|secret| !is_word(secret)).fold(text, without),
            Role::Words => self.hide(text),
        })
    }
}

/// What a text is in a value.
#[derive(Clone, Copy)]
enum Role {
    /// A name or an option, which has to stay as it is.
    Exact,
    /// Anything else.
    Words,
}

/// A value with every text in it changed, keys too.
fn changed(value: Value, role: Role, change: &dyn Fn(String, Role) -> String) -> Value {
    match value {
        Value::String(text) => Value::String(change(text, role)),
        Value::Array(items) => items.into_iter().map(|item| changed(item, role, change)).collect(),
        Value::Object(members) => {
            let member = |(key, value): (String, Value)| {
                let role = if EXACT.contains(&key.as_str()) { Role::Exact } else { Role::Words };
                (change(key, Role::Exact), changed(value, role, change))
            };
            Value::Object(members.into_iter().map(member).collect())
        }
        other => other,
    }
}

fn without(text: String, secret: &str) -> String {
    match text.contains(secret) {
        true => text.replace(secret, HIDDEN),
        false => text,
    }
}

fn is_word(secret: &str) -> bool {
    secret.bytes().all(|byte| byte.is_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn secrets(values: &[&str]) -> Secrets {
        let env = values.iter().map(|value| ((*value).to_owned(), (*value).to_owned())).collect();
        let reach = Reach::Program { command: String::new(), args: Vec::new(), env };
        Secrets::of(&McpServer { name: String::new(), reach })
    }

    #[test]
    fn the_longest_goes_first_and_short_words_stay() {
        let secrets = secrets(&["secret", "secret-and-more", "short", "Bearer key-123"]);
        let text = "secret-and-more, secret, short, Bearer key-123, key-123".to_owned();
        assert_eq!(secrets.hide(text), "[hidden], [hidden], short, [hidden], [hidden]");
    }

    #[test]
    fn a_schema_keeps_its_plain_names() {
        let secrets = secrets(&["verbose", "object", "sk-0123"]);
        let schema = json!({
            "type": "object",
            "description": "verbose sk-0123",
            "properties": {
                "verbose": {"enum": ["verbose", "sk-0123"], "default": "verbose"},
                "a-sk-0123": {"type": ["object"], "examples": [{"n": 1.50, "at": "sk-0123"}]},
            },
            "required": ["verbose", "a-sk-0123"],
        });
        let expected = json!({
            "type": "object",
            "description": "[hidden] [hidden]",
            "properties": {
                "verbose": {"enum": ["verbose", "[hidden]"], "default": "[hidden]"},
                "a-[hidden]": {"type": ["object"], "examples": [{"n": 1.50, "at": "[hidden]"}]},
            },
            "required": ["verbose", "a-[hidden]"],
        });
        assert_eq!(secrets.hide_in(schema), expected);
    }
}
