//! A result handed in by a tool call.
//!
//! The CLIs take tools only as MCP servers. So the submit tool is one: a small server on stdio that knows the schema
//! and writes each submission to a file, a line of JSON each. The file is read when the turn is over.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncSeekExt as _};

use crate::mcp_server::{McpServer, Reach};

use super::{Program, Scratch};

/// The name of the server, which is reserved.
pub(crate) const SUBMIT_SERVER: &str = "accord_submit";

/// As much as is read of the submissions of one turn: a line, and a byte before it, that is more than the judge reads of one
/// answer, so that it says so.
const MAX_BYTES: u64 = 8 * 1024 * 1024 + 2;

/// How the server of the submit tool is started. `--schema FILE --out FILE` follow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubmitServer {
    pub program: PathBuf,
    /// Its first arguments.
    pub args: Vec<String>,
}

impl SubmitServer {
    /// Prepares the tool for a schema, which gets the description of the tool where it has none.
    pub(crate) fn open(
        &self,
        scratch: &Scratch,
        schema: &Value,
        description: &str,
    ) -> io::Result<SubmissionInbox> {
        let mut schema = schema.clone();
        if let Value::Object(members) = &mut schema {
            members.entry("description").or_insert_with(|| description.into());
        }
        let schema = scratch.write("submit-schema.json", &schema.to_string())?;
        let out = scratch.write("submissions.jsonl", "")?;
        let text = |path: &std::path::Path| path.to_string_lossy().into_owned();
        let files = ["--schema".to_owned(), text(&schema), "--out".to_owned(), text(&out)];
        let reach = Reach::Program {
            command: text(&self.program),
            args: self.args.iter().cloned().chain(files).collect(),
            env: BTreeMap::new(),
        };
        let server = McpServer { name: SUBMIT_SERVER.to_owned(), reach };
        Ok(SubmissionInbox { server, out, taken: 0 })
    }
}

/// What was handed in since the last time, where it can be; else that it cannot be read.
pub(crate) async fn read_submissions(
    program: &Program,
    inbox: Option<&mut SubmissionInbox>,
) -> Result<Vec<String>, String> {
    let Some(inbox) = inbox else { return Ok(Vec::new()) };
    let taken = inbox.take().await;
    taken.map_err(|error| format!("the result submitted by {} cannot be read: {error}", program.title))
}

#[derive(Debug)]
pub(crate) struct SubmissionInbox {
    /// The server to be passed to the CLI.
    pub(crate) server: McpServer,
    out: PathBuf,
    taken: u64,
}

impl SubmissionInbox {
    /// What was handed in since the last time, each as it was written. A line without an end is not there yet. Of more than
    /// can be read it is the end that is read, because what was handed in last counts.
    async fn take(&mut self) -> io::Result<Vec<String>> {
        let mut file = tokio::fs::File::open(&self.out).await?;
        let end = file.metadata().await?.len();
        let begin = self.taken.max(end.saturating_sub(MAX_BYTES));
        let is_within = begin > self.taken;
        file.seek(io::SeekFrom::Start(begin)).await?;
        let mut bytes = Vec::new();
        file.take(MAX_BYTES).read_to_end(&mut bytes).await?;
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        bytes.truncate(whole);
        self.taken = begin + whole as u64;
        let lines = String::from_utf8_lossy(&bytes);
        let lines: Vec<&str> = lines.lines().collect();
        // The first line is the end of one, unless there is no other: then it is too long to be judged, and is to be heard as such.
        let lines = match lines.as_slice() {
            [_, rest @ ..] if is_within && !rest.is_empty() => rest,
            lines => lines,
        };
        Ok(lines.iter().filter(|line| !line.trim().is_empty()).map(|&line| line.to_owned()).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;
    use serde_json::json;

    #[tokio::test]
    async fn submissions_are_read_once_and_completely() {
        let scratch = Scratch::new().unwrap();
        let server = SubmitServer { program: "/bin/accord".into(), args: vec!["submit".to_owned()] };
        let mut inbox = server.open(&scratch, &json!({"type": "object"}), "Hand it in.").unwrap();
        let Reach::Program { command, args, .. } = inbox.server.reach.clone() else { panic!("no program") };
        assert_eq!((command.as_str(), args.first().unwrap().as_str()), ("/bin/accord", "submit"));
        let schema = std::fs::read_to_string(args.get(2).unwrap()).unwrap();
        assert_eq!(schema, r#"{"type":"object","description":"Hand it in."}"#);
        assert_eq!(inbox.take().await.unwrap(), Vec::<String>::new());
        let mut out = std::fs::OpenOptions::new().append(true).open(args.get(4).unwrap()).unwrap();
        out.write_all(b"{\"a\":1}\n{\"a\":2}\n{\"a\"").unwrap();
        assert_eq!(inbox.take().await.unwrap(), [r#"{"a":1}"#, r#"{"a":2}"#]);
        out.write_all(b":3}\n").unwrap();
        assert_eq!(inbox.take().await.unwrap(), [r#"{"a":3}"#]);
        assert_eq!(inbox.take().await.unwrap(), Vec::<String>::new());
    }

    #[tokio::test]
    async fn of_too_many_submissions_the_last_count() {
        let scratch = Scratch::new().unwrap();
        let server = SubmitServer { program: "/bin/accord".into(), args: Vec::new() };
        let mut inbox = server.open(&scratch, &json!({"type": "object"}), "").unwrap();
        let mut out = std::fs::OpenOptions::new().append(true).open(&inbox.out).unwrap();
        let mebibytes = |count: usize| "x".repeat(count * 1024 * 1024);
        for line in [mebibytes(5), mebibytes(5), "last".to_owned()] {
            writeln!(out, "{line}").unwrap();
        }
        assert_eq!(inbox.take().await.unwrap(), [mebibytes(5), "last".to_owned()]);
        // One that is too long is handed on as far as it shows that it is, and the next one is heard.
        writeln!(out, "{}", mebibytes(9)).unwrap();
        let lengths: Vec<usize> = inbox.take().await.unwrap().iter().map(String::len).collect();
        assert_eq!(lengths, [8 * 1024 * 1024 + 1]);
        writeln!(out, "next").unwrap();
        assert_eq!(inbox.take().await.unwrap(), ["next"]);
        // As much as may be judged is whole, whatever stood before it.
        writeln!(out, "early\n{}", mebibytes(8)).unwrap();
        assert_eq!(inbox.take().await.unwrap(), [mebibytes(8)]);
    }
}
