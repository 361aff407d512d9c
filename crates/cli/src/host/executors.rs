//! The executors that a runner has.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use accord_contract::lower::Profile;
use accord_domain::agent::ExecutorKind;
use accord_executor::{
    AcpExecutor, BuiltinTools, ClaudeCodeExecutor, CodexExecutor, EVERY_MODEL, Executor, ExternalExecutor,
    HttpTransport, LlmExecutor, MakeExecutor, McpServers, PDF_READER, PdfReader, Price, Prices,
    ProcessExecutor, Provider, Providers, Recorder, RecordingTransport, Redactor, Registry, ReplayExecutor,
    Request, Response, Secret, Stage, SubmitServer, Transport, TransportError, Variables, WithFolder,
    secrets_of_address,
};
use async_trait::async_trait;

use crate::config::{self, Config, FILE, FILE_INSIDE, FOLDER};
use crate::failure::{Failure, Problem};
use crate::store::{self, DatabaseLocation};

pub(crate) fn executors(config: &Config) -> Result<Registry, Failure> {
    let providers = providers(config)?;
    let network = network()?;
    let llm = llm(config, providers, Arc::clone(&network), Arc::clone(&network));
    Ok(registry(config, llm, network))
}

/// The executors, a recorder for the exchanges with models, and the providers. `address` is the
/// agent's own base address, if it has one.
pub(crate) fn recording_executors(
    config: &Config,
    addresses: &[&str],
) -> Result<(Registry, Recorder, Providers), Failure> {
    let providers = providers(config)?;
    let recorder = Recorder::new(Redactor::new(secrets(&providers, addresses)));
    let network = network()?;
    let transport = Arc::new(RecordingTransport::new(Arc::clone(&network), recorder.clone()));
    let llm = llm(config, providers.clone(), transport, Arc::clone(&network)).with_recorder(recorder.clone());
    Ok((registry(config, llm, network), recorder, providers))
}

/// Executors that ask no model, and what they would have sent. `provider` needs no key then.
pub(crate) fn previewing_executors(config: &Config, provider: &str) -> Result<(Registry, Preview), Failure> {
    let mut providers = providers(config)?;
    if let Some(known) = providers.get(provider).cloned() {
        let api_key = known.api_key.clone().or_else(|| Some(Secret::new("preview")));
        providers = providers.with(provider, Provider { api_key, missing_key: None, ..known });
    }
    let preview = Preview::default();
    let network = network()?;
    let llm = llm(config, providers, Arc::new(preview.clone()), Arc::clone(&network));
    Ok((registry(config, llm, network), preview))
}

/// Keeps the first request and sends none.
#[derive(Debug, Clone, Default)]
pub(crate) struct Preview(Arc<OnceLock<Request>>);

impl Preview {
    pub(crate) fn first(&self) -> Option<Request> {
        self.0.get().cloned()
    }
}

#[async_trait]
impl Transport for Preview {
    async fn send(&self, request: Request) -> Result<Response, TransportError> {
        let _ = self.0.set(request);
        Err(TransportError::Impossible("this is a preview: nothing is sent".to_owned()))
    }
}

/// What answers from recordings. It needs no key, no network and no tools.
pub(crate) fn replaying_executors() -> Registry {
    Registry::default().with(ExecutorKind::Replay.name(), replay())
}

pub(crate) fn tools(config: &Config) -> BuiltinTools {
    BuiltinTools::new(variables(config))
        .with_command_folders(command_folders(config))
        .with_private_files(private_files(config))
}

/// What commands of agents reach besides the project folder.
pub(super) fn command_folders(config: &Config) -> Vec<PathBuf> {
    config.values.runner.command_folders.iter().map(|text| config.path(text)).collect()
}

/// The settings, the key and the database of this process. The latter has others beside it, which go by its real name.
fn private_files(config: &Config) -> Vec<PathBuf> {
    let settings = [config.project.join(FILE), config.project.join(FOLDER).join(FILE_INSIDE)];
    let database = match store::place(config) {
        Ok(DatabaseLocation::File(path)) => Some(path.canonicalize().unwrap_or(path)),
        _ => None,
    };
    let beside = |path: PathBuf| {
        ["", "-wal", "-shm", "-journal"].map(|end| {
            let mut name = path.clone().into_os_string();
            name.push(end);
            PathBuf::from(name)
        })
    };
    settings.into_iter().chain(config.key_file()).chain(database.into_iter().flat_map(beside)).collect()
}

/// The variables of this process. Those that hold keys of providers are secrets, whatever they are called.
fn variables(config: &Config) -> Variables {
    let keys = config.values.providers.values().filter_map(|provider| provider.api_key_env.clone());
    Variables::new(std::env::vars_os(), keys)
}

/// `network` is for MCP servers, whatever models are asked by.
fn llm(
    config: &Config,
    providers: Providers,
    transport: Arc<dyn Transport>,
    network: Arc<dyn Transport>,
) -> LlmExecutor {
    let servers = McpServers::new(network, variables(config));
    LlmExecutor::new(providers, transport, Arc::new(tools(config)))
        .with_mcp_servers(servers)
        .with_pdf_reader(pdf_reader())
}

fn registry(config: &Config, llm: LlmExecutor, network: Arc<dyn Transport>) -> Registry {
    let servers = McpServers::new(network, variables(config));
    // A CLI submits its result through this program.
    let submit = SubmitServer { program: this_program(), args: vec!["submit".to_owned()] };
    let variables = variables(config);
    let claude_code = ClaudeCodeExecutor::new(variables.clone(), submit.clone())
        .with_private_files(private_files(config))
        .with_mcp_servers(servers.clone());
    let codex = CodexExecutor::new(variables.clone(), submit.clone()).with_mcp_servers(servers.clone());
    let acp = AcpExecutor::new(variables.clone(), submit).with_mcp_servers(servers);
    Registry::default()
        .with(ExecutorKind::ClaudeCode.name(), Arc::new(WithFolder(claude_code)))
        .with(ExecutorKind::Codex.name(), Arc::new(WithFolder(codex)))
        .with(ExecutorKind::Acp.name(), Arc::new(WithFolder(acp)))
        .with(ExecutorKind::External.name(), Arc::new(ExternalExecutor::new(variables.clone())))
        .with(ExecutorKind::Llm.name(), Arc::new(llm))
        .with(ExecutorKind::Process.name(), Arc::new(ProcessExecutor::new(variables)))
        .with(ExecutorKind::Replay.name(), replay())
}

/// If the path of this program is unknown, the name alone finds it.
fn this_program() -> PathBuf {
    std::env::current_exe().unwrap_or_else(|_| "accord".into())
}

fn pdf_reader() -> PdfReader {
    PdfReader { program: this_program(), arguments: vec![PDF_READER.to_owned()] }
}

fn replay() -> Arc<dyn Executor> {
    let make: MakeExecutor = Arc::new(|stage: Stage| -> Arc<dyn Executor> {
        let executor = LlmExecutor::new(stage.providers, stage.transport, stage.toolboxes);
        Arc::new(executor.with_first_pause(Duration::ZERO).with_pdf_reader(pdf_reader()))
    });
    Arc::new(ReplayExecutor::new(make))
}

pub(super) fn network() -> Result<Arc<dyn Transport>, Failure> {
    let transport = HttpTransport::new()
        .map_err(|error| Problem::new(format!("cannot create an HTTP client: {error}")))?;
    Ok(Arc::new(transport))
}

/// The built-in providers by their usual variables, and the configured ones.
pub(crate) fn providers(config: &Config) -> Result<Providers, Failure> {
    let built_in = Providers::from_environment(|name| std::env::var(name).ok());
    let mut all = built_in.clone();
    for (name, settings) in &config.values.providers {
        all = all.with(name, provider(name, settings, &built_in)?);
    }
    priced(all, config)
}

/// The providers with the prices of the configuration.
fn priced(mut all: Providers, config: &Config) -> Result<Providers, Failure> {
    let mut prices: BTreeMap<&str, BTreeMap<String, Price>> = BTreeMap::new();
    for (name, price) in &config.values.prices {
        // The form of the name was checked with the configuration.
        let (provider, model) = name.split_once('/').unwrap_or((name, EVERY_MODEL));
        prices.entry(provider).or_default().insert(model.to_owned(), *price);
    }
    for (name, prices) in prices {
        let Some(provider) = all.get(name).cloned() else {
            let problem = Problem::new(format!("unknown provider '{name}' in [prices]"));
            let known = all.names().join(", ");
            return Err(problem.hint(format!("expected a name of [providers] or one of {known}")).into());
        };
        all = all.with(name, Provider { prices: Prices::own(prices), ..provider });
    }
    Ok(all)
}

fn provider(name: &str, settings: &config::Provider, built_in: &Providers) -> Result<Provider, Problem> {
    let standard = Provider::new(settings.kind);
    // Some kinds have an address or credentials by their variables alone.
    let usual = built_in.get(settings.kind.name());
    let usual_url = || usual.and_then(|usual| usual.base_url.clone());
    let held = |variable: &String| std::env::var(variable).ok().filter(|value| !value.is_empty());
    let api_key = settings.api_key_env.as_ref().and_then(held).map(Secret::new);
    let missing_key = settings.api_key_env.clone().filter(|_| api_key.is_none());
    if let Some(variable) = &missing_key {
        tracing::warn!("provider '{name}' is unavailable: {variable} is not set");
    }
    Ok(Provider {
        base_url: settings.base_url.clone().or(standard.base_url).or_else(usual_url),
        signing: usual.and_then(|usual| usual.signing.clone()).filter(|_| settings.api_key_env.is_none()),
        api_key,
        missing_key,
        headers: settings.headers.iter().map(|(name, value)| (name.clone(), value.clone())).collect(),
        prices: standard.prices,
        schema_profile: schema_profile(name, settings)?,
        auth: settings.auth,
        api_version: settings.api_version.clone(),
        kind: standard.kind,
    })
}

fn schema_profile(name: &str, settings: &config::Provider) -> Result<Option<String>, Problem> {
    match &settings.schema_profile {
        Some(unknown) if Profile::named(unknown).is_none() => {
            let known: Vec<&str> = Profile::all().iter().map(|profile| profile.name.as_str()).collect();
            let message = format!("unknown schema_profile '{unknown}' for providers.{name}");
            Err(Problem::new(message).hint(format!("expected one of {}", known.join(", "))))
        }
        known => Ok(known.clone()),
    }
}

/// The texts that must not appear in a recording: all secrets that providers receive, and those in
/// an agent's own addresses.
fn secrets(providers: &Providers, addresses: &[&str]) -> Vec<String> {
    let all = providers.names().into_iter().filter_map(|name| providers.get(name));
    all.flat_map(Provider::secrets)
        .chain(addresses.iter().flat_map(|address| secrets_of_address(address)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Flag;

    #[test]
    fn settings_and_database_are_private() {
        let folder = tempfile::tempdir().unwrap();
        let value = toml::Value::String("sqlite://state.db".to_owned());
        let database = Flag { key: "database.url", name: "--database", value };
        let config = Config::load(folder.path(), vec![database]).unwrap();
        let names = [
            "accord.toml",
            ".accord/config.toml",
            "state.db",
            "state.db-wal",
            "state.db-shm",
            "state.db-journal",
        ];
        assert_eq!(private_files(&config), names.map(|name| folder.path().join(name)));
    }
}
