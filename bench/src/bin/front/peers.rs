//! What stands before the model: Accord, and the LiteLLM proxy, each in a process of its own.

use std::fs::File;
use std::io::Read as _;
use std::net::TcpListener;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use bench::http::Connection;
use bench::server::Server;
use serde_json::json;
use tokio::process::{Child, Command};

use crate::load::{MODEL, schema};

/// The proxy imports for a while before it listens.
const TIME_TO_START: Duration = Duration::from_secs(180);

/// Coordinator and runner in one process, with one agent. The database is in `folder`.
pub(crate) async fn accord(binary: &Path, folder: &Path, model: &str) -> Result<Server> {
    let agent = folder.join(".accord/agents").join(MODEL);
    std::fs::create_dir_all(&agent)?;
    let base_url = format!("http://{model}/v1");
    let executor =
        json!({"type": "llm", "provider": "openai-compatible", "model": MODEL, "base_url": base_url});
    let definition = json!({"name": MODEL, "executor": executor, "output_schema": schema()});
    std::fs::write(agent.join("agent.json"), definition.to_string())?;
    Server::start(binary, folder, &["up"]).await
}

pub(crate) struct Proxy {
    pub(crate) address: String,
    pub(crate) key: String,
    _child: Child,
}

/// The proxy with its defaults: one worker process, no database. It does not start without a key.
pub(crate) async fn litellm(binary: &Path, folder: &Path, model: &str) -> Result<Proxy> {
    let config = folder.join("litellm.yaml");
    let parameters = json!({"model": format!("openai/{MODEL}"), "api_base": format!("http://{model}/v1"), "api_key": "none"});
    let models = json!([{"model_name": MODEL, "litellm_params": parameters}]);
    // JSON is YAML.
    std::fs::write(&config, json!({"model_list": models}).to_string())?;
    let key = key()?;
    let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
    let mut child = Command::new(binary)
        .args(["--host", "127.0.0.1", "--port", &port.to_string(), "--config"])
        .arg(&config)
        .env("LITELLM_LOCAL_MODEL_COST_MAP", "True")
        .env("LITELLM_TELEMETRY", "False")
        .env("LITELLM_LOG", "ERROR")
        .env("LITELLM_MASTER_KEY", &key)
        .stdout(Stdio::null())
        .kill_on_drop(true)
        .spawn()?;
    let (address, begun) = (format!("127.0.0.1:{port}"), Instant::now());
    loop {
        if let Ok(mut connection) = Connection::open(&address).await
            && connection.get("/health/liveliness").await.is_ok()
        {
            return Ok(Proxy { address, key, _child: child });
        }
        if let Some(status) = child.try_wait()? {
            bail!("the LiteLLM proxy ended: {status}");
        }
        if begun.elapsed() > TIME_TO_START {
            bail!("the LiteLLM proxy did not start within {} seconds", TIME_TO_START.as_secs());
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

/// A random key for this run. The proxy rejects keys that can be guessed.
fn key() -> Result<String> {
    let mut bytes = [0; 32];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes.iter().fold("sk-".to_owned(), |key, byte| key + &format!("{byte:02x}")))
}
