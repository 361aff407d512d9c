//! Providers by name.

use std::collections::BTreeMap;

use accord_domain::provider::{ProviderKind, REGION};

use super::provider::{Auth, Provider, Secret, SigningCredentials};
use super::wire::wire;
use crate::session::OpenError;

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
}
