//! Signature Version 4, by which Amazon's services recognize who sends a request.
//!
//! The official crate for it brings a dozen others; the algorithm is one page, and its published test vectors are below.

use hmac::{Hmac, KeyInit as _, Mac as _};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use reqwest::Url;
use sha2::{Digest as _, Sha256};

use crate::llm::provider::SigningCredentials;
use crate::llm::wire::encoded;
use crate::transport::Request;

const ALGORITHM: &str = "AWS4-HMAC-SHA256";
const SERVICE: &str = "bedrock";

/// The region if neither the address nor the environment names one, as in Amazon's own tools.
const DEFAULT_REGION: &str = "us-east-1";

/// The headers that sign a request.
pub(super) fn headers(
    credentials: &SigningCredentials,
    request: &Request,
    now: Timestamp,
) -> Vec<(String, String)> {
    let Ok(url) = Url::parse(&request.url) else { return Vec::new() };
    let region = region_of(&url).or(credentials.region.clone()).unwrap_or_else(|| DEFAULT_REGION.to_owned());
    // Exactly these bytes are sent: the transport writes the body in the same way.
    let payload = serde_json::to_vec(&request.whole_body()).unwrap_or_default();
    let scope = Scope { region: &region, service: SERVICE, now };
    scope.sign(credentials, "POST", &url, Vec::new(), &payload)
}

/// The region in the name of a host: `bedrock-runtime.eu-central-1.amazonaws.com`.
fn region_of(url: &Url) -> Option<String> {
    let mut parts = url.host_str()?.split('.');
    let is_service = parts.next()?.starts_with("bedrock-runtime");
    parts.next().filter(|_| is_service && url.as_str().contains(".amazonaws.com")).map(str::to_owned)
}

struct Scope<'a> {
    region: &'a str,
    service: &'a str,
    now: Timestamp,
}

impl Scope<'_> {
    /// Signs these headers, the host, the time and the token, and gives all of them but the host, which HTTP itself sends.
    fn sign(
        &self,
        credentials: &SigningCredentials,
        method: &str,
        url: &Url,
        mut headers: Vec<(String, String)>,
        payload: &[u8],
    ) -> Vec<(String, String)> {
        let time = self.now.to_zoned(TimeZone::UTC).strftime("%Y%m%dT%H%M%SZ").to_string();
        let date = time.get(..8).unwrap_or_default();
        let scope = format!("{date}/{}/{}/aws4_request", self.region, self.service);
        headers.push(("x-amz-date".to_owned(), time.clone()));
        if let Some(token) = &credentials.session_token {
            headers.push(("x-amz-security-token".to_owned(), token.expose().to_owned()));
        }
        let mut signed = headers.clone();
        signed.push(("host".to_owned(), host(url)));
        signed.sort();
        let names = signed.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(";");
        let lines: String = signed.iter().map(|(name, value)| format!("{name}:{}\n", value.trim())).collect();
        let (path, query) = (path(url), query(url));
        let canonical = format!("{method}\n{path}\n{query}\n{lines}\n{names}\n{}", digest(payload));
        let text = format!("{ALGORITHM}\n{time}\n{scope}\n{}", digest(canonical.as_bytes()));
        let secret = format!("AWS4{}", credentials.secret.expose());
        let parts = [date, self.region, self.service, "aws4_request", &text];
        let signature = parts.iter().fold(secret.into_bytes(), |key, part| mac(&key, part.as_bytes()));
        let authorization = format!(
            "{ALGORITHM} Credential={}/{scope}, SignedHeaders={names}, Signature={}",
            credentials.key_id,
            hexadecimal(&signature)
        );
        headers.push(("authorization".to_owned(), authorization));
        headers
    }
}

fn host(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

/// The path, encoded once more than it is sent.
fn path(url: &Url) -> String {
    url.path().split('/').map(encoded).collect::<Vec<_>>().join("/")
}

fn query(url: &Url) -> String {
    let mut pairs: Vec<String> =
        url.query_pairs().map(|(name, value)| format!("{}={}", encoded(&name), encoded(&value))).collect();
    pairs.sort();
    pairs.join("&")
}

/// A keyed hash. Keys of any length are valid, so the other case does not occur.
fn mac(key: &[u8], text: &[u8]) -> Vec<u8> {
    let Ok(mac) = Hmac::<Sha256>::new_from_slice(key) else { return Vec::new() };
    mac.chain_update(text).finalize().into_bytes().to_vec()
}

fn digest(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::files::Files;
    use crate::llm::provider::Secret;

    const TOKEN: &str = "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==";

    fn credentials(token: Option<&str>) -> SigningCredentials {
        SigningCredentials {
            key_id: "AKIDEXAMPLE".into(),
            secret: Secret::new("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"),
            session_token: token.map(Secret::new),
            region: None,
        }
    }

    fn now() -> Timestamp {
        "2015-08-30T12:36:00Z".parse().unwrap()
    }

    /// The cases of Amazon's test suite by their names there, and the example of its documentation.
    #[test]
    fn signatures_are_the_published_ones() {
        let form = "application/x-www-form-urlencoded";
        let utf8 = "application/x-www-form-urlencoded; charset=utf-8";
        let cases = [
            (
                "get-vanilla",
                "GET",
                "https://example.amazonaws.com/",
                None,
                "",
                None,
                "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
            ),
            (
                "post-vanilla",
                "POST",
                "https://example.amazonaws.com/",
                None,
                "",
                None,
                "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
            ),
            (
                "get-vanilla-query-order-key-case",
                "GET",
                "https://example.amazonaws.com/?Param2=value2&Param1=value1",
                None,
                "",
                None,
                "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
            ),
            (
                "post-x-www-form-urlencoded",
                "POST",
                "https://example.amazonaws.com/",
                Some(form),
                "Param1=value1",
                None,
                "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
            ),
            (
                "post-sts-header-before",
                "POST",
                "https://example.amazonaws.com/",
                None,
                "",
                Some(TOKEN),
                "85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead",
            ),
            (
                "iam",
                "GET",
                "https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08",
                Some(utf8),
                "",
                None,
                "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7",
            ),
        ];
        for (name, method, url, content_type, payload, token, signature) in cases {
            let service = if name == "iam" { "iam" } else { "service" };
            let scope = Scope { region: "us-east-1", service, now: now() };
            let given = content_type.map(|kind| ("content-type".to_owned(), kind.to_owned()));
            let url = Url::parse(url).unwrap();
            let given = given.into_iter().collect();
            let headers = scope.sign(&credentials(token), method, &url, given, payload.as_bytes());
            let (header, authorization) = headers.last().unwrap();
            assert_eq!(header, "authorization");
            let start = format!(
                "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/{service}/aws4_request, "
            );
            assert!(authorization.starts_with(&start), "{name}: {authorization}");
            assert!(authorization.ends_with(&format!("Signature={signature}")), "{name}: {authorization}");
        }
    }

    #[test]
    fn a_model_request_is_signed_for_the_region_of_its_address() {
        let request = |url: &str| Request {
            url: url.to_owned(),
            headers: Vec::new(),
            body: json!({"a": 1}),
            files: Files::default(),
        };
        let url = "https://bedrock-runtime.eu-central-1.amazonaws.com/model/a%3A0/converse-stream";
        let signed = headers(&credentials(Some("token")), &request(url), now());
        let names: Vec<&str> = signed.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["x-amz-date", "x-amz-security-token", "authorization"]);
        let authorization = &signed.last().unwrap().1;
        assert!(authorization.contains("/20150830/eu-central-1/bedrock/aws4_request"), "{authorization}");
        assert!(
            authorization.contains("SignedHeaders=host;x-amz-date;x-amz-security-token"),
            "{authorization}"
        );
        assert_eq!(path(&Url::parse(url).unwrap()), "/model/a%253A0/converse-stream");

        let elsewhere = SigningCredentials { region: Some("us-west-2".into()), ..credentials(None) };
        let signed = headers(&elsewhere, &request("http://127.0.0.1:9/model/a/converse-stream"), now());
        assert!(signed.last().unwrap().1.contains("/us-west-2/bedrock/"), "{signed:?}");
    }
}
