//! The transport to a provider over the network.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use async_trait::async_trait;
use futures_util::StreamExt;
use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder, RequestBuilder, Url};
use rustls::{ClientConfig, RootCertStore};

use crate::transport::{Request, Response, Transport, TransportError};

/// A provider that does not take a connection in this time is not there.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(15);

/// Requests over HTTP and HTTPS.
///
/// Redirects are not followed, because a key would go to another address. Requests to loopback bypass proxies, because a
/// proxy would connect to its own machine.
#[derive(Debug, Clone)]
pub struct HttpTransport {
    /// For loopback without TLS.
    plain: Client,
    /// Made when it is needed: reading the host's certificates takes longer than the rest of a start.
    direct: Arc<OnceLock<Client>>,
    proxied: Arc<OnceLock<Client>>,
}

impl HttpTransport {
    /// A transport with the host's certificates, or the bundled ones where the host has none.
    pub fn new() -> Result<Self, TransportError> {
        // Another provider that is already there does as well.
        rustls::crypto::ring::default_provider().install_default().ok();
        let plain = configured(Client::builder().no_proxy());
        let plain = plain.tls_backend_preconfigured(tls(RootCertStore::empty())).build().map_err(unmade)?;
        Ok(Self { plain, direct: Arc::default(), proxied: Arc::default() })
    }

    /// Posts bytes that are not for a model, traces for example, and returns the status.
    pub async fn post(
        &self,
        url: &str,
        headers: Vec<(String, String)>,
        body: Vec<u8>,
    ) -> Result<u16, TransportError> {
        let posting = self.to(url)?.body(body);
        let response = with_headers(posting, headers).send().await.map_err(failed)?;
        Ok(response.status().as_u16())
    }

    /// Gets what is at an address, a list of models for example.
    pub(crate) async fn get(
        &self,
        url: &str,
        headers: Vec<(String, String)>,
    ) -> Result<Response, TransportError> {
        let (client, url) = self.client_for(url)?;
        answer(with_headers(client.get(url), headers)).await
    }

    fn to(&self, url: &str) -> Result<RequestBuilder, TransportError> {
        let (client, url) = self.client_for(url)?;
        Ok(client.post(url))
    }

    fn client_for(&self, url: &str) -> Result<(&Client, Url), TransportError> {
        let url =
            Url::parse(url).map_err(|error| TransportError::Impossible(format!("invalid URL: {error}")))?;
        let client = match (is_loopback(&url), url.scheme()) {
            (true, "http") => &self.plain,
            (true, _) => made(&self.direct, || Client::builder().no_proxy())?,
            (false, _) => made(&self.proxied, Client::builder)?,
        };
        Ok((client, url))
    }
}

fn with_headers(request: RequestBuilder, headers: Vec<(String, String)>) -> RequestBuilder {
    headers.into_iter().fold(request, |request, (name, value)| request.header(name, value))
}

/// The client of a cell, made if there is none.
fn made(cell: &OnceLock<Client>, builder: fn() -> ClientBuilder) -> Result<&Client, TransportError> {
    if let Some(client) = cell.get() {
        return Ok(client);
    }
    let with_bundled = || configured(builder()).tls_backend_preconfigured(tls(bundled())).build();
    let client = configured(builder()).build().or_else(|_| with_bundled()).map_err(unmade)?;
    Ok(cell.get_or_init(|| client))
}

fn configured(builder: ClientBuilder) -> ClientBuilder {
    builder
        .connect_timeout(CONNECT_TIMEOUT)
        .redirect(Policy::none())
        .user_agent(concat!("accord/", env!("CARGO_PKG_VERSION")))
}

fn unmade(error: reqwest::Error) -> TransportError {
    TransportError::Impossible(format!("the HTTP client cannot be created: {}", causes(&error)))
}

fn bundled() -> RootCertStore {
    RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() }
}

fn tls(roots: RootCertStore) -> ClientConfig {
    ClientConfig::builder().with_root_certificates(roots).with_no_client_auth()
}

#[async_trait]
impl Transport for HttpTransport {
    async fn send(&self, request: Request) -> Result<Response, TransportError> {
        let Request { url, headers, body } = request;
        let sending = with_headers(self.to(&url)?.json(&body), headers);
        // An answer may take minutes, and what was asked is written out by now.
        drop((url, body));
        answer(sending).await
    }
}

async fn answer(request: RequestBuilder) -> Result<Response, TransportError> {
    let response = request.send().await.map_err(failed)?;
    let text = |value: &reqwest::header::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let headers = response.headers();
    let headers = headers.iter().map(|(name, value)| (name.as_str().to_owned(), text(value))).collect();
    Ok(Response {
        status: response.status().as_u16(),
        headers,
        body: response.bytes_stream().map(|bytes| bytes.map(|bytes| bytes.to_vec()).map_err(failed)).boxed(),
    })
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse().is_ok_and(|address: std::net::IpAddr| address.is_loopback())
}

/// The error without the address, which may contain a password.
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

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::*;

    /// A server for one request: it gives back what it was sent, as text.
    async fn served(answer: &'static str) -> (String, tokio::task::JoinHandle<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1/x", listener.local_addr().unwrap());
        let serving = tokio::spawn(async move {
            let (mut connection, _) = listener.accept().await.unwrap();
            let mut heard = Vec::new();
            while !heard.ends_with(b"}") {
                let mut bytes = [0; 1024];
                let read = connection.read(&mut bytes).await.unwrap();
                heard.extend_from_slice(bytes.get(..read).unwrap());
            }
            connection.write_all(answer.as_bytes()).await.unwrap();
            String::from_utf8(heard).unwrap()
        });
        (url, serving)
    }

    fn request(url: String) -> Request {
        Request { url, headers: vec![("x-api-key".into(), "k".into())], body: json!({"a": 1}) }
    }

    #[tokio::test]
    async fn a_request_goes_out_whole_and_the_answer_comes_in_pieces() {
        let (url, serving) = served(
            "HTTP/1.1 429 Slow\r\nRetry-After: 7\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n",
        )
        .await;
        let response = HttpTransport::new().unwrap().send(request(url)).await.unwrap();
        assert_eq!(response.status, 429);
        assert!(response.headers.contains(&("retry-after".to_owned(), "7".to_owned())));
        let body: Vec<Vec<u8>> = response.body.map(Result::unwrap).collect().await;
        assert_eq!(body.concat(), b"abc");
        let heard = serving.await.unwrap();
        assert!(heard.starts_with("POST /v1/x HTTP/1.1\r\n"), "{heard}");
        assert!(
            heard.contains("x-api-key: k\r\n") && heard.contains("content-type: application/json"),
            "{heard}"
        );
        assert!(heard.ends_with("{\"a\":1}"), "{heard}");
    }

    #[tokio::test]
    async fn a_redirect_is_an_answer() {
        let (url, serving) =
            served("HTTP/1.1 307 Moved\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n").await;
        let response = HttpTransport::new().unwrap().send(request(url)).await.unwrap();
        assert_eq!(response.status, 307);
        serving.await.unwrap();
    }

    #[tokio::test]
    async fn a_body_that_breaks_off_is_an_error() {
        let (url, serving) = served("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc").await;
        let response = HttpTransport::new().unwrap().send(request(url)).await.unwrap();
        serving.await.unwrap();
        let pieces: Vec<_> = response.body.collect().await;
        assert!(matches!(pieces.last(), Some(Err(TransportError::Connection(_)))), "{pieces:?}");
    }

    #[tokio::test]
    async fn distinguishes_no_server_from_an_invalid_answer() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://user:hidden-word@{}/", listener.local_addr().unwrap());
        drop(listener);
        let transport = HttpTransport::new().unwrap();
        let refused = transport.send(request(url)).await.err();
        let Some(TransportError::Connection(words)) = refused else {
            panic!("{refused:?}");
        };
        assert!(words.contains("refused") && !words.contains("hidden-word"), "{words}");
        let nonsense = transport.send(request("nowhere".into())).await.err();
        assert!(matches!(nonsense, Some(TransportError::Impossible(_))), "{nonsense:?}");
    }

    #[test]
    fn the_bundled_certificates_make_a_client() {
        rustls::crypto::ring::default_provider().install_default().ok();
        let client = Client::builder().tls_backend_preconfigured(tls(bundled())).build();
        assert!(client.is_ok(), "{client:?}");
    }

    #[test]
    fn certificates_are_read_only_for_addresses_that_need_them() {
        let transport = HttpTransport::new().unwrap();
        let read = || [&transport.direct, &transport.proxied].map(|client| client.get().is_some());
        drop(transport.to("http://127.0.0.1:1/").unwrap());
        assert_eq!(read(), [false, false]);
        drop(transport.to("https://localhost:1/").unwrap());
        assert_eq!(read(), [true, false]);
        drop(transport.to("http://proxied.example/").unwrap());
        assert_eq!(read(), [true, true]);
    }

    #[test]
    fn this_machine_is_known_by_its_names() {
        let cases = [
            ("http://localhost:1", true),
            ("http://127.0.0.2", true),
            ("http://[::1]:1", true),
            ("http://localhost.example", false),
            ("http://10.0.0.1", false),
        ];
        for (url, expected) in cases {
            assert_eq!(Url::parse(url).map(|url| is_loopback(&url)), Ok(expected), "{url}");
        }
    }
}
