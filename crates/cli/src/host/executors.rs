//! The executors that a runner has.

use std::sync::Arc;

use accord_executor::{
    BuiltinTools, Executor, HttpTransport, LlmExecutor, MakeExecutor, ProcessExecutor, Provider,
    ProviderKind, Providers, Recorder, RecordingTransport, Redactor, Registry, ReplayExecutor, Secret,
    Transport,
};

use crate::config::{self, Config};
use crate::failure::{Failure, Problem};

/// The executors, on the network.
pub(crate) fn executors(config: &Config) -> Result<Registry, Failure> {
    let providers = providers(config)?;
    Ok(registry(providers, network()?))
}

/// The executors, and a recorder that keeps what models are asked and what they answer.
pub(crate) fn recording_executors(config: &Config) -> Result<(Registry, Recorder), Failure> {
    let providers = providers(config)?;
    let recorder = Recorder::new(Redactor::new(secrets(&providers)));
    let transport = Arc::new(RecordingTransport::new(network()?, recorder.clone()));
    Ok((registry(providers, transport), recorder))
}

fn registry(providers: Providers, transport: Arc<dyn Transport>) -> Registry {
    let tools = Arc::new(BuiltinTools::new(std::env::vars_os()));
    let replayed = tools.clone();
    let make: MakeExecutor = Arc::new(move |transport| -> Arc<dyn Executor> {
        Arc::new(LlmExecutor::new(keyless(), transport, replayed.clone()))
    });
    Registry::default()
        .with("llm", Arc::new(LlmExecutor::new(providers, transport, tools)))
        .with("process", Arc::new(ProcessExecutor::new(std::env::vars_os())))
        .with("replay", Arc::new(ReplayExecutor::new(make)))
}

/// The network.
pub(super) fn network() -> Result<Arc<dyn Transport>, Failure> {
    let transport =
        HttpTransport::new().map_err(|error| Problem::new(format!("no HTTP client can be made: {error}")))?;
    Ok(Arc::new(transport))
}

/// The built-in providers by their usual variables, and the configured ones.
pub(super) fn providers(config: &Config) -> Result<Providers, Failure> {
    let built_in = Providers::from_environment(|name| std::env::var(name).ok());
    let mut all = built_in;
    for (name, settings) in &config.values.providers {
        all = all.with(name, provider(name, settings)?);
    }
    Ok(all)
}

fn provider(name: &str, settings: &config::Provider) -> Result<Provider, Problem> {
    let standard = Provider::new(kind(settings.kind));
    let api_key = match &settings.api_key_env {
        None => None,
        Some(variable) => {
            let value = std::env::var(variable).ok().filter(|value| !value.is_empty());
            let hint = format!("set it, or take api_key_env out of [providers.{name}]");
            let missing = || {
                Problem::new(format!("the provider '{name}' wants {variable}, which is not set")).hint(hint)
            };
            Some(Secret::new(value.ok_or_else(missing)?))
        }
    };
    Ok(Provider {
        base_url: settings.base_url.clone().or(standard.base_url),
        api_key,
        headers: settings.headers.iter().map(|(name, value)| (name.clone(), value.clone())).collect(),
        price_per_million_input: settings.price_per_million_input,
        price_per_million_output: settings.price_per_million_output,
        ..Provider::new(kind(settings.kind))
    })
}

fn kind(kind: config::ProviderKind) -> ProviderKind {
    match kind {
        config::ProviderKind::Anthropic => ProviderKind::Anthropic,
        config::ProviderKind::Openai => ProviderKind::OpenAi,
        config::ProviderKind::OpenaiChat => ProviderKind::OpenAiChat,
        config::ProviderKind::OpenaiCompatible => ProviderKind::OpenAiCompatible,
        config::ProviderKind::Ollama => ProviderKind::Ollama,
    }
}

/// The built-in providers for a recording: nothing is sent, so no key is asked for.
fn keyless() -> Providers {
    let with_key =
        |kind| Provider { api_key: Some(Secret::new("a-recording-needs-no-key")), ..Provider::new(kind) };
    let add = |all: Providers, kind: ProviderKind| all.with(kind.name(), with_key(kind));
    ProviderKind::ALL.into_iter().fold(Providers::default(), add)
}

fn secrets(providers: &Providers) -> Vec<String> {
    let all = providers.names().into_iter().filter_map(|name| providers.get(name));
    all.flat_map(|provider| {
        let key = provider.api_key.iter().map(|key| key.expose().to_owned());
        key.chain(provider.headers.iter().map(|(_, value)| value.clone()))
    })
    .collect()
}
