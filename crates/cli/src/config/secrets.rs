//! Settings that hold secrets, and how they are shown: by what they expect, never by their value.

use toml::Value;

/// Shown instead of a secret.
pub(super) const HIDDEN: &str = "(hidden)";

/// The kind of value of a secret setting; `None` if the setting is not secret.
pub(super) fn kind_of(key: &str) -> Option<&'static str> {
    let of_provider = key.starts_with("providers.");
    match key {
        "runner.key" => Some("a string"),
        key if of_provider && key.contains(".headers.") => Some("a string"),
        key if of_provider && key.ends_with(".headers") => Some("a table of strings"),
        _ => None,
    }
}

/// Whether the setting is an address, which may contain a password.
fn is_address(key: &str) -> bool {
    matches!(key, "database.url" | "runner.coordinator" | "telemetry.otlp_endpoint")
        || key.ends_with(".base_url")
}

/// A value as it may be shown.
pub(super) fn shown(key: &str, value: &Value) -> String {
    match value {
        Value::String(text) if kind_of(key).is_some() && !text.is_empty() => HIDDEN.to_owned(),
        Value::String(text) if is_address(key) || text.contains("://") => {
            format!("{:?}", without_secrets(text))
        }
        value => value.to_string(),
    }
}

/// An address as it may be shown: without a password, and without the values of its query, which may be keys.
pub(crate) fn without_secrets(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return without_user(url) };
    if scheme == "sqlite" {
        return url.to_owned();
    }
    // Up to the last `@`: a password with a slash in it that should have been escaped is a password all the same.
    match rest.rsplit_once('@') {
        Some((user, host)) => format!("{scheme}://{}@{}", without_password(user), without_query(host)),
        None => format!("{scheme}://{}", without_query(rest)),
    }
}

fn without_password(user: &str) -> String {
    match user.find([':', '/', '?', '#']).map(|end| user.split_at(end)) {
        Some((user, _)) => format!("{user}:{HIDDEN}"),
        None => user.to_owned(),
    }
}

/// The same for a text that is not a complete address. The start of a password in it is unknown, so
/// everything before an `@` is hidden, except for file paths.
fn without_user(text: &str) -> String {
    match text.rsplit_once('@') {
        _ if text.starts_with("sqlite:") => text.to_owned(),
        Some((_, host)) => format!("{HIDDEN}@{}", without_query(host)),
        None => without_query(text),
    }
}

fn without_query(rest: &str) -> String {
    let Some((path, query)) = rest.split_once('?') else { return rest.to_owned() };
    let hide = |pair: &str| match pair.split_once('=') {
        Some((name, _)) => format!("{name}={HIDDEN}"),
        None => HIDDEN.to_owned(),
    };
    let query: Vec<String> = query.split('&').map(hide).collect();
    format!("{path}?{}", query.join("&"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_without_its_secrets() {
        for (url, shown) in [
            ("http://u:p@h:1/a?key=k&x", "http://u:(hidden)@h:1/a?key=(hidden)&(hidden)"),
            ("http://u@h", "http://u@h"),
            ("postgres://u:p/w@h:1/a", "postgres://u:(hidden)@h:1/a"),
            ("postgres://u:p#w@h:1/a", "postgres://u:(hidden)@h:1/a"),
            ("postgres://u:p?w=@h:1/a?sslmode=x", "postgres://u:(hidden)@h:1/a?sslmode=(hidden)"),
            ("http://h/a?key=u@x", "http://h:(hidden)@x"),
            ("http://h:1/a", "http://h:1/a"),
            ("sqlite://a@b:c", "sqlite://a@b:c"),
            ("no address", "no address"),
            ("postgres:u:pw@h/x", "(hidden)@h/x"),
            ("bob:p@w@h:1", "(hidden)@h:1"),
            ("bob:p?w@h:1?key=k", "(hidden)@h:1?key=(hidden)"),
            ("h:1?key=k", "h:1?key=(hidden)"),
            ("sqlite:me@home.db", "sqlite:me@home.db"),
        ] {
            assert_eq!(without_secrets(url), shown);
        }
    }

    #[test]
    fn every_setting_that_holds_an_address_is_shown_as_one() {
        let value = Value::String("u:pw@h".to_owned());
        for key in ["database.url", "runner.coordinator", "telemetry.otlp_endpoint", "providers.lab.base_url"]
        {
            assert_eq!(shown(key, &value), "\"(hidden)@h\"", "{key}");
        }
        assert_eq!(shown("log.filter", &value), "\"u:pw@h\"");
    }
}
