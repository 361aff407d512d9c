//! Which variables of this process a child may see, and which of their values are secrets.
//!
//! A secret is known by its name. Keys of providers are secrets too, and their variables may have any name, so
//! these names come from the configuration. An address with a login is a secret, too.

use std::cmp::Reverse;
use std::ffi::{OsStr, OsString};
use std::fmt;

use accord_domain::provider::ProviderKind;
use tokio::process::Command;

use crate::settings_error::SettingsError;

/// The variables of a child, by name.
pub(crate) type Environment = Vec<(OsString, OsString)>;

/// The variables of this process, and the names of those that hold keys of providers.
#[derive(Clone, Default)]
pub struct Variables {
    all: Environment,
    keys: Vec<String>,
}

impl Variables {
    /// These variables. The ones in `keys` are secrets, whatever their names are.
    pub fn new(
        all: impl IntoIterator<Item = (OsString, OsString)>,
        keys: impl IntoIterator<Item = String>,
    ) -> Self {
        Self { all: all.into_iter().collect(), keys: keys.into_iter().collect() }
    }

    /// Those that are not Accord's own.
    pub(crate) fn without_own(mut self) -> Self {
        self.all.retain(|(name, _)| !own_variable(name));
        self
    }

    /// Those that are neither secrets nor Accord's own.
    pub(crate) fn without_secrets(mut self) -> Environment {
        let all = std::mem::take(&mut self.all);
        let is_plain = |name: &OsStr, value: &OsStr| {
            let (name, value) = (name.to_string_lossy(), value.to_string_lossy());
            login(&name, &value).is_none() && !has_query(&name, &value)
        };
        all.into_iter()
            .filter(|(name, value)| !own_variable(name) && !self.is_secret(name) && is_plain(name, value))
            .collect()
    }

    /// Whether a variable holds a key of a provider, or looks like a secret.
    pub(crate) fn is_secret(&self, name: impl AsRef<OsStr>) -> bool {
        let name = name.as_ref();
        self.is_key(name) || is_secret(&name.to_string_lossy())
    }

    /// Whether a variable holds a key of a configured provider.
    pub(crate) fn is_key(&self, name: &OsStr) -> bool {
        self.keys.iter().any(|key| name == key.as_str())
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.all.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }

    pub(crate) fn get(&self, wanted: &str) -> Option<&OsStr> {
        self.iter().find(|(name, _)| *name == wanted).map(|(_, value)| value)
    }

    /// The values of the secrets among them, without the end of a line that came with one out of a file; of addresses, the
    /// login.
    pub(crate) fn secrets(&self) -> impl Iterator<Item = &str> {
        self.iter().filter_map(|(name, value)| match self.is_secret(name) {
            true => value.to_str().map(str::trim),
            false => login(name.to_str()?, value.to_str()?),
        })
    }

    /// A text without the values of secrets. One can be the beginning of another: the longest goes first.
    pub(crate) fn hide(&self, text: String) -> String {
        let mut hidden: Vec<&str> = self.secrets().filter(|value| value.len() >= SHORTEST_SECRET).collect();
        hidden.sort_by_key(|value| Reverse(value.len()));
        hidden.into_iter().fold(text, |text, value| match text.contains(value) {
            true => text.replace(value, "[secret]"),
            false => text,
        })
    }
}

impl<All: IntoIterator<Item = (OsString, OsString)>> From<All> for Variables {
    fn from(all: All) -> Self {
        Self::new(all, [])
    }
}

/// Secrets are among the values.
impl fmt::Debug for Variables {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Variables").field("keys", &self.keys).finish_non_exhaustive()
    }
}

/// Variables that are secrets by name, or give a child the rights of the user that started Accord.
const SECRET_NAMES: &[&str] = &["SSH_AUTH_SOCK", "MYSQL_PWD", "PGPASSWORD", "PGPASSFILE", "KUBECONFIG"];

/// Last words of the names of secrets: `X_API_KEY`, `X_TOKEN`, or the word alone. Addresses of databases are
/// among them, because they contain passwords.
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
    "HEADERS",
    "DSN",
    "DATABASE_URL",
    "CONNECTION_STRING",
];

/// Accord's own settings: keys of the coordinator and addresses of its database are among them.
const OWN_PREFIX: &str = "ACCORD_";

/// Whether a variable is one of Accord's own.
fn own_variable(name: &OsStr) -> bool {
    upper(name).starts_with(OWN_PREFIX)
}

/// Whether a name looks like the name of a secret. Letter case and dashes do not count.
pub(crate) fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase().replace('-', "_");
    let ends =
        |word: &str| name.strip_suffix(word).is_some_and(|rest| rest.is_empty() || rest.ends_with('_'));
    let of_provider = || {
        ProviderKind::ALL.iter().any(|kind| kind.row().credentials().iter().flatten().any(|key| *key == name))
    };
    SECRET_NAMES.contains(&name.as_str()) || SECRET_WORDS.iter().any(|word| ends(word)) || of_provider()
}

/// The login of an address in a value: `user:password` of `https://user:password@host/`. Tokens are written as users too.
/// Addresses of proxies may lack the scheme.
fn login<'a>(name: &str, value: &'a str) -> Option<&'a str> {
    let is_proxy = name.to_ascii_uppercase().ends_with("PROXY");
    let starts = value.match_indices("://").map(|(at, scheme)| at + scheme.len());
    starts.chain(is_proxy.then_some(0)).find_map(|start| {
        let rest = value.get(start..)?;
        let ends = |each: char| matches!(each, '/' | '?' | '#') || each.is_whitespace();
        let authority = rest.split(ends).next()?;
        authority.rsplit_once('@').map(|(login, _)| login).filter(|login| !login.is_empty())
    })
}

/// Whether an address holds a secret: a login, or a parameter that is secret by its name.
pub(crate) fn holds_secret(address: &str) -> bool {
    let query = address.split('#').next().and_then(|address| address.split_once('?')).map(|(_, query)| query);
    let mut names =
        query.into_iter().flat_map(|query| query.split('&')).filter_map(|pair| pair.split('=').next());
    login("", address).is_some() || names.any(is_secret)
}

/// Whether this is an address of a provider with a query, which may be a key.
fn has_query(name: &str, value: &str) -> bool {
    name.to_ascii_uppercase().ends_with("BASE_URL") && value.contains('?')
}

/// Shorter values are not treated as secrets, because they would be found in any text.
const SHORTEST_SECRET: usize = 8;

/// Tells a command which trace it works for. Programs that are traced themselves read it.
pub(crate) fn trace(command: &mut Command) {
    if let Some(traceparent) = accord_trace::current() {
        command.env(accord_trace::VARIABLE, traceparent.to_string());
    }
}

/// Whether a variable of a blueprint is valid.
pub(crate) fn variable((name, value): (&String, &String)) -> Result<(), SettingsError> {
    if name.is_empty() || name.contains('=') {
        return Err(SettingsError::VariableName(name.clone()));
    }
    no_nul("env", name)?;
    no_nul("env", value)
}

/// Whether a text can be passed to a process.
pub(crate) fn no_nul(field: &'static str, text: &str) -> Result<(), SettingsError> {
    if text.contains('\0') {
        return Err(SettingsError::Nul(field));
    }
    Ok(())
}

fn upper(name: &OsStr) -> String {
    name.to_string_lossy().to_ascii_uppercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables(pairs: &[(&str, &str)], keys: &[&str]) -> Variables {
        let pairs = pairs.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
        Variables::new(pairs, keys.iter().map(|&key| key.to_owned()))
    }

    fn left(variables: Variables) -> Vec<OsString> {
        variables.without_secrets().into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn secrets_are_known_by_their_names() {
        let secret = [
            "ANTHROPIC_API_KEY",
            "openai_api_key",
            "GITHUB_TOKEN",
            "TOKEN",
            "AWS_ACCESS_KEY_ID",
            "AWS_SECRET_ACCESS_KEY",
            "AWS_SESSION_TOKEN",
            "AWS_BEARER_TOKEN_BEDROCK",
            "DATABASE_URL",
            "PGPASSWORD",
            "ACCORD_RUNNER__KEY",
            "ACCORD_DATABASE__URL",
            "SSH_AUTH_SOCK",
            "GOOGLE_APPLICATION_CREDENTIALS",
        ];
        let plain =
            ["PATH", "HOME", "LANG", "MONKEY", "CARGO_TARGET_DIR", "KEYBOARD", "TOKENIZERS_PARALLELISM"];
        let pairs: Vec<(&str, &str)> = secret.into_iter().chain(plain).map(|name| (name, "x")).collect();
        assert_eq!(left(variables(&pairs, &[])), plain);
    }

    #[test]
    fn addresses_with_credentials_are_secrets() {
        let pairs = [
            ("GATEWAY_BASE_URL", "https://user:gateway1@gateway.example/v1"),
            ("REDIS_URL", "redis://:redispass@host"),
            ("HTTPS_PROXY", "http://user:password@127.0.0.1:1"),
            ("http_proxy", "user:password2@127.0.0.1:1"),
            ("REMOTES", "https://a.example https://t0ken-123@b.example"),
            ("OPENAI_BASE_URL", "https://models.example/v1?key=secret"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "api-key=secret"),
            ("ANTHROPIC_BASE_URL", "https://models.example/v1"),
            ("NO_PROXY", "localhost,127.0.0.1"),
            ("REGISTRY", "https://registry.example/@scope/package?x=a@b"),
            ("EMAIL", "me@mail.example"),
        ];
        let variables = variables(&pairs, &[]);
        let text =
            "user:gateway1 :redispass user:password user:password2 t0ken-123 me@mail.example".to_owned();
        let hidden = "[secret] [secret] [secret] [secret] [secret] me@mail.example";
        assert_eq!(variables.hide(text), hidden);
        assert_eq!(left(variables), ["ANTHROPIC_BASE_URL", "NO_PROXY", "REGISTRY", "EMAIL"]);
    }

    #[test]
    fn addresses_with_a_login_or_a_key_hold_a_secret() {
        for secret in
            ["https://u:p@h/v1", "https://t0ken@h", "https://h/mcp?x=1&api_key=k", "https://h?token=t#x"]
        {
            assert!(holds_secret(secret), "{secret}");
        }
        for plain in ["https://h/v1", "https://h/mcp?project=a@b", "https://h/@scope?monkey=1", ""] {
            assert!(!holds_secret(plain), "{plain}");
        }
    }

    #[test]
    fn keys_of_providers_are_secrets_under_any_name() {
        let pairs =
            [("LABKEY", "labsecret-99"), ("LABKEY_2", "labsecret-99887766\n"), ("PLAIN", "seen-by-all")];
        let variables = variables(&pairs, &["LABKEY", "LABKEY_2", "GONE"]);
        assert_eq!(variables.hide("labsecret-99887766 seen-by-all".to_owned()), "[secret] seen-by-all");
        assert_eq!(variables.secrets().collect::<Vec<_>>(), ["labsecret-99", "labsecret-99887766"]);
        assert!(!format!("{variables:?}").contains("labsecret"));
        assert_eq!(left(variables), ["PLAIN"]);
    }
}
