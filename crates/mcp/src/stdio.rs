//! MCP over stdin and stdout: one message a line.
//!
//! Tool calls run concurrently and may be cancelled; everything else is answered in its turn. When stdin ends
//! the client wants the server to end; what is nearly done is still answered, so that a script can pipe its requests in.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::timeout;

use crate::protocol;
use crate::rpc::{self, BUSY, Incoming, Message, NOT_A_REQUEST, Request};
use crate::toolset::Toolset;

/// The longest line: a request to the coordinator may have 8 MiB, and this holds one with its escapes.
const LONGEST_LINE: usize = 16 * 1024 * 1024;

/// Concurrent calls. A model makes a handful; more indicates a runaway client.
const MOST_CALLS: usize = 64;

/// Lines that wait to be written, so that a slow reader slows the calls down and fills no memory.
const WAITING_LINES: usize = 16;

/// How long calls may go on when stdin has ended.
const LAST_CALLS: Duration = Duration::from_secs(2);

/// Serves tools until the input ends, or the output cannot be written to.
pub async fn serve(
    tools: Arc<dyn Toolset>,
    input: impl AsyncRead + Unpin + Send,
    output: impl AsyncWrite + Unpin + Send + 'static,
) -> io::Result<()> {
    let (outbox, lines) = mpsc::channel(WAITING_LINES);
    let mut writer = tokio::spawn(write(output, lines));
    let mut calls = Calls { tools, outbox, running: JoinSet::new(), cancellable: HashMap::new() };
    let mut reader = BufReader::new(input);
    loop {
        let line = tokio::select! {
            biased;
            // Only an error, or a closed connection: there is nothing left to do.
            written = &mut writer => return written.map_err(io::Error::other)?,
            line = next_line(&mut reader) => line?,
        };
        match line {
            Line::Text(text) if text.trim_ascii().is_empty() => {}
            Line::Text(text) => calls.take(&text).await,
            Line::TooLong => {
                let message = format!("a message can have at most {LONGEST_LINE} bytes");
                calls.say(rpc::failure(Value::Null, NOT_A_REQUEST, &message)).await;
            }
            Line::End => break,
        }
    }
    calls.end().await;
    writer.await.map_err(io::Error::other)?
}

async fn write(mut output: impl AsyncWrite + Unpin, mut lines: mpsc::Receiver<Value>) -> io::Result<()> {
    while let Some(line) = lines.recv().await {
        output.write_all(format!("{line}\n").as_bytes()).await?;
        output.flush().await?;
    }
    Ok(())
}

enum Line {
    Text(Vec<u8>),
    TooLong,
    End,
}

async fn next_line(reader: &mut (impl AsyncBufReadExt + Unpin)) -> io::Result<Line> {
    let mut line = Vec::new();
    let count = (&mut *reader).take(LONGEST_LINE as u64 + 1).read_until(b'\n', &mut line).await?;
    match (count, line.last() == Some(&b'\n')) {
        (0, _) => Ok(Line::End),
        (_, false) if count > LONGEST_LINE => skip_line(reader).await.map(|()| Line::TooLong),
        _ => Ok(Line::Text(line)),
    }
}

async fn skip_line(reader: &mut (impl AsyncBufReadExt + Unpin)) -> io::Result<()> {
    loop {
        let buffer = reader.fill_buf().await?;
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let (count, is_over) = (end.map_or(buffer.len(), |at| at + 1), end.is_some() || buffer.is_empty());
        reader.consume(count);
        if is_over {
            return Ok(());
        }
    }
}

fn too_many_calls() -> String {
    format!("{MOST_CALLS} calls are in progress; wait for one of them")
}

/// The calls of tools that are under way.
struct Calls {
    tools: Arc<dyn Toolset>,
    outbox: mpsc::Sender<Value>,
    running: JoinSet<()>,
    /// By the request's id, written out: `1` and `"1"` are different ids.
    cancellable: HashMap<String, AbortHandle>,
}

impl Calls {
    async fn take(&mut self, text: &[u8]) {
        match rpc::read(text) {
            Ok(Incoming::One(message)) => self.take_one(message).await,
            Ok(Incoming::Batch(batch)) => self.start_batch(batch).await,
            Err(answer) => self.say(answer).await,
        }
    }

    async fn take_one(&mut self, message: Message) {
        match message {
            Message::Request(request) if request.method == "tools/call" => self.start(request).await,
            Message::Request(request) => {
                let answer = protocol::answer(self.tools.as_ref(), request, self.outbox.clone()).await;
                self.say(answer).await;
            }
            Message::Notification { method, params } if method == "notifications/cancelled" => {
                self.cancel(&params);
            }
            Message::Notification { .. } | Message::Response => {}
        }
    }

    /// Answers a batch while calls run. It is answered as a whole, so no part of it can be cancelled.
    async fn start_batch(&mut self, batch: Vec<Result<Message, Value>>) {
        while self.running.try_join_next().is_some() {}
        if self.running.len() >= MOST_CALLS {
            return self.say(rpc::failure(Value::Null, BUSY, &too_many_calls())).await;
        }
        let (tools, outbox) = (Arc::clone(&self.tools), self.outbox.clone());
        self.running.spawn(async move {
            if let Some(answers) = protocol::answer_batch(tools.as_ref(), batch, outbox.clone()).await {
                outbox.send(answers).await.ok();
            }
        });
    }

    async fn start(&mut self, request: Request) {
        while self.running.try_join_next().is_some() {}
        self.cancellable.retain(|_, call| !call.is_finished());
        let (id, key) = (request.id.clone(), request.id.to_string());
        if self.cancellable.contains_key(&key) {
            let message = format!("the id {key} belongs to a call in progress");
            return self.say(rpc::failure(id, NOT_A_REQUEST, &message)).await;
        }
        if self.running.len() >= MOST_CALLS {
            return self.say(rpc::failure(id, BUSY, &too_many_calls())).await;
        }
        let (tools, outbox) = (Arc::clone(&self.tools), self.outbox.clone());
        let call = self.running.spawn(async move {
            let answer = protocol::answer(tools.as_ref(), request, outbox.clone()).await;
            outbox.send(answer).await.ok();
        });
        self.cancellable.insert(key, call);
    }

    /// Ends a call; as the protocol has it, nothing is answered.
    fn cancel(&mut self, params: &Value) {
        let call = params.get("requestId").and_then(|id| self.cancellable.remove(&id.to_string()));
        if let Some(call) = call {
            call.abort();
        }
    }

    async fn say(&self, line: Value) {
        // A closed connection ends the writer, which ends the serving.
        self.outbox.send(line).await.ok();
    }

    async fn end(mut self) {
        let all = async { while self.running.join_next().await.is_some() {} };
        timeout(LAST_CALLS, all).await.ok();
    }
}
