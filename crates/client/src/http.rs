//! The connection: certificates, proxies, addresses.

use std::time::Duration;

use reqwest::redirect::Policy;
use reqwest::{ClientBuilder, Url};
use rustls::{ClientConfig, RootCertStore};
use serde::Serialize;
use serde_json::Value;

use crate::error::ClientError;

/// A coordinator that does not take a connection in this time is not there.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Idle connections that are kept: as many as a busy runner uses at once, so that it does not open
/// one per request. More would only hold memory on both sides after a burst.
const IDLE_CONNECTIONS: usize = 64;

/// How long: less than a coordinator keeps one on which nothing is asked (30 seconds), so that no request is sent on one that is
/// being closed.
const IDLE_TIMEOUT: Duration = Duration::from_secs(20);

/// A client with the host's certificates, or the bundled ones where the host has none.
pub(crate) fn build(base: &Url) -> Result<reqwest::Client, ClientError> {
    // Another provider that is already there does as well.
    rustls::crypto::ring::default_provider().install_default().ok();
    let direct = is_loopback(base);
    let configured = || -> ClientBuilder {
        let builder = reqwest::Client::builder()
            .connect_timeout(CONNECT_TIMEOUT)
            .pool_max_idle_per_host(IDLE_CONNECTIONS)
            .pool_idle_timeout(IDLE_TIMEOUT)
            .redirect(Policy::none())
            .user_agent(concat!("accord/", env!("CARGO_PKG_VERSION")));
        // A proxy would look for a coordinator on this machine on its own.
        if direct { builder.no_proxy() } else { builder }
    };
    let with_roots = |roots: RootCertStore| {
        let tls = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
        configured().tls_backend_preconfigured(tls).build()
    };
    let built = match direct && base.scheme() == "http" {
        // Reading the host's certificates takes longer than everything else here, and they are not needed.
        true => with_roots(RootCertStore::empty()),
        false => {
            let bundled = || RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
            configured().build().or_else(|_| with_roots(bundled()))
        }
    };
    built.map_err(|error| {
        ClientError::Settings(format!("the HTTP client cannot be created: {}", causes(&error)))
    })
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse().is_ok_and(|address: std::net::IpAddr| address.is_loopback())
}

/// The address of a coordinator, as people give it.
pub(crate) fn base(text: &str) -> Result<Url, ClientError> {
    // The part before an '@' may be a password, and the query a key.
    let shown = if text.contains(['@', '?']) { String::new() } else { format!(" '{}'", text.escape_debug()) };
    let refused = |why: &str| {
        ClientError::Settings(format!(
            "invalid coordinator URL{shown}: {why}; expected for example http://127.0.0.1:8765"
        ))
    };
    let url = Url::parse(text).map_err(|error| refused(&error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(refused(&format!("'{}' is neither http nor https", url.scheme())));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(refused("it contains a password; pass the API key separately"));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(refused("it contains a '?' or a '#'; remove that and everything after it"));
    }
    Ok(url)
}

/// The address of a route. Each segment is one name, whatever characters it has.
pub(crate) fn route(base: &Url, segments: &[&str], query: &Value) -> Result<Url, ClientError> {
    if let Some(bad) = segments.iter().find(|segment| matches!(**segment, "" | "." | "..")) {
        return Err(ClientError::Settings(format!("'{bad}' is not a valid name")));
    }
    let mut url = base.clone();
    match url.path_segments_mut() {
        Ok(mut path) => path.pop_if_empty().extend(segments),
        Err(()) => {
            return Err(ClientError::Settings("the coordinator's URL must not have a path".to_owned()));
        }
    };
    let members = query.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null());
    for (name, value) in members {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        url.query_pairs_mut().append_pair(name, &text);
    }
    Ok(url)
}

/// A query as the flat object that it is.
pub(crate) fn query(query: &impl Serialize) -> Result<Value, ClientError> {
    serde_json::to_value(query)
        .map_err(|error| ClientError::Settings(format!("the query cannot be serialized: {error}")))
}

/// An error with its causes, which hold the useful part.
pub(crate) fn causes(error: &reqwest::Error) -> String {
    let mut words = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        words = format!("{words}: {error}");
        cause = error.source();
    }
    // The TLS library's error for an answer in plain HTTP.
    if words.contains("InvalidContentType") {
        return "the server does not use TLS; use http:// instead of https://".to_owned();
    }
    words
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_route_escapes_names_and_queries() {
        let base = base("http://127.0.0.1:8765/prefix/").unwrap();
        let url =
            route(&base, &["agents", "a/b ?"], &json!({"tags": "x&y", "limit": 5, "cursor": null})).unwrap();
        assert_eq!(url.as_str(), "http://127.0.0.1:8765/prefix/agents/a%2Fb%20%3F?tags=x%26y&limit=5");
        assert!(route(&base, &["agents", ".."], &Value::Null).is_err());
        assert!(route(&base, &["agents", ""], &Value::Null).is_err());
    }

    #[test]
    fn an_invalid_address_is_rejected() {
        for text in [
            "127.0.0.1:8765",
            "ftp://host",
            "http://user:secret@host",
            "",
            "http://host?key=secret",
            "http://host/#a",
        ] {
            let error = base(text).unwrap_err().to_string();
            assert!(!error.contains("secret"), "{error}");
            assert!(error.contains("http://127.0.0.1:8765"), "{error}");
        }
    }
}
