//! The header `Host`, as HTTP requires it.
//!
//! Requests of pages of other sites are recognized by the host (`http/auth`). With two hosts, or an invalid one, a proxy may
//! have read another one.

use axum::http::header::HOST;
use axum::http::uri::Authority;
use axum::http::{Request, Version};

use crate::error::{Error, refuse};

/// Refuses a request that does not say once which host it is for. HTTP/1.0, which checks of load balancers speak, need not say it.
pub(super) fn check<B>(request: &Request<B>) -> Result<(), Error> {
    let refused = |message: &str| Err(refuse(message));
    let mut hosts = request.headers().get_all(HOST).iter();
    match (hosts.next(), hosts.next()) {
        (None, _) if request.version() < Version::HTTP_11 => Ok(()),
        (None, _) => refused("missing Host header"),
        (Some(_), Some(_)) => refused("duplicate Host header; send it once"),
        (Some(host), None) => match host.as_bytes() {
            b"" => Ok(()),
            host if Authority::try_from(host).is_ok_and(|host| !host.as_str().contains('@')) => Ok(()),
            _ => refused("expected a Host header of HOST or HOST:PORT"),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(version: Version, hosts: &[&str]) -> Option<String> {
        let request = Request::builder().version(version);
        let request = hosts.iter().fold(request, |request, host| request.header(HOST, *host));
        check(&request.body(()).unwrap()).err().map(|error| error.message().to_owned())
    }

    #[test]
    fn a_request_has_exactly_one_host() {
        for host in ["localhost", "localhost:8765", "127.0.0.1", "[::1]:8765", ""] {
            assert_eq!(refusal(Version::HTTP_11, &[host]), None, "{host}");
        }
        assert_eq!(refusal(Version::HTTP_10, &[]), None);
        let absent = "missing Host header";
        assert_eq!(refusal(Version::HTTP_11, &[]).as_deref(), Some(absent));
        for version in [Version::HTTP_10, Version::HTTP_11] {
            let twice = refusal(version, &["localhost", "localhost"]);
            assert_eq!(twice.as_deref(), Some("duplicate Host header; send it once"));
        }
        for host in ["a b", "user@localhost", "localhost, evil.example", "http://localhost", "a/b"] {
            let wrong = refusal(Version::HTTP_11, &[host]);
            assert_eq!(wrong.as_deref(), Some("expected a Host header of HOST or HOST:PORT"), "{host}");
        }
    }
}
