//! Providers by name, as plain data.

use std::collections::BTreeMap;
use std::fmt;

pub use accord_domain::provider::ProviderKind;
use accord_domain::provider::REGION;
use serde::{Deserialize, Serialize};

use super::wire::wire;
use crate::session::OpenError;

/// A key that is not shown in debug output.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    pub fn new(key: impl Into<String>) -> Self {
        Self(key.into())
    }

    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("[secret]")
    }
}

/// How an Anthropic key is sent. The other kinds always use a bearer token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Auth {
    /// `x-api-key`.
    #[default]
    XApiKey,
    /// `Authorization: Bearer`.
    Bearer,
}

/// Credentials that sign each request instead of being sent with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SigningCredentials {
    pub key_id: String,
    pub secret: Secret,
    /// For temporary credentials.
    pub session_token: Option<Secret>,
    /// The region, if the address does not name one.
    pub region: Option<String>,
}

#[derive(Clone, PartialEq)]
pub struct Provider {
    pub kind: ProviderKind,
    /// Its address, with the version where the dialect's own address has one (`https://api.openai.com/v1`).
    pub base_url: Option<String>,
    /// Its key. It is sent to `base_url` and nowhere else.
    pub api_key: Option<Secret>,
    /// What signs requests if there is no key.
    pub signing: Option<SigningCredentials>,
    /// The variable of the key, if it is empty. It is an error only when this provider is used.
    pub missing_key: Option<String>,
    pub auth: Auth,
    /// The `anthropic-version` to send, if not the default.
    pub api_version: Option<String>,
    /// Further headers; they may be secrets too.
    pub headers: Vec<(String, String)>,
    pub price_per_million_input: Option<f64>,
    pub price_per_million_output: Option<f64>,
    /// The subset of JSON Schema that it enforces, where it is another than its dialect's.
    pub schema_profile: Option<String>,
}

impl Provider {
    /// A provider with the usual address of its kind and no key.
    pub fn new(kind: ProviderKind) -> Self {
        Self {
            kind,
            base_url: kind.row().fixed_base_url().map(str::to_owned),
            api_key: None,
            signing: None,
            missing_key: None,
            auth: Auth::default(),
            api_version: None,
            headers: Vec::new(),
            price_per_million_input: None,
            price_per_million_output: None,
            schema_profile: None,
        }
    }
}

impl fmt::Debug for Provider {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let headers: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        formatter
            .debug_struct("Provider")
            .field("kind", &self.kind)
            .field("api_key", &self.api_key)
            .field("auth", &self.auth)
            .field("api_version", &self.api_version)
            .field("headers", &headers)
            .finish_non_exhaustive()
    }
}

/// The providers that a runner knows, by name.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Providers(BTreeMap<String, Provider>);

impl Providers {
    /// The built-in providers, with the addresses and keys that the usual variables give. The lookup comes from the
    /// caller: this crate does not read the environment.
    pub fn from_environment(get: impl Fn(&str) -> Option<String>) -> Self {
        let get = |name| get(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
        ProviderKind::ALL.into_iter().fold(Self::default(), |all, kind| {
            let (row, standard) = (kind.row(), Provider::new(kind));
            let address = row.base_url_variable.and_then(get);
            let key = row.key_variable.and_then(get);
            let token = row.token_variable.and_then(get).filter(|_| key.is_none());
            let region = row.signing.and_then(|names| names.region.iter().copied().find_map(get));
            let regional = || Some(row.base_url?.replace(REGION, region.as_ref()?));
            let address = address.map(|address| wire(row.dialect).base_url(&address));
            let signing = row.signing.and_then(|names| {
                Some(SigningCredentials {
                    key_id: get(names.key_id)?,
                    secret: Secret::new(get(names.secret)?),
                    session_token: get(names.session_token).map(Secret::new),
                    region: region.clone(),
                })
            });
            let provider = Provider {
                base_url: address.or(standard.base_url).or_else(regional),
                auth: if token.is_some() { Auth::Bearer } else { standard.auth },
                api_key: key.or(token).map(Secret::new),
                signing,
                ..standard
            };
            all.with(row.name, provider)
        })
    }

    /// Adds a provider, or puts it in the place of another.
    #[must_use]
    pub fn with(mut self, name: &str, provider: Provider) -> Self {
        self.0.insert(name.to_owned(), provider);
        self
    }

    pub fn get(&self, name: &str) -> Option<&Provider> {
        self.0.get(name)
    }

    pub(super) fn required(&self, name: &str) -> Result<&Provider, OpenError> {
        self.get(name).ok_or_else(|| {
            let known = self.names().join(", ");
            OpenError::Settings(format!("unknown provider `{name}`; expected one of {known}"))
        })
    }

    pub fn names(&self) -> Vec<&str> {
        self.0.keys().map(String::as_str).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment<'a>(pairs: &'a [(&'a str, &'a str)]) -> impl Fn(&str) -> Option<String> + 'a {
        |wanted| {
            let found = pairs.iter().find(|(name, _)| *name == wanted);
            found.map(|(_, value)| (*value).to_owned())
        }
    }

    #[test]
    fn an_empty_environment_gives_the_usual_addresses_and_no_keys() {
        let providers = Providers::from_environment(environment(&[("OPENAI_API_KEY", " ")]));
        let mut names = ProviderKind::ALL.map(ProviderKind::name);
        names.sort_unstable();
        assert_eq!(providers.names(), names);
        for kind in ProviderKind::ALL {
            assert_eq!(providers.get(kind.name()), Some(&Provider::new(kind)));
        }
        assert!(names.iter().all(|name| providers.get(name).is_some_and(|one| one.api_key.is_none())));
    }

    #[test]
    fn keys_and_addresses_come_from_the_usual_variables() {
        let providers = Providers::from_environment(environment(&[
            ("ANTHROPIC_AUTH_TOKEN", "token"),
            ("ANTHROPIC_BASE_URL", "http://gateway"),
            ("OPENAI_API_KEY", "key"),
            ("OPENAI_BASE_URL", "http://other/v1"),
        ]));
        let expected = Provider {
            base_url: Some("http://gateway".into()),
            api_key: Some(Secret::new("token")),
            auth: Auth::Bearer,
            ..Provider::new(ProviderKind::Anthropic)
        };
        assert_eq!(providers.get("anthropic"), Some(&expected));
        let expected = Provider {
            base_url: Some("http://other/v1".into()),
            api_key: Some(Secret::new("key")),
            ..Provider::new(ProviderKind::OpenAiChat)
        };
        assert_eq!(providers.get("openai-chat"), Some(&expected));
        assert_eq!(
            providers.get("openai-compatible"),
            Some(&Provider::new(ProviderKind::OpenAiCompatible)),
            "the key of one service is not for another"
        );
    }

    #[test]
    fn a_key_is_never_shown() {
        let provider = Provider {
            api_key: Some(Secret::new("sk-hidden")),
            signing: Some(SigningCredentials {
                key_id: "AKID".into(),
                secret: Secret::new("sk-hidden"),
                session_token: None,
                region: None,
            }),
            headers: vec![("x-team".into(), "sk-hidden".into())],
            ..Provider::new(ProviderKind::Anthropic)
        };
        let shown = format!("{provider:?}");
        assert!(!shown.contains("sk-hidden"), "{shown}");
        assert!(shown.contains("x-team"), "{shown}");
    }
}
