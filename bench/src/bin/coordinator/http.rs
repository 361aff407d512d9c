//! A few lines of HTTP/1.1 over one connection that stays open.

use anyhow::{Context as _, Result, bail};
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// One connection.
pub(crate) struct Connection {
    stream: TcpStream,
    host: String,
    buffer: Vec<u8>,
}

impl Connection {
    pub(crate) async fn open(address: &str) -> Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, host: address.to_owned(), buffer: Vec::new() })
    }

    pub(crate) async fn post(&mut self, path: &str, body: &str) -> Result<Value> {
        let (host, length) = (&self.host, body.len());
        let request = format!(
            "POST {path} HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
        );
        self.exchange(&request).await
    }

    pub(crate) async fn get(&mut self, path: &str) -> Result<Value> {
        let request = format!("GET {path} HTTP/1.1\r\nhost: {}\r\n\r\n", self.host);
        self.exchange(&request).await
    }

    async fn exchange(&mut self, request: &str) -> Result<Value> {
        self.stream.write_all(request.as_bytes()).await?;
        self.buffer.clear();
        let head = loop {
            if let Some(end) = find(&self.buffer, b"\r\n\r\n") {
                break end + 4;
            }
            self.more().await?;
        };
        let text = std::str::from_utf8(self.buffer.get(..head).context("no head")?)?.to_ascii_lowercase();
        let length = text.lines().find_map(|line| line.strip_prefix("content-length:"));
        let length: usize = length.map_or(Ok(0), |length| length.trim().parse())?;
        while self.buffer.len() < head + length {
            self.more().await?;
        }
        let body = self.buffer.get(head..head + length).context("no body")?;
        if !text.starts_with("http/1.1 2") {
            bail!("{}: {}", text.lines().next().unwrap_or_default(), String::from_utf8_lossy(body));
        }
        if body.is_empty() { Ok(Value::Null) } else { Ok(serde_json::from_slice(body)?) }
    }

    async fn more(&mut self) -> Result<()> {
        if self.stream.read_buf(&mut self.buffer).await? == 0 {
            bail!("the connection was closed");
        }
        Ok(())
    }
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window == needle)
}
