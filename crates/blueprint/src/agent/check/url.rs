//! URLs of servers.

/// What is wrong with a URL. Only obvious mistakes are found.
pub(super) fn url_error(url: &str) -> Option<String> {
    let rest = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://"));
    let Some(rest) = rest else {
        return Some("the URL must start with http:// or https://".to_owned());
    };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let server = authority.rsplit('@').next().unwrap_or_default();
    let (host, port) = match server.split_once(']') {
        Some((host, port)) => (host, port.strip_prefix(':')),
        None => server.split_once(':').map_or((server, None), |(host, port)| (host, Some(port))),
    };
    if host.trim_start_matches('[').trim().is_empty() {
        return Some("the URL has no host; expected the form https://host/path".to_owned());
    }
    match port {
        Some(port) if !port.is_empty() && port.trim_end().parse::<u16>().is_err() => {
            Some(format!("expected a port from 0 to {}, got '{port}'", u16::MAX))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::url_error;

    #[test]
    fn a_url_has_a_host() {
        for sound in [
            "http://h",
            "https://h/",
            "http://127.0.0.1:8080/v1",
            "http://[::1]:8080/v1",
            "http://[::1]",
            "https://user:secret@h:1/v1?x=1#y",
            "http://b\u{fc}cher.example/",
            "http://h:",
        ] {
            assert_eq!(url_error(sound), None, "{sound}");
        }
        for no_host in ["http://", "https:///v1", "http://:80", "http://user@", "http://[]", "http://?x"] {
            let expected = "the URL has no host; expected the form https://host/path";
            assert_eq!(url_error(no_host).as_deref(), Some(expected), "{no_host}");
        }
        assert_eq!(url_error("http://h:x").as_deref(), Some("expected a port from 0 to 65535, got 'x'"));
        assert_eq!(url_error("h").as_deref(), Some("the URL must start with http:// or https://"));
    }
}
