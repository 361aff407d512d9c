//! MCP over stdin and stdout: one message a line.
//!
//! The lines are read here and not by `rmcp`, which neither answers what it cannot read, nor limits how much is under way,
//! nor knows batches. When stdin ends the client wants the server to end; what is nearly done is still answered, so that a
//! script can pipe its requests in.

use std::collections::HashSet;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ErrorCode, ErrorData, JsonRpcError, RequestId,
    ServerJsonRpcMessage,
};
use rmcp::service::serve_directly;
use rmcp::transport::Transport;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::handler::Handler;
use crate::rpc::{self, Incoming, Refusal};
use crate::toolset::Toolset;

/// The longest line: a request to the coordinator may have 8 MiB, and this holds one with its escapes.
const LONGEST_LINE: usize = 16 * 1024 * 1024;

/// Concurrent requests. A model makes a handful; more indicates a runaway client.
const MOST_REQUESTS: usize = 64;

/// Lines that wait to be written, so that a slow reader slows the calls down and fills no memory.
const WAITING_LINES: usize = 16;

/// How long batches may go on when stdin has ended.
const LAST_BATCHES: Duration = Duration::from_secs(2);

/// Serves tools until the input ends, or the output cannot be written to.
pub async fn serve(
    tools: Arc<dyn Toolset>,
    input: impl AsyncRead + Unpin + Send + 'static,
    output: impl AsyncWrite + Unpin + Send + 'static,
) -> io::Result<()> {
    let handler = Handler::new(tools);
    let (outbox, lines) = mpsc::channel(WAITING_LINES);
    let writer = tokio::spawn(write(output, lines));
    let pipes = Pipes {
        input: Lines { reader: BufReader::new(input), line: Vec::new(), is_too_long: false },
        outbox,
        handler: handler.clone(),
        requests: HashSet::new(),
        batches: JoinSet::new(),
    };
    serve_directly(handler, pipes, None).waiting().await.map_err(io::Error::other)?;
    writer.await.map_err(io::Error::other)?
}

async fn write(mut output: impl AsyncWrite + Unpin, mut lines: mpsc::Receiver<String>) -> io::Result<()> {
    while let Some(mut line) = lines.recv().await {
        line.push('\n');
        output.write_all(line.as_bytes()).await?;
        output.flush().await?;
    }
    Ok(())
}

/// What `rmcp` reads from and writes to.
struct Pipes<R> {
    input: Lines<R>,
    outbox: mpsc::Sender<String>,
    handler: Handler,
    /// The requests that `rmcp` has and has not answered.
    requests: HashSet<RequestId>,
    batches: JoinSet<()>,
}

impl<R: AsyncRead + Unpin + Send> Transport<RoleServer> for Pipes<R> {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        match &message {
            ServerJsonRpcMessage::Response(response) => self.requests.remove(&response.id),
            ServerJsonRpcMessage::Error(JsonRpcError { id: Some(id), .. }) => self.requests.remove(id),
            _ => false,
        };
        let outbox = self.outbox.clone();
        async move {
            let sent = outbox.send(rpc::text(&message)).await;
            sent.map_err(|_| io::ErrorKind::BrokenPipe.into())
        }
    }

    /// The next message; what is none is answered. Nothing is lost when this is dropped half-way.
    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        let outbox = self.outbox.clone();
        loop {
            // Room for an answer first: a client that does not read is not read either.
            let room = outbox.reserve().await.ok()?;
            let line = tokio::select! {
                line = self.input.next() => line.ok()?,
                () = outbox.closed() => None,
            };
            let Some(line) = line else {
                let all = async { while self.batches.join_next().await.is_some() {} };
                timeout(LAST_BATCHES, all).await.ok();
                return None;
            };
            let taken = match line {
                Line::Text(text) if text.trim_ascii().is_empty() => continue,
                Line::Text(text) => {
                    let incoming = rpc::checked(text).and_then(|text| rpc::read(&text));
                    incoming.and_then(|incoming| self.take(incoming))
                }
                Line::TooLong => {
                    let message = format!("a message can have at most {LONGEST_LINE} bytes");
                    Err(Box::new(JsonRpcError::new(None, ErrorData::invalid_request(message, None))))
                }
            };
            match taken {
                Ok(Some(message)) => return Some(message),
                Ok(None) => {}
                Err(error) => room.send(rpc::text(&error)),
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<R> Pipes<R> {
    /// The message for `rmcp`, if there is one.
    fn take(&mut self, incoming: Incoming) -> Result<Option<ClientJsonRpcMessage>, Refusal> {
        let message = match incoming {
            Incoming::One(message) => *message,
            Incoming::Batch(batch) => return self.start_batch(batch).map(|()| None),
        };
        if let Some(id) = rpc::request_id(&message) {
            let refused = |error| Err(Box::new(JsonRpcError::new(Some(id.clone()), error)));
            if self.requests.contains(id) {
                let text = format!("the id {} belongs to a call in progress", rpc::text(id));
                return refused(ErrorData::invalid_request(text, None));
            }
            if self.requests.len() >= MOST_REQUESTS {
                return refused(busy());
            }
            self.requests.insert(id.clone());
        }
        // As the protocol has it, a cancelled request is not answered.
        if let ClientJsonRpcMessage::Notification(notification) = &message
            && let ClientNotification::CancelledNotification(cancelled) = &notification.notification
            && let Some(id) = &cancelled.params.request_id
        {
            self.requests.remove(id);
        }
        Ok(Some(message))
    }

    /// Answers a batch while calls run. It is answered as a whole, so no part of it can be cancelled.
    fn start_batch(&mut self, batch: Vec<Result<ClientJsonRpcMessage, Refusal>>) -> Result<(), Refusal> {
        while self.batches.try_join_next().is_some() {}
        if self.batches.len() >= MOST_REQUESTS {
            return Err(Box::new(JsonRpcError::new(None, busy())));
        }
        let (handler, outbox) = (self.handler.clone(), self.outbox.clone());
        self.batches.spawn(async move {
            if let Some(answers) = rpc::answer_batch(&handler, batch).await {
                outbox.send(answers).await.ok();
            }
        });
        Ok(())
    }
}

fn busy() -> ErrorData {
    let message = format!("{MOST_REQUESTS} calls are in progress; wait for one of them");
    ErrorData::new(ErrorCode(-32000), message, None)
}

enum Line {
    Text(Vec<u8>),
    TooLong,
}

struct Lines<R> {
    reader: BufReader<R>,
    /// What was read of the next line.
    line: Vec<u8>,
    is_too_long: bool,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    /// The next line, if there is one. Nothing is lost when this is dropped half-way.
    async fn next(&mut self) -> io::Result<Option<Line>> {
        loop {
            let room = (LONGEST_LINE + 1).saturating_sub(self.line.len()) as u64;
            let count = (&mut self.reader).take(room).read_until(b'\n', &mut self.line).await?;
            let is_whole = count == 0 || self.line.last() == Some(&b'\n');
            if !is_whole && self.line.len() > LONGEST_LINE {
                self.line.clear();
                self.is_too_long = true;
            } else if is_whole {
                let line = std::mem::take(&mut self.line);
                return Ok(match (std::mem::take(&mut self.is_too_long), line.is_empty()) {
                    (true, _) => Some(Line::TooLong),
                    (false, true) => None,
                    (false, false) => Some(Line::Text(line)),
                });
            }
        }
    }
}
