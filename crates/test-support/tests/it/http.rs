//! A small HTTP client that records what was received: the chunks, and whether the body was
//! complete.

use std::io;

use accord_test_support::Wire;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A response as it arrived.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    /// The chunks of a chunked body.
    pub(crate) chunks: Vec<Vec<u8>>,
    /// Whether the body was as long as its headers announced.
    pub(crate) complete: bool,
}

impl Response {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(each, _)| each == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }
}

/// A request in this protocol with one prompt.
pub(crate) fn prompt(wire: Wire, prompt: &str, streams: bool) -> Value {
    let messages = json!([{"role": "user", "content": prompt}]);
    let mut body = json!({"model": "some-model", "stream": streams});
    let field = if wire == Wire::Responses { "input" } else { "messages" };
    body[field] = messages;
    body
}

/// Sends a request and hands over the connection.
pub(crate) async fn send(url: &str, path: &str, body: &str) -> io::Result<TcpStream> {
    let host = url.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(host).await?;
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: {host}\r\nX-Api-Key: k\r\nContent-Type: application/json\r\n\
         Connection: close\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(body.as_bytes()).await?;
    Ok(stream)
}

/// Sends a request and reads until the connection ends; `None` if nothing was received.
pub(crate) async fn exchange(url: &str, path: &str, body: &str) -> Option<Response> {
    let mut stream = send(url, path, body).await.unwrap();
    let mut bytes = Vec::new();
    // On a reset connection, the bytes received so far count.
    stream.read_to_end(&mut bytes).await.ok();
    (!bytes.is_empty()).then(|| parse(&bytes))
}

/// Sends one prompt to a model.
pub(crate) async fn ask(url: &str, wire: Wire, text: &str, streams: bool) -> Response {
    exchange(url, wire.path(), &prompt(wire, text, streams).to_string()).await.unwrap()
}

fn parse(bytes: &[u8]) -> Response {
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
    let head = std::str::from_utf8(&bytes[..end]).unwrap();
    let mut lines = head.split("\r\n");
    let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    let headers: Vec<(String, String)> = lines
        .map(|line| line.split_once(": ").unwrap())
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let rest = &bytes[end + 4..];
    let header = |name: &str| headers.iter().find(|(each, _)| each == name).map(|(_, value)| value.clone());
    if header("transfer-encoding").is_some() {
        let (chunks, complete) = dechunk(rest);
        return Response { status, headers, body: chunks.concat(), chunks, complete };
    }
    let length: usize = header("content-length").unwrap().parse().unwrap();
    Response { status, headers, body: rest.to_vec(), chunks: Vec::new(), complete: rest.len() == length }
}

fn dechunk(mut rest: &[u8]) -> (Vec<Vec<u8>>, bool) {
    let mut chunks = Vec::new();
    while let Some(end) = rest.windows(2).position(|two| two == b"\r\n") {
        let length = usize::from_str_radix(std::str::from_utf8(&rest[..end]).unwrap(), 16).unwrap();
        if length == 0 {
            return (chunks, true);
        }
        let Some(chunk) = rest.get(end + 2..end + 2 + length) else { break };
        chunks.push(chunk.to_vec());
        rest = rest.get(end + 4 + length..).unwrap_or_default();
    }
    (chunks, false)
}
