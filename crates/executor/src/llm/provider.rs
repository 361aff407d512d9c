//! Providers, as plain data.

use std::fmt;

pub use accord_domain::provider::ProviderKind;
use serde::{Deserialize, Serialize};

use super::prices::Prices;

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
    pub prices: Prices,
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
            prices: Prices::default(),
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

#[cfg(test)]
mod tests {
    use super::*;

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
