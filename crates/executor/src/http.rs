//! The way to a provider over the network.

use std::time::Duration;

use async_trait::async_trait;
use futures_util::StreamExt;
use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder, Url};
use rustls::{ClientConfig, RootCertStore};

use crate::transport::{Request, Response, Transport, TransportError};

/// A provider that does not take a connection in this time is not there.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(15);

/// Requests over HTTP and HTTPS.
///
/// Redirects are not followed, because a key would go where nobody sent it. What goes to this machine goes straight:
/// a proxy would look for it on its own.
#[derive(Debug, Clone)]
pub struct HttpTransport {
    client: Client,
    straight: Client,
}

impl HttpTransport {
    /// A transport with the host's certificates, or the bundled ones where the host has none.
    pub fn new() -> Result<Self, TransportError> {
        Ok(Self { client: build(Client::builder)?, straight: build(|| Client::builder().no_proxy())? })
    }
}

fn build(builder: impl Fn() -> ClientBuilder) -> Result<Client, TransportError> {
    // Another provider that is already there does as well.
    rustls::crypto::ring::default_provider().install_default().ok();
    let configured = || {
        builder()
            .connect_timeout(CONNECT_TIMEOUT)
            .redirect(Policy::none())
            .user_agent(concat!("accord/", env!("CARGO_PKG_VERSION")))
    };
    configured().build().or_else(|_| configured().tls_backend_preconfigured(bundled()).build()).map_err(
        |error| TransportError::Impossible(format!("no HTTP client can be made: {}", causes(&error))),
    )
}

fn bundled() -> ClientConfig {
    let roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    ClientConfig::builder().with_root_certificates(roots).with_no_client_auth()
}

#[async_trait]
impl Transport for HttpTransport {
    async fn send(&self, request: Request) -> Result<Response, TransportError> {
        let url = Url::parse(&request.url)
            .map_err(|error| TransportError::Impossible(format!("the address cannot be read: {error}")))?;
        let client = if is_loopback(&url) { &self.straight } else { &self.client };
        let mut sending = client.post(url).json(&request.body);
        for (name, value) in request.headers {
            sending = sending.header(name, value);
        }
        let response = sending.send().await.map_err(failed)?;
        let text =
            |value: &reqwest::header::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
        let headers = response.headers();
        let headers = headers.iter().map(|(name, value)| (name.as_str().to_owned(), text(value))).collect();
        Ok(Response {
            status: response.status().as_u16(),
            headers,
            body: response
                .bytes_stream()
                .map(|bytes| bytes.map(|bytes| bytes.to_vec()).map_err(failed))
                .boxed(),
        })
    }
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse().is_ok_and(|address: std::net::IpAddr| address.is_loopback())
}

/// What went wrong, without the address: it may hold a password.
fn failed(error: reqwest::Error) -> TransportError {
    let impossible = error.is_builder();
    let words = causes(&error.without_url());
    if impossible { TransportError::Impossible(words) } else { TransportError::Connection(words) }
}

/// An error with its causes, which hold the useful part.
fn causes(error: &reqwest::Error) -> String {
    let mut words = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        words = format!("{words}: {error}");
        cause = error.source();
    }
    words
}
