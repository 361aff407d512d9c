//! Which variables of this process a child may see.

use std::ffi::{OsStr, OsString};

/// The variables of a child, by name.
pub(crate) type Environment = Vec<(OsString, OsString)>;

/// Variables that are secrets by name, or give a child the powers of whoever started Accord.
const SECRET_NAMES: &[&str] = &["SSH_AUTH_SOCK", "MYSQL_PWD", "PGPASSWORD", "PGPASSFILE", "KUBECONFIG"];

/// Last words of the names that hold secrets: `X_API_KEY`, `X_TOKEN`, or the word alone. Addresses of databases are
/// among them, because passwords stand in them.
const SECRET_WORDS: &[&str] = &[
    "KEY",
    "KEYS",
    "APIKEY",
    "KEY_ID",
    "TOKEN",
    "TOKENS",
    "SECRET",
    "SECRETS",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "PASS",
    "CREDENTIAL",
    "CREDENTIALS",
    "AUTH",
    "AUTHORIZATION",
    "COOKIE",
    "DSN",
    "DATABASE_URL",
    "CONNECTION_STRING",
];

/// Accord's own settings: keys of the coordinator and addresses of its database are among them.
const OWN_PREFIX: &str = "ACCORD_";

/// Whether a variable is one of Accord's own.
pub(crate) fn own_variable(name: &OsStr) -> bool {
    upper(name).starts_with(OWN_PREFIX)
}

/// Whether a variable looks like a secret, or is one of Accord's own.
pub(crate) fn secret(name: &OsStr) -> bool {
    own_variable(name) || is_secret(&upper(name))
}

/// Whether a name looks like the name of a secret. Letter case and dashes do not count.
pub(crate) fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase().replace('-', "_");
    let ends =
        |word: &str| name.strip_suffix(word).is_some_and(|rest| rest.is_empty() || rest.ends_with('_'));
    SECRET_NAMES.contains(&name.as_str()) || SECRET_WORDS.iter().any(|word| ends(word))
}

/// Shorter values are no secrets, and would be found in any text.
const SHORTEST_SECRET: usize = 8;

/// A text without the values of variables that look like secrets.
pub(crate) fn without_secrets(text: String, environment: &[(OsString, OsString)]) -> String {
    let hidden = environment.iter().filter(|(name, _)| secret(name)).filter_map(|(_, value)| value.to_str());
    hidden
        .filter(|value| value.len() >= SHORTEST_SECRET)
        .fold(text, |text, value| if text.contains(value) { text.replace(value, "[secret]") } else { text })
}

/// Whether a variable of a blueprint can be one, or what is wrong with it.
pub(crate) fn variable((name, value): (&String, &String)) -> Result<(), String> {
    if name.is_empty() || name.contains('=') {
        return Err(format!("`env` has '{name}', which cannot be the name of a variable"));
    }
    no_nul("env", name)?;
    no_nul("env", value)
}

/// Whether a text can be handed to a process.
pub(crate) fn no_nul(field: &str, text: &str) -> Result<(), String> {
    if text.contains('\0') {
        return Err(format!("`{field}` holds a NUL character: leave it out"));
    }
    Ok(())
}

fn upper(name: &OsStr) -> String {
    name.to_string_lossy().to_ascii_uppercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_known_by_their_names() {
        let names = [
            "ANTHROPIC_API_KEY",
            "openai_api_key",
            "GITHUB_TOKEN",
            "TOKEN",
            "AWS_ACCESS_KEY_ID",
            "AWS_SECRET_ACCESS_KEY",
            "AWS_SESSION_TOKEN",
            "DATABASE_URL",
            "PGPASSWORD",
            "ACCORD_RUNNER__KEY",
            "ACCORD_DATABASE__URL",
            "SSH_AUTH_SOCK",
            "GOOGLE_APPLICATION_CREDENTIALS",
        ];
        for name in names {
            assert!(secret(OsStr::new(name)), "{name}");
        }
        for name in
            ["PATH", "HOME", "LANG", "MONKEY", "CARGO_TARGET_DIR", "KEYBOARD", "TOKENIZERS_PARALLELISM"]
        {
            assert!(!secret(OsStr::new(name)), "{name}");
        }
    }
}
