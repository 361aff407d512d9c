//! MCP servers, as a blueprint names them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// An MCP server for an agent: a program, a URL, or, under the name `accord` and without settings, the
/// coordinator itself.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct McpServer {
    /// Program of an MCP server over stdin and stdout.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Arguments.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// Environment variables. `${NAME}` is expanded from the runner's environment.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// URL of an MCP server with streamable HTTP.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Headers of every request. `${NAME}` is expanded from the runner's environment.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
}

impl McpServer {
    /// The name of the coordinator's own server.
    pub const ACCORD: &'static str = "accord";
}

/// Why a text with `${NAME}` in it cannot be filled in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unfilled {
    /// The variable is not set.
    #[error("environment variable {0} is not set")]
    Missing(String),
    /// `${` is not followed by a name and a `}`.
    #[error("'{0}' is not a variable reference; expected ${{NAME}} with letters, digits and '_'")]
    Malformed(String),
}

/// Puts variables in the place of every `${NAME}`. What is put in is not looked at again.
pub fn fill(text: &str, variable: impl Fn(&str) -> Option<String>) -> Result<String, Unfilled> {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("${") {
        filled.push_str(before);
        let is_part = |character: char| character.is_ascii_alphanumeric() || character == '_';
        let (name, after) = match behind.split_once('}') {
            Some((name, after)) if !name.is_empty() && name.chars().all(is_part) => (name, after),
            _ => {
                let shown: String = behind.chars().take(20).collect();
                return Err(Unfilled::Malformed(format!("${{{shown}")));
            }
        };
        filled.push_str(&variable(name).ok_or_else(|| Unfilled::Missing(name.to_owned()))?);
        rest = after;
    }
    filled.push_str(rest);
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(text: &str) -> Result<String, Unfilled> {
        fill(text, |name| match name {
            "A" => Some("1".to_owned()),
            "B_2" => Some("${A}".to_owned()),
            _ => None,
        })
    }

    #[test]
    fn variables_are_put_in_once() {
        let cases = [
            ("", ""),
            ("x", "x"),
            ("${A}", "1"),
            ("Bearer ${A}-${B_2}$", "Bearer 1-${A}$"),
            ("$A {A}", "$A {A}"),
        ];
        for (text, expected) in cases {
            assert_eq!(filled(text), Ok(expected.to_owned()), "{text}");
        }
    }

    #[test]
    fn unresolved_variables_are_errors() {
        assert_eq!(filled("${A}${C}"), Err(Unfilled::Missing("C".to_owned())));
        for text in ["${", "${}", "${A", "${A B}", "${A${A}}"] {
            assert!(matches!(filled(text), Err(Unfilled::Malformed(_))), "{text}");
        }
        let message = filled("x ${a-b}").map_err(|error| error.to_string());
        assert_eq!(
            message,
            Err("'${a-b}' is not a variable reference; expected ${NAME} with letters, digits and '_'"
                .to_owned())
        );
    }
}
