//! Which models the agents of a new project can use: keys in the environment, servers on this machine, agent CLIs.
//!
//! Only addresses on this machine are asked, and the one that OLLAMA_HOST names.

use std::ffi::OsString;
use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

use accord_executor::{CLAUDE_CODE, CODEX};
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// A server on this machine answers at once. A second is enough for a busy one.
const ANSWER_WITHIN: Duration = Duration::from_secs(1);

/// A list of models is shorter.
const MAX_LIST_BYTES: u64 = 1024 * 1024;

const OLLAMA: &str = "127.0.0.1:11434";
const LLAMA_CPP: &str = "127.0.0.1:8080";

/// The default model if only the provider is named.
const ANTHROPIC_MODEL: &str = "claude-sonnet-4-6";
const OPENAI_MODEL: &str = "gpt-5.1";

/// What answers in the agents of a new project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Model {
    Anthropic {
        model: String,
    },
    Openai {
        model: String,
    },
    Ollama {
        model: String,
        host: Option<String>,
    },
    LlamaCpp {
        model: String,
    },
    ClaudeCode,
    Codex,
    /// The recorded answers of the examples.
    Recorded,
}

impl Model {
    /// As `--model` takes it.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Anthropic { model } => format!("anthropic/{model}"),
            Self::Openai { model } => format!("openai/{model}"),
            Self::Ollama { model, .. } => format!("ollama/{model}"),
            Self::LlamaCpp { model } => format!("llama.cpp/{model}"),
            Self::ClaudeCode => "claude-code".to_owned(),
            Self::Codex => "codex".to_owned(),
            Self::Recorded => "recorded".to_owned(),
        }
    }

    /// Where it was found.
    pub(super) fn origin(&self) -> String {
        match self {
            Self::Anthropic { .. } => "ANTHROPIC_API_KEY is set".to_owned(),
            Self::Openai { .. } => "OPENAI_API_KEY is set".to_owned(),
            Self::Ollama { host, .. } => {
                format!("Ollama is running at {}", host.as_deref().unwrap_or(OLLAMA))
            }
            Self::LlamaCpp { .. } => format!("llama.cpp is running at {LLAMA_CPP}"),
            Self::ClaudeCode => format!("{} is installed", CLAUDE_CODE.title),
            Self::Codex => format!("{} is installed", CODEX.title),
            Self::Recorded => "recorded answers, for the recorded inputs only".to_owned(),
        }
    }

    /// The executor of a blueprint, as YAML on one line; none for recordings.
    pub(super) fn executor(&self) -> Option<String> {
        let llm = |provider: &str, model: &str, more: &str| {
            // A name is quoted: it may have a colon.
            Some(format!("{{ type: llm, provider: {provider}, model: {}{more} }}", Value::from(model)))
        };
        match self {
            Self::Anthropic { model } => llm("anthropic", model, ", max_tokens: 4096"),
            Self::Openai { model } => llm("openai", model, ""),
            Self::Ollama { model, host: None } => llm("ollama", model, ""),
            Self::Ollama { model, host: Some(host) } => {
                llm("ollama", model, &format!(", base_url: {}", Value::from(format!("http://{host}"))))
            }
            Self::LlamaCpp { model } => {
                let more = format!(
                    ", base_url: \"http://{LLAMA_CPP}/v1\", schema_profile: llama.cpp, temperature: 0.2"
                );
                llm("openai-compatible", model, &more)
            }
            Self::ClaudeCode => Some(format!("{{ type: {} }}", CLAUDE_CODE.executor)),
            Self::Codex => Some(format!("{{ type: {} }}", CODEX.executor)),
            Self::Recorded => None,
        }
    }

    /// Whether the agent's own tools are Accord's. Agent CLIs bring their own.
    pub(super) fn takes_tools(&self) -> bool {
        !matches!(self, Self::ClaudeCode | Self::Codex)
    }
}

impl FromStr for Model {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (provider, model) =
            text.split_once('/').map_or((text, None), |(name, model)| (name, Some(model)));
        let model = model.filter(|model| !model.is_empty());
        let named = |usual: &str| model.unwrap_or(usual).to_owned();
        match (provider, model) {
            ("anthropic", _) => Ok(Self::Anthropic { model: named(ANTHROPIC_MODEL) }),
            ("openai", _) => Ok(Self::Openai { model: named(OPENAI_MODEL) }),
            ("ollama", Some(model)) => Ok(Self::Ollama { model: model.to_owned(), host: ollama_host(&of_process) }),
            ("ollama", None) => Err("name the model, for example ollama/llama3.2; `ollama list` shows them".to_owned()),
            ("llama.cpp", _) => Ok(Self::LlamaCpp { model: named("local") }),
            ("claude-code", None) => Ok(Self::ClaudeCode),
            ("codex", None) => Ok(Self::Codex),
            ("recorded", None) => Ok(Self::Recorded),
            _ => Err("expected anthropic[/MODEL], openai[/MODEL], ollama/MODEL, llama.cpp[/MODEL], claude-code, codex or recorded"
                .to_owned()),
        }
    }
}

pub(super) fn of_process(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// An address without scheme, where the variable names another than the usual one.
fn ollama_host(environment: &dyn Fn(&str) -> Option<OsString>) -> Option<String> {
    let named = environment("OLLAMA_HOST")?.into_string().ok()?;
    let address = named.trim_start_matches("http://").trim_end_matches('/').to_owned();
    let address = if address.contains(':') { address } else { format!("{address}:11434") };
    (address != OLLAMA && !named.starts_with("https://")).then_some(address)
}

/// All available models, the best first: those that cost nothing come before those that are paid by use.
pub(super) async fn found(project: &Path, environment: &dyn Fn(&str) -> Option<OsString>) -> Vec<Model> {
    let mut found = Vec::new();
    let host = ollama_host(environment);
    let ollama = listed(host.as_deref().unwrap_or(OLLAMA), "/api/tags");
    let (ollama, llama) = tokio::join!(ollama, listed(LLAMA_CPP, "/v1/models"));
    let text =
        |value: &Value, pointer: &str| value.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
    if environment("ANTHROPIC_API_KEY").is_some() {
        found.push(Model::Anthropic { model: ANTHROPIC_MODEL.to_owned() });
    }
    if environment("OPENAI_API_KEY").is_some() {
        found.push(Model::Openai { model: OPENAI_MODEL.to_owned() });
    }
    for (program, model) in [(CLAUDE_CODE, Model::ClaudeCode), (CODEX, Model::Codex)] {
        if program.find(None, project, environment).is_ok() {
            found.push(model);
        }
    }
    if let Some(model) = ollama.and_then(|list| text(&list, "/models/0/name")) {
        found.push(Model::Ollama { model, host });
    }
    // Other servers use this port too; only llama.cpp identifies itself.
    let is_llama = |list: &Value| text(list, "/data/0/owned_by").is_some_and(|owner| owner == "llamacpp");
    if let Some(model) = llama.filter(is_llama).and_then(|list| text(&list, "/data/0/id")) {
        let model = model.rsplit('/').next().unwrap_or_default().to_owned();
        found.push(Model::LlamaCpp { model });
    }
    found
}

/// The JSON at a path of a server, if it responds in time.
async fn listed(address: &str, path: &str) -> Option<Value> {
    let ask = async {
        let mut stream = TcpStream::connect(address).await.ok()?;
        let request = format!("GET {path} HTTP/1.0\r\nHost: {address}\r\nAccept: application/json\r\n\r\n");
        stream.write_all(request.as_bytes()).await.ok()?;
        let mut answer = Vec::new();
        stream.take(MAX_LIST_BYTES).read_to_end(&mut answer).await.ok()?;
        let answer = String::from_utf8_lossy(&answer);
        let (head, body) = answer.split_once("\r\n\r\n")?;
        head.lines().next()?.contains(" 200").then(|| serde_json::from_str(body).ok()).flatten()
    };
    timeout(ANSWER_WITHIN, ask).await.ok().flatten()
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;

    #[test]
    fn reads_the_names_that_the_option_takes() {
        for name in [
            "anthropic/m",
            "openai/m",
            "ollama/llama3.2:1b",
            "llama.cpp/m",
            "claude-code",
            "codex",
            "recorded",
        ] {
            assert_eq!(name.parse::<Model>().unwrap().name(), name);
        }
        assert_eq!("anthropic".parse::<Model>().unwrap().name(), format!("anthropic/{ANTHROPIC_MODEL}"));
        for wrong in ["", "ollama", "ollama/", "gemini", "codex/x", "recorded/x"] {
            assert!(wrong.parse::<Model>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn executors_are_yaml() {
        let executor = "ollama/llama3.2:1b".parse::<Model>().unwrap().executor().unwrap();
        let value: Value = serde_saphyr::from_str(&executor).unwrap();
        assert_eq!(value, serde_json::json!({"type": "llm", "provider": "ollama", "model": "llama3.2:1b"}));
        assert_eq!("recorded".parse::<Model>().unwrap().executor(), None);
    }

    #[tokio::test]
    async fn finds_keys_servers_and_programs() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let server = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = [0; 1024];
            let _ = stream.read(&mut request).await.unwrap();
            let body = r#"{"models": [{"name": "tiny:latest"}]}"#;
            let answer = format!("HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n{body}");
            stream.write_all(answer.as_bytes()).await.unwrap();
        });
        let folder = tempfile::tempdir().unwrap();
        let set = address.clone();
        let environment = move |name: &str| match name {
            "OPENAI_API_KEY" => Some("key".into()),
            "OLLAMA_HOST" => Some(format!("http://{set}").into()),
            _ => None,
        };
        let all = found(folder.path(), &environment).await;
        server.await.unwrap();
        let ollama = Model::Ollama { model: "tiny:latest".to_owned(), host: Some(address) };
        assert_eq!(all.first().map(Model::name), Some(format!("openai/{OPENAI_MODEL}")));
        assert!(all.contains(&ollama), "{all:?}");
    }

    #[tokio::test]
    async fn a_silent_server_is_skipped() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        assert_eq!(listed(&listener.local_addr().unwrap().to_string(), "/api/tags").await, None);
    }
}
