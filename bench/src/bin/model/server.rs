//! The model server, in a separate process.

use std::path::Path;
use std::process::Stdio;

use anyhow::{Context as _, Result, ensure};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

/// Tokens of one conversation: the longest task with two rejected answers stays below.
const CONTEXT_OF_ONE: usize = 4096;

pub(crate) struct Server {
    /// Where its OpenAI-style interface is.
    pub(crate) url: String,
    /// Ends with its stdin, so with us.
    _child: Child,
}

impl Server {
    /// Installs what is missing, and serves a model.
    pub(crate) async fn start(model: &str, slots: usize) -> Result<Self> {
        let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/real/model");
        let setup = Command::new(scripts.join("setup")).stderr(Stdio::inherit()).output().await?;
        ensure!(setup.status.success(), "tests/real/model/setup failed: {}", setup.status);
        let home = String::from_utf8(setup.stdout)?;
        let home = Path::new(home.trim());
        let file = home.join(format!("{model}.gguf"));
        ensure!(file.exists(), "there is no model '{model}': it is smollm2 or tiny");
        let mut child = Command::new(home.join("venv/bin/python"))
            .arg(scripts.join("serve.py"))
            .arg(file)
            .args(["--slots", &slots.to_string(), "--context", &(CONTEXT_OF_ONE * slots).to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .context("the model server cannot be started")?;
        let stdout = child.stdout.take().context("no stdout")?;
        let line = BufReader::new(stdout).lines().next_line().await?;
        let line = line.context("the model server ended before it was ready")?;
        let address = line.rsplit(' ').next().context("no address")?;
        Ok(Self { url: format!("{address}/v1"), _child: child })
    }
}
