//! The interface to the network: the network itself, a recorder around it, or a recording.

use std::borrow::Cow;
use std::fmt;
use std::pin::Pin;

use async_trait::async_trait;
use futures_util::Stream;
use serde_json::Value;

use crate::files::Files;

/// One request to a provider.
#[derive(Clone, PartialEq)]
pub struct Request {
    /// The whole address.
    pub url: String,
    /// Headers, secrets among them: never recorded, never logged.
    pub headers: Vec<(String, String)>,
    /// The body, with marks in the place of files.
    pub body: Value,
    /// What the marks stand for.
    pub files: Files,
}

impl Request {
    /// The body as it is sent.
    pub(crate) fn whole_body(&self) -> Cow<'_, Value> {
        if self.files.is_empty() {
            return Cow::Borrowed(&self.body);
        }
        let mut body = self.body.clone();
        self.files.fill(&mut body);
        Cow::Owned(body)
    }
}

impl fmt::Debug for Request {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        formatter
            .debug_struct("Request")
            .field("headers", &names)
            .field("body", &self.body)
            .finish_non_exhaustive()
    }
}

/// The bytes of an answer as they come.
pub type ByteStream = Pin<Box<dyn Stream<Item = Result<Vec<u8>, TransportError>> + Send>>;

/// The answer of a provider.
pub struct Response {
    pub status: u16,
    /// The headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body, as it comes.
    pub body: ByteStream,
}

#[async_trait]
pub trait Transport: Send + Sync {
    /// Sends one request. Dropping the future or the body ends the exchange.
    async fn send(&self, request: Request) -> Result<Response, TransportError>;

    /// Whether the request that failed last is made again, where that is known beforehand: by a recording.
    fn is_repeated(&self) -> Option<bool> {
        None
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TransportError {
    /// Connection refused, lost, timed out: worth another try.
    #[error("{0}")]
    Connection(String),
    /// It cannot work: a bad address.
    #[error("{0}")]
    Impossible(String),
    /// A recording has no answer for it.
    #[error("{0}")]
    NotRecorded(String),
}
