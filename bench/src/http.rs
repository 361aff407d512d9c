//! A few lines of HTTP/1.1 over one connection that stays open.
//!
//! Answers are searched, not parsed: callers share the cores with what they measure, and are to cost little.

use anyhow::{Context as _, Result, bail};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// One connection.
pub struct Connection {
    stream: TcpStream,
    host: String,
    /// Lines of the head that every request has.
    headers: String,
    buffer: Vec<u8>,
}

impl Connection {
    pub async fn open(address: &str) -> Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, host: address.to_owned(), headers: String::new(), buffer: Vec::new() })
    }

    /// Sends this API key with every request.
    pub fn with_key(self, key: &str) -> Self {
        Self { headers: format!("authorization: Bearer {key}\r\n"), ..self }
    }

    pub async fn post(&mut self, path: &str, body: &str) -> Result<Answer<'_>> {
        let (host, headers, length) = (&self.host, &self.headers, body.len());
        let request = format!(
            "POST {path} HTTP/1.1\r\nhost: {host}\r\n{headers}content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
        );
        self.exchange(&request).await
    }

    pub async fn get(&mut self, path: &str) -> Result<Answer<'_>> {
        let request = format!("GET {path} HTTP/1.1\r\nhost: {}\r\n{}\r\n", self.host, self.headers);
        self.exchange(&request).await
    }

    async fn exchange(&mut self, request: &str) -> Result<Answer<'_>> {
        self.stream.write_all(request.as_bytes()).await?;
        self.buffer.clear();
        let (head, end) = loop {
            if let Some(found) = whole(&self.buffer)? {
                break found;
            }
            self.more().await?;
        };
        let whole = std::str::from_utf8(self.buffer.get(..end).context("no body")?)?;
        if !whole.starts_with("HTTP/1.1 2") {
            bail!("{whole}");
        }
        Ok(Answer(whole.get(head..).unwrap_or_default()))
    }

    async fn more(&mut self) -> Result<()> {
        if self.stream.read_buf(&mut self.buffer).await? == 0 {
            bail!("the connection was closed");
        }
        Ok(())
    }
}

/// Where the head of a message ends and where its body does, once all of it is there.
pub fn whole(buffer: &[u8]) -> Result<Option<(usize, usize)>> {
    let Some(end) = find(buffer, b"\r\n\r\n") else { return Ok(None) };
    let head = end + 4;
    let lines = std::str::from_utf8(buffer.get(..head).context("no head")?)?.lines();
    let length = |line: &str| {
        line.split_once(':')
            .filter(|(name, _)| name.eq_ignore_ascii_case("content-length"))
            .map(|(_, length)| length.trim().parse::<usize>())
    };
    let length = lines.filter_map(length).next().unwrap_or(Ok(0))?;
    Ok((buffer.len() >= head + length).then_some((head, head + length)))
}

/// A response: JSON as the coordinator writes it, without spaces.
pub struct Answer<'a>(&'a str);

impl Answer<'_> {
    pub fn contains(&self, text: &str) -> bool {
        self.0.contains(text)
    }

    /// The first text of this name, anywhere.
    pub fn text(&self, name: &str) -> Option<String> {
        let value = self.value(name)?.strip_prefix('"')?;
        value.get(..value.find('"')?).map(str::to_owned)
    }

    /// The first number of this name, as it is written.
    pub fn number(&self, name: &str) -> Option<String> {
        let value = self.value(name)?;
        let end = value.find(|character: char| !character.is_ascii_digit())?;
        value.get(..end).map(str::to_owned)
    }

    fn value(&self, name: &str) -> Option<&str> {
        let mut rest = self.0;
        loop {
            let at = rest.find(name)?;
            let before = rest.get(..at)?;
            rest = rest.get(at + name.len()..)?;
            if before.ends_with('"') && rest.starts_with("\":") {
                return rest.get(2..);
            }
        }
    }
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window == needle)
}
