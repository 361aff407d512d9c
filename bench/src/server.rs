//! The real binary, in a separate process.

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

use crate::processor;

/// A coordinator that is ready.
pub struct Server {
    child: Child,
    /// Where it listens: host and port.
    pub address: String,
    /// From spawning to the line that says so.
    pub ready_after: Duration,
}

impl Server {
    /// Starts `accord` with these arguments, on a free port, in a folder with one agent that no executor is needed for.
    pub async fn start(binary: &Path, folder: &Path, arguments: &[&str]) -> Result<Self> {
        let agents = folder.join(".accord/agents/bench");
        std::fs::create_dir_all(&agents)?;
        std::fs::write(agents.join("agent.yaml"), AGENT)?;
        let begun = Instant::now();
        let mut child = Command::new(binary)
            .args(arguments)
            .args(["--listen", "127.0.0.1:0", "--dir"])
            .arg(folder)
            .env("ACCORD_LOG__FILTER", "error")
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let stdout = child.stdout.take().context("no stdout")?;
        let line =
            BufReader::new(stdout).lines().next_line().await?.context("it ended before it was ready")?;
        let ready_after = begun.elapsed();
        let address = line.rsplit("http://").next().context("no address")?.trim().to_owned();
        Ok(Self { child, address, ready_after })
    }

    /// CPU time used so far.
    pub fn cpu(&self) -> Result<Duration> {
        processor::of_process(self.child.id().context("it has ended")?)
    }

    /// Bytes written to disk so far.
    pub fn written(&self) -> Result<u64> {
        let io = std::fs::read_to_string(self.proc("io")?)?;
        let line =
            io.lines().find_map(|line| line.strip_prefix("write_bytes: ")).context("no write_bytes")?;
        Ok(line.trim().parse()?)
    }

    /// Resident memory in MiB.
    pub fn resident(&self) -> Result<f64> {
        let status = std::fs::read_to_string(self.proc("status")?)?;
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).context("no VmRSS")?;
        let kibibytes: f64 = line.split_whitespace().nth(1).context("no number")?.parse()?;
        Ok(kibibytes / 1024.0)
    }

    fn proc(&self, file: &str) -> Result<String> {
        Ok(format!("/proc/{}/{file}", self.child.id().context("it has ended")?))
    }
}

const AGENT: &str = "\
name: bench
type: autonomous
executor: { type: llm, provider: anthropic, model: bench }
output_schema:
  type: object
  required: [severity, summary]
  properties:
    severity: { type: string, enum: [low, medium, high] }
    summary: { type: string }
";
