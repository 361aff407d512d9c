//! The commands as a user types them: their output on stdout and stderr, and their exit codes.

mod again;
mod audit;
mod batch;
mod beginnings;
mod broken;
mod cassettes;
mod current;
mod examples;
mod files;
mod following;
mod keys;
mod looking;
mod registry;
mod running;
mod sessions;
mod sources;
mod stopping;
mod unread;

use std::path::Path;
use std::process::Stdio;

use accord_test_support::{ModelServer, Reply, Script};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;

use crate::support::{accord, contracted};

/// The outcome of a command.
#[derive(Debug)]
struct Ran {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Ran {
    /// Its stdout as one JSON object.
    fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| json!(format!("{error}: {self:?}")))
    }

    fn text(&self, pointer: &str) -> String {
        self.json().pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
    }

    /// Checks the exit code, and that stderr contains these texts.
    #[track_caller]
    fn ends(self, code: i32, said: &[&str]) -> Self {
        assert_eq!(self.code, Some(code), "{self:?}");
        for words in said {
            assert!(self.stderr.contains(words), "no '{words}' in {self:?}");
        }
        self
    }
}

/// Runs a command in a folder.
async fn run(folder: &Path, arguments: &[&str]) -> Ran {
    finish(accord(folder).args(arguments), "").await
}

/// Runs a prepared command with this stdin.
async fn finish(command: &mut Command, stdin: &str) -> Ran {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(stdin.as_bytes()).await.unwrap();
    let output = child.wait_with_output().await.unwrap();
    Ran {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// A model that always gives this answer.
async fn always(text: &'static str) -> ModelServer {
    ModelServer::start(Script::handler(move |_, _| Reply::text(text))).await.unwrap()
}
