//! The provider of a recording, as far as a replay needs it.
//!
//! Error messages contain its name and address, and depend on whether it has a key; costs depend on its prices. A replay must
//! give the same messages and costs on any machine, so these are stored with the blueprint. Key and headers are not.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::llm::{Price, Prices, Provider, ProviderKind, Providers, Secret};

use super::redactor::bare;

/// What is kept of a provider.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedProvider {
    /// The name that the blueprint calls it by.
    pub name: String,
    pub kind: ProviderKind,
    /// Its address, without user, password and query.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// Whether it had a key.
    #[serde(default)]
    pub has_key: bool,
    /// The subset of JSON Schema that it enforces, where it is another than its dialect's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema_profile: Option<String>,
    /// What the models of the agent cost then.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub prices: BTreeMap<String, Price>,
}

impl RecordedProvider {
    /// What is kept of this one for an agent that uses these of its models.
    pub fn new(name: &str, provider: &Provider, models: &[&str]) -> Self {
        let priced = |model: &&str| Some(((*model).to_owned(), provider.prices.of(provider.kind, model)?));
        Self {
            name: name.to_owned(),
            kind: provider.kind,
            base_url: provider.base_url.as_deref().map(bare),
            has_key: provider.api_key.is_some() || provider.signing.is_some(),
            schema_profile: provider.schema_profile.clone(),
            prices: models.iter().filter_map(priced).collect(),
        }
    }

    fn provider(&self) -> Provider {
        Provider {
            base_url: self.base_url.clone(),
            api_key: self.has_key.then(no_key),
            schema_profile: self.schema_profile.clone(),
            prices: Prices::only(self.prices.clone()),
            ..Provider::new(self.kind)
        }
    }
}

/// The providers of a replay: the recorded ones, and the built-in ones for recordings that keep none.
pub(super) fn providers<'a>(recorded: impl IntoIterator<Item = &'a RecordedProvider>) -> Providers {
    let built_in = ProviderKind::ALL.into_iter().fold(Providers::default(), |all, kind| {
        all.with(
            kind.name(),
            Provider {
                api_key: Some(no_key()),
                prices: Prices::only(BTreeMap::new()),
                ..Provider::new(kind)
            },
        )
    });
    recorded.into_iter().fold(built_in, |all, recorded| all.with(&recorded.name, recorded.provider()))
}

/// Nothing is sent, so any key will do.
fn no_key() -> Secret {
    Secret::new("a-recording-needs-no-key")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::list_price;
    use serde_json::json;

    #[test]
    fn a_provider_is_kept_without_its_secrets() {
        let provider = Provider {
            base_url: Some("https://me:password@models.example/v1?key=query".to_owned()),
            api_key: Some(Secret::new("sk-secret")),
            headers: vec![("x-team".to_owned(), "team-secret".to_owned())],
            ..Provider::new(ProviderKind::OpenAiChat)
        };
        let recorded = RecordedProvider::new("lab", &provider, &["gpt-4o-mini", "of-ours"]);
        let prices = [("gpt-4o-mini".to_owned(), list_price(provider.kind, "gpt-4o-mini").unwrap())].into();
        let written = json!({
            "name": "lab", "kind": "openai-chat", "base_url": "https://models.example/v1", "has_key": true,
            "prices": {"gpt-4o-mini": {"input": 0.15, "output": 0.6, "cache_read": 0.075}},
        });
        assert_eq!(serde_json::to_value(&recorded).unwrap(), written);
        assert_eq!(serde_json::from_value::<RecordedProvider>(written).unwrap(), recorded);
        let expected = Provider {
            base_url: Some("https://models.example/v1".to_owned()),
            api_key: Some(no_key()),
            headers: Vec::new(),
            prices: Prices::only(prices),
            ..provider
        };
        assert_eq!(providers([&recorded]).get("lab"), Some(&expected));
    }

    #[test]
    fn a_recording_without_providers_uses_the_built_in_ones() {
        let mut names = ProviderKind::ALL.map(ProviderKind::name);
        names.sort_unstable();
        assert_eq!(providers([]).names(), names);
        assert!(names.iter().all(|name| providers([]).get(name).unwrap().api_key.is_some()));
    }
}
