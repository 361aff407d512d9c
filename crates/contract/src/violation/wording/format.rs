//! Formats, each with an example: a model copies a form more readily than it reads a standard.

use super::quoted;

const EXAMPLES: &[(&str, &str, &str)] = &[
    ("date-time", "a date and time with a time zone", "2024-05-31T14:30:00Z"),
    ("date", "a date", "2024-05-31"),
    ("time", "a time with a time zone", "14:30:00Z"),
    ("duration", "a duration", "P3DT12H"),
    ("email", "an email address", "name@example.com"),
    ("hostname", "a host name", "www.example.com"),
    ("ipv4", "an IPv4 address", "192.0.2.1"),
    ("ipv6", "an IPv6 address", "2001:db8::1"),
    ("uri", "an absolute URI", "https://example.com/path"),
    ("uri-reference", "a URI or a relative reference", "/path#part"),
    ("iri", "an absolute IRI", "https://example.com/path"),
    ("iri-reference", "an IRI or a relative reference", "/path#part"),
    ("uri-template", "a URI template", "https://example.com/{id}"),
    ("uuid", "a UUID", "123e4567-e89b-12d3-a456-426614174000"),
    ("json-pointer", "a JSON pointer", "/items/0/name"),
    ("relative-json-pointer", "a relative JSON pointer", "1/name"),
    ("regex", "a regular expression", "^[a-z]+$"),
];

pub(super) fn wording(found: &str, format: &str) -> String {
    match EXAMPLES.iter().find(|(name, ..)| *name == format) {
        Some((_, words, example)) => format!("expected {words} such as \"{example}\", got {found}"),
        None => format!("expected a string in format {}, got {found}", quoted(format)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Schema;
    use accord_json::Meter;
    use serde_json::json;

    #[test]
    fn every_example_is_valid_in_its_own_format() {
        for (name, _, example) in EXAMPLES {
            let draft = "https://json-schema.org/draft/2020-12/schema";
            let schema =
                Schema::compile(&json!({ "$schema": draft, "format": name }), &Meter::default()).unwrap();
            assert!(schema.is_valid(&json!(example)), "{name}: {example}");
        }
    }

    #[test]
    fn a_format_without_an_example_is_named() {
        assert_eq!(wording("\"x\"", "odd"), "expected a string in format 'odd', got \"x\"");
    }
}
