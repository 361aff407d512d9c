//! Secrets that a provider receives, and that must not come back in errors or recordings.

use reqwest::Url;

use super::provider::{Provider, Secret};

impl Provider {
    /// Its key, the values of its headers, and what its address holds.
    pub fn secrets(&self) -> Vec<String> {
        let signing =
            self.signing.iter().flat_map(|signing| [Some(&signing.secret), signing.session_token.as_ref()]);
        let key = self.api_key.iter().chain(signing.flatten()).map(Secret::expose);
        // The secret follows the scheme of the authorization.
        let headers = self
            .headers
            .iter()
            .flat_map(|(_, value)| [Some(value.as_str()), value.split_once(' ').map(|(_, key)| key)]);
        let mut secrets: Vec<String> = key.chain(headers.flatten()).map(str::to_owned).collect();
        secrets.extend(self.base_url.iter().flat_map(|address| secrets_of_address(address)));
        secrets
    }
}

/// The secrets that an address may hold, as they are written there and as they are meant: its password, or a user without
/// one, and the values of its query.
pub fn secrets_of_address(address: &str) -> Vec<String> {
    let Ok(url) = Url::parse(address.trim()) else { return Vec::new() };
    let user = url.password().unwrap_or_else(|| url.username());
    let pairs = url.query().unwrap_or_default().split('&').filter_map(|pair| pair.split_once('='));
    // A version is no secret, and is named in every error about it.
    let values = pairs.filter(|(name, _)| !name.contains("version")).map(|(_, value)| value);
    let written = values.chain([user]).filter(|text| !text.is_empty());
    written.flat_map(|text| [text.to_owned(), decoded(&url, text)]).collect()
}

/// A part of an address without its escapes.
fn decoded(url: &Url, text: &str) -> String {
    let mut url = url.clone();
    url.set_query(Some(&format!("={}", text.replace('+', "%2B"))));
    url.query_pairs().next().map(|(_, value)| value.into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::ProviderKind;

    #[test]
    fn an_address_may_hold_some() {
        for (address, expected) in [
            ("https://me:p%2Fw+1@models.example/v1", vec!["p%2Fw+1", "p/w+1"]),
            ("https://t0ken@models.example/v1", vec!["t0ken", "t0ken"]),
            ("https://models.example/v1?key=a%20b&api-version=2026-01-01&x", vec!["a%20b", "a b"]),
            ("https://models.example/v1", vec![]),
            ("models", vec![]),
        ] {
            assert_eq!(secrets_of_address(address), expected, "{address}");
        }
    }

    #[test]
    fn a_provider_has_all_that_it_is_shown() {
        let provider = Provider {
            base_url: Some("https://models.example/v1?key=query".to_owned()),
            api_key: Some(Secret::new("sk-1")),
            headers: vec![("Authorization".to_owned(), "Bearer token".to_owned())],
            ..Provider::new(ProviderKind::OpenAiChat)
        };
        assert_eq!(provider.secrets(), ["sk-1", "Bearer token", "token", "query", "query"]);
    }
}
