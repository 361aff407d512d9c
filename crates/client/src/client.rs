//! The client, and how every call is made.

use std::fmt;
use std::time::Duration;

use accord_api::{ErrorBody, ErrorName};
use accord_trace::TraceParent;
use reqwest::header::{AUTHORIZATION, HeaderValue};
use reqwest::{Method, RequestBuilder, Response, StatusCode, Url};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::ClientError;
use crate::http::{self, causes};

/// How long an ordinary call may take: the coordinator answers in milliseconds, a busy store in seconds.
const CALL_TIMEOUT: Duration = Duration::from_secs(30);

/// How much longer than it was asked to wait a long poll may take.
const LONG_POLL_GRACE: Duration = Duration::from_secs(30);

/// The largest answer that is read, and the largest event of a stream. The largest of both is a result, which is in its event
/// whole: it came to the coordinator as the end of a run, which has 32 MiB at most where nothing else is configured, and is
/// not written longer there. A page, a claim and a batch of events are cut off at a few MiB, or hold one such piece.
pub(crate) const MAX_ANSWER_BYTES: usize = 128 * 1024 * 1024;

/// How much of an answer that cannot be read is shown.
const SHOWN_CHARACTERS: usize = 200;

/// A key for the coordinator, which is not shown in debug output.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

impl ApiKey {
    /// The key.
    pub fn new(secret: impl Into<String>) -> Self {
        Self(secret.into())
    }

    fn header(&self) -> Result<HeaderValue, ClientError> {
        let value = HeaderValue::from_str(&format!("Bearer {}", self.0.trim()));
        let mut value = value.map_err(|_| {
            ClientError::Settings(
                "the API key contains characters that are not allowed in a header; copy it again".to_owned(),
            )
        })?;
        value.set_sensitive(true);
        Ok(value)
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ApiKey(…)")
    }
}

/// A client of one coordinator. Cheap to clone.
#[derive(Clone)]
pub struct Client {
    base: Url,
    authorization: Option<HeaderValue>,
    forwarded_for: Option<HeaderValue>,
    traceparent: Option<TraceParent>,
    http: reqwest::Client,
}

impl fmt::Debug for Client {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let keyed = self.authorization.is_some();
        formatter.debug_struct("Client").field("base", &self.base.as_str()).field("keyed", &keyed).finish()
    }
}

impl Client {
    /// A client of the coordinator at an address, with a key where one is needed. Nothing is sent yet.
    pub fn new(base_url: &str, key: Option<&ApiKey>) -> Result<Self, ClientError> {
        let base = http::base(base_url)?;
        let authorization = key.map(ApiKey::header).transpose()?;
        let http = http::build(&base)?;
        Ok(Self { base, authorization, forwarded_for: None, traceparent: None, http })
    }

    /// The same client with another key.
    pub fn with_key(&self, key: &ApiKey) -> Result<Self, ClientError> {
        Ok(Self { authorization: Some(key.header()?), ..self.clone() })
    }

    /// The same client for another caller, whose address is sent in the header `X-Forwarded-For`.
    pub fn on_behalf_of(&self, address: &str) -> Result<Self, ClientError> {
        let header = HeaderValue::from_str(address);
        let header = header.map_err(|error| ClientError::Settings(error.to_string()))?;
        Ok(Self { forwarded_for: Some(header).filter(|header| !header.is_empty()), ..self.clone() })
    }

    /// The same client, whose calls belong to this trace unless they already belong to another. A
    /// value that is not a W3C `traceparent` is ignored.
    #[must_use]
    pub fn in_trace(&self, traceparent: Option<&str>) -> Self {
        Self { traceparent: TraceParent::read(traceparent), ..self.clone() }
    }

    /// The coordinator's address.
    pub fn base_url(&self) -> &str {
        self.base.as_str()
    }

    pub(crate) fn call(&self, method: Method, segments: &[&str]) -> Call<'_> {
        let (query, body, headers) = (Value::Null, None, Vec::new());
        let content_type = "application/json";
        let segments = segments.iter().map(|&segment| segment.to_owned()).collect();
        Call {
            client: self,
            method,
            segments,
            query,
            body,
            content_type,
            headers,
            timeout: Some(CALL_TIMEOUT),
        }
    }

    pub(crate) fn get(&self, segments: &[&str]) -> Call<'_> {
        self.call(Method::GET, segments)
    }

    pub(crate) fn post(&self, segments: &[&str]) -> Call<'_> {
        self.call(Method::POST, segments)
    }

    /// The address for an error: without what it may hold of secrets.
    pub(crate) fn display_url(&self) -> String {
        let mut address = self.base.clone();
        // Only addresses that cannot have a user refuse to lose it.
        let _ = address.set_username("").and_then(|()| address.set_password(None));
        address.set_query(None);
        address.to_string()
    }

    pub(crate) fn unreachable(&self, error: reqwest::Error) -> ClientError {
        self.unreachable_for(causes(&error.without_url()))
    }

    fn unreachable_for(&self, cause: String) -> ClientError {
        ClientError::Unreachable { address: self.display_url(), cause }
    }

    pub(crate) fn unreadable(&self, cause: impl Into<String>) -> ClientError {
        ClientError::Unreadable { address: self.display_url(), cause: cause.into() }
    }
}

/// One call, being put together.
pub(crate) struct Call<'a> {
    client: &'a Client,
    method: Method,
    segments: Vec<String>,
    query: Value,
    body: Option<Result<Vec<u8>, ClientError>>,
    content_type: &'static str,
    headers: Vec<(&'static str, String)>,
    timeout: Option<Duration>,
}

impl Call<'_> {
    pub(crate) fn query(mut self, query: Value) -> Self {
        self.query = query;
        self
    }

    pub(crate) fn body(mut self, body: &impl Serialize) -> Self {
        let written = serde_json::to_vec(body);
        let refused = |error| ClientError::Settings(format!("the request cannot be serialized: {error}"));
        self.body = Some(written.map_err(refused));
        self
    }

    /// A body that is no JSON.
    pub(crate) fn file(mut self, content: Vec<u8>) -> Self {
        (self.body, self.content_type) = (Some(Ok(content)), "application/octet-stream");
        self
    }

    pub(crate) fn header(mut self, name: &'static str, value: Option<&str>) -> Self {
        self.headers.extend(value.map(|value| (name, value.to_owned())));
        self
    }

    /// A long poll: the coordinator may take this long.
    pub(crate) fn waiting(mut self, seconds: u32) -> Self {
        self.timeout = Some(Duration::from_secs(seconds.into()) + LONG_POLL_GRACE);
        self
    }

    /// A call without a time limit.
    pub(crate) fn endless(mut self) -> Self {
        self.timeout = None;
        self
    }

    /// The answer, read straight from its text: documents in it stay as they are written.
    pub(crate) async fn read<T: DeserializeOwned>(self) -> Result<T, ClientError> {
        let client = self.client;
        let text = self.text().await?;
        serde_json::from_str(&text).map_err(|error| client.unreadable(parse_failure(&error, &text)))
    }

    /// Only whether it went well.
    pub(crate) async fn done(self) -> Result<(), ClientError> {
        self.text().await.map(drop)
    }

    /// The body of the answer, whatever it is.
    pub(crate) async fn bytes(self) -> Result<Vec<u8>, ClientError> {
        let client = self.client;
        let response = self.send().await?;
        body_of(client, response).await
    }

    async fn text(self) -> Result<String, ClientError> {
        let client = self.client;
        let bytes = self.bytes().await?;
        String::from_utf8(bytes).map_err(|_| client.unreadable("the response is not UTF-8"))
    }

    /// The answer's head; an error status is an error already.
    pub(crate) async fn send(self) -> Result<Response, ClientError> {
        let client = self.client;
        let response = self.request()?.send().await.map_err(|error| match error.is_builder() {
            true => ClientError::Settings(causes(&error.without_url())),
            false => client.unreachable(error),
        })?;
        if response.status().is_success() {
            return Ok(response);
        }
        Err(error_of(client, response).await)
    }

    fn request(self) -> Result<RequestBuilder, ClientError> {
        let segments: Vec<&str> = self.segments.iter().map(String::as_str).collect();
        let url = http::route(&self.client.base, &segments, &self.query)?;
        let mut request = self.client.http.request(self.method, url);
        if let Some(timeout) = self.timeout {
            request = request.timeout(timeout);
        }
        if let Some(authorization) = &self.client.authorization {
            request = request.header(AUTHORIZATION, authorization.clone());
        }
        if let Some(address) = &self.client.forwarded_for {
            request = request.header("x-forwarded-for", address.clone());
        }
        if let Some(traceparent) = accord_trace::current().or(self.client.traceparent) {
            request = request.header(accord_trace::HEADER, traceparent.to_string());
        }
        for (name, value) in self.headers {
            request = request.header(name, value);
        }
        if let Some(body) = self.body {
            request = request.header("content-type", self.content_type).body(body?);
        }
        Ok(request)
    }
}

async fn body_of(client: &Client, mut response: Response) -> Result<Vec<u8>, ClientError> {
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| client.unreachable(error))? {
        if bytes.len() + chunk.len() > MAX_ANSWER_BYTES {
            return Err(client.unreadable(format!("the response has more than {MAX_ANSWER_BYTES} bytes")));
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

/// The error in a response. Without an error body it is most likely from a proxy, which may accept the same call later, or
/// never if the body is too large.
async fn error_of(client: &Client, response: Response) -> ClientError {
    let status = response.status();
    let bytes = match body_of(client, response).await {
        Ok(bytes) => bytes,
        Err(error) => return error,
    };
    if let Ok(body) = serde_json::from_slice::<Box<ErrorBody>>(&bytes) {
        return ClientError::Api(body);
    }
    let cause = format!("status {status}, {}", excerpt(&String::from_utf8_lossy(&bytes)));
    match status {
        StatusCode::PAYLOAD_TOO_LARGE => too_large(client),
        StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_EARLY | StatusCode::TOO_MANY_REQUESTS => {
            client.unreachable_for(cause)
        }
        _ if status.is_server_error() => client.unreachable_for(cause),
        _ => client.unreadable(cause),
    }
}

/// The error of a proxy that rejects a large body, as the coordinator would report it.
fn too_large(client: &Client) -> ClientError {
    let name = ErrorName::RequestTooLarge;
    let message = format!(
        "the proxy in front of the coordinator at {} rejects a request of this size; allow 32 MiB (nginx: client_max_body_size 32m)",
        client.display_url()
    );
    let error = name.as_str().to_owned();
    ClientError::Api(Box::new(ErrorBody { error, message, status_code: name.status(), details: None }))
}

fn parse_failure(error: &serde_json::Error, text: &str) -> String {
    format!("{error}, in {}", excerpt(text))
}

fn excerpt(text: &str) -> String {
    let short: String = text.chars().take(SHOWN_CHARACTERS).collect();
    let more = if short.len() < text.len() { "…" } else { "" };
    format!("'{}{more}'", short.escape_debug())
}
