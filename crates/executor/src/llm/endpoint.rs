//! The address of a provider, with everything that a request needs.

use std::cmp::Reverse;

use accord_domain::provider::TakesFiles;
use jiff::Timestamp;
use reqwest::Url;
use serde_json::Value;

use super::prices::Prices;
use super::provider::{Provider, ProviderKind, SigningCredentials};
use super::providers::Providers;
use super::secrets::secrets_of_address;
use super::settings::Settings;
use super::wire::{Wire, wire};
use crate::answer::Usage;
use crate::files::Files;
use crate::session::OpenError;
use crate::transport::Request;

/// Shorter secrets are not hidden: replacing them would garble texts.
const SHORTEST_SECRET: usize = 6;

/// An address with everything that a request to it needs.
pub(super) struct Endpoint {
    pub(super) kind: ProviderKind,
    pub(super) wire: &'static dyn Wire,
    pub(super) provider: String,
    /// Name and address, without secrets: `anthropic https://api.anthropic.com`.
    pub(super) name: String,
    base_url: Url,
    pub(super) headers: Vec<(String, String)>,
    /// What signs requests, if no key is sent.
    signing: Option<SigningCredentials>,
    /// Whether the provider has a key that was not for this address.
    pub(super) key_withheld: bool,
    /// The subset of JSON Schema that is enforced there.
    pub(super) schema_profile: String,
    /// Texts to hide, the longest first because one may be a part of another.
    secrets: Vec<String>,
    prices: Prices,
}

impl Endpoint {
    /// Finds the provider that the settings name, and its address and key.
    pub(super) fn resolve(providers: &Providers, settings: &Settings) -> Result<Self, OpenError> {
        let provider = providers.required(&settings.provider)?;
        let base = base_url(provider, settings)?;
        let api_key = key(provider, settings, &base)?;
        let is_own = is_own(provider, settings, &base);
        let key_withheld = !is_own && (provider.api_key.is_some() || provider.signing.is_some());
        let signing = provider.signing.clone().filter(|_| is_own && api_key.is_none());
        let row = provider.kind.row();
        let wire = wire(row.dialect);
        let mut headers = if is_own { provider.headers.clone() } else { Vec::new() };
        headers.extend(wire.headers(provider, api_key.as_deref()));
        check_authorization(&settings.provider, &base, &headers)?;
        let schema_profile = settings.schema_profile.as_ref().or(provider.schema_profile.as_ref());
        Ok(Self {
            kind: provider.kind,
            wire,
            provider: settings.provider.clone(),
            name: format!("{} {}", settings.provider, public_url(&base)),
            headers,
            signing,
            key_withheld,
            schema_profile: schema_profile.cloned().unwrap_or_else(|| row.schema_profile.to_owned()),
            secrets: secrets(provider, &base),
            base_url: base,
            prices: provider.prices.clone(),
        })
    }

    /// A request to a model, signed if that is how it is authorized.
    pub(super) fn request(&self, model: &str, body: Value, files: Files) -> Request {
        let mut request = Request { url: self.model_url(model), headers: self.headers.clone(), body, files };
        if let Some(credentials) = &self.signing {
            request.headers.extend(self.wire.signature(credentials, &request, Timestamp::now()));
        }
        request
    }

    /// The provider as traces call it. Compatible servers have only the name that they were configured with.
    pub(super) fn trace_name(&self) -> &str {
        match self.kind {
            ProviderKind::OpenAiCompatible => &self.provider,
            kind => kind.row().trace_name,
        }
    }

    pub(super) fn host(&self) -> &str {
        self.base_url.host_str().unwrap_or_default()
    }

    pub(super) fn port(&self) -> Option<u16> {
        self.base_url.port_or_known_default()
    }

    pub(super) fn takes_files(&self) -> &'static TakesFiles {
        &self.kind.row().files
    }

    pub(super) fn model_url(&self, model: &str) -> String {
        self.url(&self.wire.path(model))
    }

    /// The address of a path, which may have a query of its own.
    pub(super) fn url(&self, path: &str) -> String {
        let (path, query) = path.split_once('?').map_or((path, None), |(path, query)| (path, Some(query)));
        let mut url = self.base_url.clone();
        url.set_path(&format!("{}{path}", self.base_url.path().trim_end_matches('/')));
        if let Some(query) = query {
            let both =
                [self.base_url.query(), Some(query)].into_iter().flatten().collect::<Vec<_>>().join("&");
            url.set_query(Some(&both));
        }
        url.into()
    }

    /// The usage with its cost, if the price of the model is known.
    pub(super) fn priced(&self, model: &str, usage: Usage) -> Usage {
        self.prices.of(self.kind, model).map_or(usage, |price| price.of(usage))
    }

    pub(super) fn has_price(&self, model: &str) -> bool {
        self.prices.of(self.kind, model).is_some()
    }

    /// A text from elsewhere without our secrets in it.
    pub(super) fn scrub(&self, text: &str) -> String {
        let hide = |text: String, secret: &String| text.replace(secret.as_str(), "[secret]");
        self.secrets.iter().fold(text.to_owned(), hide)
    }
}

fn secrets(provider: &Provider, base: &Url) -> Vec<String> {
    let mut secrets = provider.secrets();
    secrets.extend(secrets_of_address(base.as_str()));
    secrets.retain(|secret| secret.len() >= SHORTEST_SECRET);
    secrets.sort_by_key(|secret| Reverse(secret.len()));
    secrets
}

fn base_url(provider: &Provider, settings: &Settings) -> Result<Url, OpenError> {
    let written = settings.base_url.as_ref().or(provider.base_url.as_ref()).ok_or_else(|| {
        let variables = provider.kind.row().address_variables();
        let remedy = match variables.is_empty() {
            true => "set `base_url` (for example http://127.0.0.1:8080/v1)".to_owned(),
            false => format!("set {} in the runner's environment, or `base_url`", variables.join(" or ")),
        };
        OpenError::Settings(format!("provider `{}` has no URL: {remedy}", settings.provider))
    })?;
    let url = Url::parse(written.trim()).ok();
    url.filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host()).ok_or_else(|| {
        OpenError::Settings(format!(
            "`base_url` of provider `{}` is not an http or https URL; expected the form https://host/path",
            settings.provider
        ))
    })
}

/// Whether an address is the provider's own. Keys and configured headers, which may be secrets too, are sent only there.
fn is_own(provider: &Provider, settings: &Settings, base: &Url) -> bool {
    let same = |address: &str| Url::parse(address).is_ok_and(|url| url.origin() == base.origin());
    settings.base_url.is_none() || provider.base_url.as_deref().is_some_and(same)
}

/// The key for an address. It belongs to the provider's own address: a blueprint that names another does not get it.
fn key(provider: &Provider, settings: &Settings, base: &Url) -> Result<Option<String>, OpenError> {
    let same = |address: &str| Url::parse(address).is_ok_and(|url| url.origin() == base.origin());
    let key = provider.api_key.as_ref().filter(|_| is_own(provider, settings, base));
    if let Some(variable) = provider.missing_key.as_ref().filter(|_| is_own(provider, settings, base)) {
        return Err(OpenError::Missing(format!(
            "provider `{0}` has no API key: set {variable} in the runner's environment, or remove api_key_env from [providers.{0}]",
            settings.provider
        )));
    }
    let row = provider.kind.row();
    // A service without a fixed address is at the provider's own.
    let is_public = match row.fixed_base_url() {
        Some(_) => provider.kind.public_base_url().is_some_and(same),
        None => is_own(provider, settings, base),
    };
    // A configured header may authorize too.
    let has_credentials = key.is_some() || provider.signing.is_some() || !provider.headers.is_empty();
    let required = row.credentials().into_iter().map(|variables| variables.join(" and ")).collect::<Vec<_>>();
    if is_public && !has_credentials && !required.is_empty() {
        return Err(OpenError::Missing(format!(
            "provider `{}` has no API key for {}: set {} in the runner's environment, or the key of the provider in its configuration",
            settings.provider,
            public_url(base),
            required.join(" or ")
        )));
    }
    Ok(key.map(|key| key.expose().to_owned()))
}

/// There is one Authorization header, which a user in an address sets too.
fn check_authorization(provider: &str, base: &Url, headers: &[(String, String)]) -> Result<(), OpenError> {
    let names_user = !base.username().is_empty() || base.password().is_some();
    let given = headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("authorization")).count();
    if given + usize::from(names_user) > 1 {
        return Err(OpenError::Settings(format!(
            "provider `{provider}` has several credentials for the Authorization header: its key, a user in `base_url`, or one of its headers; keep one of them"
        )));
    }
    Ok(())
}

/// An address without user, password and query.
fn public_url(url: &Url) -> String {
    let path = url.path().trim_end_matches('/');
    format!("{}{path}", url.origin().ascii_serialization())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::llm::provider::Secret;

    fn resolve(providers: &Providers, provider: &str, base_url: Option<&str>) -> Result<Endpoint, OpenError> {
        let settings = json!({"type": "llm", "provider": provider, "model": "m", "base_url": base_url});
        Endpoint::resolve(providers, &Settings::read(&settings).unwrap())
    }

    fn keyed() -> Providers {
        Providers::from_environment(|name| name.ends_with("_API_KEY").then(|| format!("secret-{name}")))
    }

    fn message(result: Result<Endpoint, OpenError>) -> String {
        result.err().map(|error| error.to_string()).unwrap_or_default()
    }

    #[test]
    fn each_kind_has_its_address_and_its_headers() {
        let providers = keyed();
        let cases = [
            (
                "anthropic",
                None,
                "https://api.anthropic.com/v1/messages",
                "anthropic https://api.anthropic.com",
            ),
            ("openai", None, "https://api.openai.com/v1/responses", "openai https://api.openai.com/v1"),
            (
                "openai-chat",
                None,
                "https://api.openai.com/v1/chat/completions",
                "openai-chat https://api.openai.com/v1",
            ),
            (
                "openai-compatible",
                Some("http://u:p@h:1/v1/?k=v"),
                "http://u:p@h:1/v1/chat/completions?k=v",
                "openai-compatible http://h:1/v1",
            ),
            ("ollama", None, "http://127.0.0.1:11434/api/chat", "ollama http://127.0.0.1:11434"),
            (
                "gemini",
                None,
                "https://generativelanguage.googleapis.com/v1beta/models/m:streamGenerateContent?alt=sse",
                "gemini https://generativelanguage.googleapis.com/v1beta",
            ),
            (
                "groq",
                None,
                "https://api.groq.com/openai/v1/chat/completions",
                "groq https://api.groq.com/openai/v1",
            ),
            ("cohere", None, "https://api.cohere.com/v2/chat", "cohere https://api.cohere.com"),
            ("vllm", None, "http://127.0.0.1:8000/v1/chat/completions", "vllm http://127.0.0.1:8000/v1"),
        ];
        for (provider, base_url, url, name) in cases {
            let endpoint = resolve(&providers, provider, base_url).unwrap();
            assert_eq!((endpoint.model_url("m").as_str(), endpoint.name.as_str()), (url, name));
        }
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(
            resolve(&providers, "anthropic", None).unwrap().headers,
            [pair("anthropic-version", "2023-06-01"), pair("x-api-key", "secret-ANTHROPIC_API_KEY")]
        );
        assert_eq!(
            resolve(&providers, "openai", None).unwrap().headers,
            [pair("authorization", "Bearer secret-OPENAI_API_KEY")]
        );
    }

    #[test]
    fn azure_and_bedrock_have_the_address_of_their_variables() {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let providers = Providers::from_environment(|name| {
            let value = match name {
                "AZURE_OPENAI_ENDPOINT" => "https://lab.openai.azure.com/",
                "AZURE_OPENAI_API_KEY" => "azure-key",
                "AWS_DEFAULT_REGION" => "eu-west-1",
                "AWS_ACCESS_KEY_ID" => "AKID",
                "AWS_SECRET_ACCESS_KEY" => "aws-secret",
                _ => return None,
            };
            Some(value.to_owned())
        });
        let azure = resolve(&providers, "azure-openai", None).unwrap();
        let url = "https://lab.openai.azure.com/openai/v1/chat/completions";
        assert_eq!(
            (azure.model_url("m").as_str(), azure.headers.as_slice()),
            (url, &[pair("api-key", "azure-key")][..])
        );
        let bedrock = resolve(&providers, "bedrock", None).unwrap();
        let request = bedrock.request("amazon.nova-lite-v1:0", json!({}), Files::default());
        let url =
            "https://bedrock-runtime.eu-west-1.amazonaws.com/model/amazon.nova-lite-v1%3A0/converse-stream";
        assert_eq!(request.url, url);
        let names: Vec<&str> = request.headers.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["x-amz-date", "authorization"]);
        assert_eq!(bedrock.scrub("the aws-secret"), "the [secret]");
        // Credentials are not used for another address.
        let elsewhere = resolve(&providers, "bedrock", Some("http://127.0.0.1:9")).unwrap();
        assert_eq!(
            (elsewhere.request("m", json!({}), Files::default()).headers, elsewhere.key_withheld),
            (vec![], true)
        );
    }

    #[test]
    fn every_service_needs_its_key_before_anything_is_sent() {
        for kind in ProviderKind::ALL.into_iter().filter(|kind| !kind.is_self_hosted()) {
            let row = kind.row();
            let address = |name: &str| {
                let is_region = name == "AWS_REGION" || Some(name) == row.base_url_variable;
                is_region.then(|| {
                    if name == "AWS_REGION" { "us-east-1" } else { "https://own.example" }.to_owned()
                })
            };
            let needs_address = row.fixed_base_url().is_none();
            let providers = Providers::from_environment(|name| address(name).filter(|_| needs_address));
            let told = message(resolve(&providers, row.name, None));
            let key = row.key_variable.unwrap();
            assert!(told.contains("has no API key for https://") && told.contains(key), "{told}");
            if needs_address {
                let told = message(resolve(&Providers::from_environment(|_| None), row.name, None));
                assert!(told.contains("has no URL: set A"), "{told}");
            }
        }
    }

    #[test]
    fn a_missing_key_is_an_error_for_its_provider_only() {
        let lab = Provider {
            base_url: Some("http://127.0.0.1:1/v1".to_owned()),
            missing_key: Some("LAB_KEY".to_owned()),
            ..Provider::new(ProviderKind::OpenAiCompatible)
        };
        let providers = keyed().with("lab", lab);
        let told = message(resolve(&providers, "lab", None));
        assert!(told.contains("set LAB_KEY") && told.contains("[providers.lab]"), "{told}");
        assert!(resolve(&providers, "anthropic", None).is_ok());
    }

    #[test]
    fn a_key_goes_to_its_own_address_only() {
        let endpoint = resolve(&keyed(), "openai", Some("http://127.0.0.1:9/v1")).unwrap();
        assert_eq!(endpoint.headers, []);
        let gateway = Provider {
            base_url: Some("http://127.0.0.1:9/v1".into()),
            api_key: Some(Secret::new("gateway-key")),
            headers: vec![("x-team".to_owned(), "team-secret".to_owned())],
            ..Provider::new(ProviderKind::OpenAiCompatible)
        };
        let providers = keyed().with("gateway", gateway);
        let endpoint = resolve(&providers, "gateway", None).unwrap();
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let expected = [pair("x-team", "team-secret"), pair("authorization", "Bearer gateway-key")];
        assert_eq!(endpoint.headers, expected);
        assert_eq!(resolve(&providers, "gateway", Some("http://127.0.0.1:10/v1")).unwrap().headers, []);
        assert_eq!(endpoint.scrub("no gateway-key here"), "no [secret] here");
    }

    #[test]
    fn rejects_two_credentials_in_one_header() {
        let gateway = |kind, address: &str, header: &str| {
            let gateway = Provider {
                base_url: Some(address.to_owned()),
                api_key: Some(Secret::new("gateway-key")),
                headers: vec![(header.to_owned(), "x".to_owned())],
                ..Provider::new(kind)
            };
            message(resolve(&Providers::default().with("gateway", gateway), "gateway", None))
        };
        let (plain, user) = ("http://127.0.0.1:9/v1", "http://user:hush@127.0.0.1:9/v1");
        let compatible = ProviderKind::OpenAiCompatible;
        for (address, header) in [(user, "x-team"), (plain, "AUTHORIZATION")] {
            let told = gateway(compatible, address, header);
            assert!(told.contains("several credentials") && !told.contains("hush"), "{told}");
        }
        assert_eq!(gateway(compatible, plain, "x-team"), "");
        // Its key has a header of its own.
        assert_eq!(gateway(ProviderKind::Anthropic, user, "x-team"), "");
    }

    #[test]
    fn hides_everything_that_was_sent_in_secret() {
        let gateway = Provider {
            base_url: Some("http://127.0.0.1:9/v1?key=query-s%65cret".into()),
            headers: vec![("Authorization".to_owned(), "Bearer gateway-token".to_owned())],
            ..Provider::new(ProviderKind::OpenAiCompatible)
        };
        let providers = keyed().with("gateway", gateway);
        let own = resolve(&providers, "gateway", None).unwrap();
        let told = own.scrub("Bearer gateway-token, gateway-token, ?key=query-s%65cret, query-secret");
        assert_eq!(told, "[secret], [secret], ?key=[secret], [secret]");
        let other =
            resolve(&providers, "gateway", Some("http://t0ken-1@127.0.0.1:10/v1?key=other-key")).unwrap();
        assert_eq!(other.scrub("t0ken-1 and other-key"), "[secret] and [secret]");
    }

    #[test]
    fn missing_settings_are_errors_with_a_remedy() {
        let none = Providers::from_environment(|_| None);
        assert_eq!(
            message(resolve(&none, "antropic", None)),
            "unknown provider `antropic`; expected one of anthropic, azure-openai, bedrock, cohere, deepseek, doubleword, gemini, groq, llama.cpp, lm-studio, mistral, mistral.rs, ollama, openai, openai-chat, openai-compatible, openrouter, venice, vllm, xai"
        );
        assert!(message(resolve(&none, "anthropic", None)).contains("set ANTHROPIC_API_KEY"));
        assert!(
            message(resolve(&none, "openai", Some("https://api.openai.com/v1")))
                .contains("set OPENAI_API_KEY")
        );
        assert!(message(resolve(&none, "openai-compatible", None)).contains("set `base_url`"));
        assert!(message(resolve(&none, "ollama", Some("models"))).contains("not an http or https URL"));
        assert!(resolve(&none, "anthropic", Some("http://127.0.0.1:9")).is_ok());
    }
}
