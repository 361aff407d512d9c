//! A minimal HTTP client that can send what no client library would, and reads as much of the
//! answer as arrives.

use std::io;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;

/// The rest of a longer answer is dropped.
const KEPT_BYTES: usize = 16 * 1024 * 1024;

/// A request, as it is sent.
#[derive(Debug, Clone)]
pub(super) struct Request {
    pub(super) method: String,
    /// Path and query.
    pub(super) target: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Option<String>,
}

impl Request {
    pub(super) fn new(method: &str, target: impl Into<String>) -> Self {
        Self { method: method.to_owned(), target: target.into(), headers: Vec::new(), body: None }
    }

    pub(super) fn post(target: impl Into<String>, body: impl Into<String>) -> Self {
        Self::new("POST", target).body(body)
    }

    pub(super) fn body(mut self, body: impl Into<String>) -> Self {
        self.body = Some(body.into());
        self
    }

    pub(super) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The whole request.
    pub(super) fn bytes(&self) -> Vec<u8> {
        [self.head().as_bytes(), self.body.as_deref().unwrap_or_default().as_bytes()].concat()
    }

    fn head(&self) -> String {
        self.body.as_ref().map_or_else(|| self.begins(""), |body| self.head_for(body.len()))
    }

    /// The head of a request with a body of this length.
    pub(super) fn head_for(&self, length: usize) -> String {
        self.begins(&format!("content-type: application/json\r\ncontent-length: {length}\r\n"))
    }

    fn begins(&self, about_the_body: &str) -> String {
        let (method, target) = (&self.method, &self.target);
        let mut head =
            format!("{method} {target} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{about_the_body}");
        for (name, value) in &self.headers {
            head += &format!("{name}: {value}\r\n");
        }
        head + "\r\n"
    }
}

/// An answer.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) text: String,
}

/// Sends a request and reads the answer; of an event stream only the beginning.
pub(super) async fn send(address: &str, request: &Request) -> io::Result<Answer> {
    let stream = TcpStream::connect(address).await?;
    let (reader, mut writer) = stream.into_split();
    let write = async {
        // A server that rejects a body does not read it: only the answer counts.
        let _ = writer.write_all(&request.bytes()).await;
        std::future::pending::<()>().await;
    };
    tokio::select! {
        answer = read(BufReader::new(reader)) => answer,
        () = write => Err(io::ErrorKind::Other.into()),
    }
}

async fn read(mut reader: impl tokio::io::AsyncRead + Unpin) -> io::Result<Answer> {
    let mut bytes = Vec::new();
    let mut piece = vec![0; 64 * 1024];
    loop {
        let length = match reader.read(&mut piece).await {
            Ok(length) => length,
            // The connection may be reset after the answer to a body that was not read.
            Err(_) if !bytes.is_empty() => 0,
            Err(error) => return Err(error),
        };
        bytes.extend_from_slice(&piece[..length]);
        let is_stream = bytes.windows(17).take(1_000).any(|text| text == b"text/event-stream");
        if length == 0 || is_stream || bytes.len() > KEPT_BYTES {
            break;
        }
    }
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let status = text.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3)?.parse().ok());
    let status = status.ok_or_else(|| io::Error::other("the connection was closed without an answer"))?;
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let text = if head.contains("transfer-encoding: chunked") { unchunked(body) } else { body.to_owned() };
    Ok(Answer { status, text })
}

/// A body without the chunk headers.
fn unchunked(mut body: &str) -> String {
    let mut text = String::new();
    while let Some((size, rest)) = body.split_once("\r\n") {
        let size = usize::from_str_radix(size.trim(), 16).unwrap_or_default();
        let Some(chunk) = rest.get(..size).filter(|chunk| !chunk.is_empty()) else { break };
        text.push_str(chunk);
        body = rest.get(size + 2..).unwrap_or_default();
    }
    text
}
