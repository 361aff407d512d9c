//! MCP over stdin and stdout: one message a line.
//!
//! The lines are read here and not by `rmcp`, which neither answers what it cannot read, nor limits how much is under way,
//! nor knows batches. When stdin ends the client wants the server to end; what is nearly done is still answered, so that a
//! script can pipe its requests in.

use std::collections::HashSet;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
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
use crate::rpc::{self, Incoming};
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
    let (inbox, messages) = mpsc::channel(1);
    let requests = Requests::default();
    let writer = tokio::spawn(write(output, lines));
    let reader = Reader {
        handler: handler.clone(),
        inbox,
        outbox: outbox.clone(),
        requests: requests.clone(),
        batches: JoinSet::new(),
    };
    let reading = tokio::spawn(reader.read(BufReader::new(input)));
    let served = serve_directly(handler, Pipes { messages, outbox, requests }, None).waiting().await;
    if reading.is_finished() {
        reading.await.map_err(io::Error::other)??;
    } else {
        reading.abort();
    }
    served.map_err(io::Error::other)?;
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

/// The ids of the requests under way.
#[derive(Clone, Default)]
struct Requests(Arc<Mutex<HashSet<RequestId>>>);

impl Requests {
    fn start(&self, id: &RequestId) -> Result<(), ErrorData> {
        let mut requests = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if requests.contains(id) {
            let message = format!("the id {} belongs to a call in progress", rpc::text(id));
            return Err(ErrorData::invalid_request(message, None));
        }
        if requests.len() >= MOST_REQUESTS {
            return Err(busy());
        }
        requests.insert(id.clone());
        Ok(())
    }

    fn end(&self, id: &RequestId) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
    }
}

fn busy() -> ErrorData {
    let message = format!("{MOST_REQUESTS} calls are in progress; wait for one of them");
    ErrorData::new(ErrorCode(-32000), message, None)
}

/// What `rmcp` reads from and writes to.
struct Pipes {
    messages: mpsc::Receiver<ClientJsonRpcMessage>,
    outbox: mpsc::Sender<String>,
    requests: Requests,
}

impl Transport<RoleServer> for Pipes {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let (outbox, requests) = (self.outbox.clone(), self.requests.clone());
        async move {
            let sent = outbox.send(rpc::text(&message)).await;
            match &message {
                ServerJsonRpcMessage::Response(response) => requests.end(&response.id),
                ServerJsonRpcMessage::Error(JsonRpcError { id: Some(id), .. }) => requests.end(id),
                _ => {}
            }
            sent.map_err(|_| io::ErrorKind::BrokenPipe.into())
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        tokio::select! {
            message = self.messages.recv() => message,
            // What cannot be answered is not worth reading.
            () = self.outbox.closed() => None,
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Reads lines, passes on their messages, and answers what is none.
struct Reader {
    handler: Handler,
    inbox: mpsc::Sender<ClientJsonRpcMessage>,
    outbox: mpsc::Sender<String>,
    requests: Requests,
    batches: JoinSet<()>,
}

impl Reader {
    async fn read(mut self, mut input: impl AsyncBufReadExt + Unpin) -> io::Result<()> {
        while let Some(line) = next_line(&mut input).await? {
            match line {
                Line::Text(text) if text.trim_ascii().is_empty() => {}
                Line::Text(text) => match rpc::read(&text) {
                    Ok(Incoming::One(message)) => self.pass_on(message).await,
                    Ok(Incoming::Batch(batch)) => self.start_batch(batch).await,
                    Err(error) => self.refuse(error).await,
                },
                Line::TooLong => {
                    let message = format!("a message can have at most {LONGEST_LINE} bytes");
                    self.refuse(JsonRpcError::new(None, ErrorData::invalid_request(message, None))).await;
                }
            }
        }
        let all = async { while self.batches.join_next().await.is_some() {} };
        timeout(LAST_BATCHES, all).await.ok();
        Ok(())
    }

    async fn pass_on(&mut self, message: ClientJsonRpcMessage) {
        if let Some(id) = rpc::request_id(&message)
            && let Err(error) = self.requests.start(id)
        {
            return self.refuse(JsonRpcError::new(Some(id.clone()), error)).await;
        }
        // As the protocol has it, nothing is answered, so nothing else would end it.
        if let ClientJsonRpcMessage::Notification(notification) = &message
            && let ClientNotification::CancelledNotification(cancelled) = &notification.notification
            && let Some(id) = &cancelled.params.request_id
        {
            self.requests.end(id);
        }
        // Without a receiver the serving has ended.
        self.inbox.send(message).await.ok();
    }

    /// Answers a batch while calls run. It is answered as a whole, so no part of it can be cancelled.
    async fn start_batch(&mut self, batch: Vec<Result<ClientJsonRpcMessage, JsonRpcError>>) {
        while self.batches.try_join_next().is_some() {}
        if self.batches.len() >= MOST_REQUESTS {
            return self.refuse(JsonRpcError::new(None, busy())).await;
        }
        let (handler, outbox) = (self.handler.clone(), self.outbox.clone());
        self.batches.spawn(async move {
            if let Some(answers) = rpc::answer_batch(&handler, batch).await {
                outbox.send(answers).await.ok();
            }
        });
    }

    async fn refuse(&self, error: JsonRpcError) {
        // A closed connection ends the serving.
        self.outbox.send(rpc::text(&error)).await.ok();
    }
}

enum Line {
    Text(Vec<u8>),
    TooLong,
}

async fn next_line(reader: &mut (impl AsyncBufReadExt + Unpin)) -> io::Result<Option<Line>> {
    let mut line = Vec::new();
    let count = (&mut *reader).take(LONGEST_LINE as u64 + 1).read_until(b'\n', &mut line).await?;
    match (count, line.last() == Some(&b'\n')) {
        (0, _) => Ok(None),
        (_, false) if count > LONGEST_LINE => skip_line(reader).await.map(|()| Some(Line::TooLong)),
        _ => Ok(Some(Line::Text(line))),
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
