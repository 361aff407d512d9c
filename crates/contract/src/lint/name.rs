//! What the names of properties give away: a verdict that is asked for before its reasons, and a plain string
//! where the name promises one of a few words, or a known form.

use serde_json::{Map, Value};

use super::Finding;
use super::at::At;

pub(super) fn check(at: &At<'_>, findings: &mut Vec<Finding>) {
    let Some(Value::Object(properties)) = at.get("properties") else { return };
    verdicts(at, properties, findings);
    for (name, property) in properties {
        bare_string(at, name, property, findings);
    }
}

const REASONS: &[&str] = &[
    "reason",
    "reasons",
    "reasoning",
    "rationale",
    "explanation",
    "explanations",
    "evidence",
    "justification",
    "analysis",
    "thinking",
    "thoughts",
    "chain_of_thought",
    "steps",
    "argument",
    "arguments",
];

const VERDICTS: &[&str] = &[
    "verdict",
    "approval",
    "approved",
    "decision",
    "score",
    "rating",
    "grade",
    "severity",
    "valid",
    "answer",
    "label",
    "category",
    "classification",
    "class",
    "outcome",
    "result",
    "conclusion",
    "recommendation",
    "pass",
    "passed",
    "accepted",
    "rejected",
    "sentiment",
    "confidence",
    "risk",
    "priority",
];

/// A model writes in order: what it decides first, it justifies afterwards.
fn verdicts(at: &At<'_>, properties: &Map<String, Value>, findings: &mut Vec<Finding>) {
    let names: Vec<(&String, Vec<String>)> = properties.keys().map(|name| (name, name_words(name))).collect();
    let speaks =
        |words: &[String], list: &[&str]| words.last().is_some_and(|last| list.contains(&last.as_str()));
    let is_reason =
        |words: &[String]| speaks(words, REASONS) || words.first().is_some_and(|first| first == "why");
    for (index, (name, words)) in names.iter().enumerate() {
        let flag =
            words.first().is_some_and(|first| matches!(first.as_str(), "is" | "has" | "should" | "can"));
        let verdict = (speaks(words, VERDICTS) || flag) && properties.get(*name).is_some_and(is_choice);
        if !verdict || is_reason(words) {
            continue;
        }
        if let Some((reason, _)) = names.iter().skip(index + 1).find(|(_, words)| is_reason(words)) {
            let message = format!(
                "'{name}' comes before '{reason}', so the model decides before it reasons; move '{reason}' before '{name}'"
            );
            let place = at.place.key("properties").key(name);
            findings.push(Finding::warning("verdict-before-reason", &place, message));
        }
    }
}

/// Whether a property takes one of a few values, as verdicts do.
fn is_choice(property: &Value) -> bool {
    let one_of = |name: &Value| matches!(name.as_str(), Some("boolean" | "integer" | "number" | "string"));
    property.get("enum").is_some()
        || property.get("const").is_some()
        || property.get("$ref").is_some()
        || match property.get("type") {
            Some(Value::Array(names)) => names.iter().any(one_of),
            Some(name) => one_of(name),
            None => property.get("anyOf").is_some() || property.get("oneOf").is_some(),
        }
}

/// Last words of names, and what to say instead of a plain string.
const MEANT: &[(&[&str], bool, &str)] = &[
    (
        &[
            "status",
            "state",
            "severity",
            "level",
            "priority",
            "type",
            "kind",
            "category",
            "mode",
            "role",
            "sentiment",
        ],
        true,
        "list the allowed values in an 'enum'",
    ),
    (&["verdict", "decision", "grade", "classification"], true, "list the allowed values in an 'enum'"),
    (&["currency"], true, "use \"pattern\": \"^[A-Z]{3}$\", or an 'enum' of the currencies in use"),
    (&["country"], true, "use \"pattern\": \"^[A-Z]{2}$\", or an 'enum' of the countries in use"),
    (&["language", "locale"], true, "use \"pattern\": \"^[a-z]{2}(-[A-Z]{2})?$\", or an 'enum'"),
    (&["email", "mail"], false, "use \"format\": \"email\""),
    (&["url", "uri", "link", "href", "website", "homepage"], false, "use \"format\": \"uri\""),
    (&["date", "day", "birthday", "deadline"], false, "use \"format\": \"date\""),
    (&["datetime", "timestamp"], false, "use \"format\": \"date-time\""),
    (&["time"], false, "use \"format\": \"time\", or \"date-time\""),
    (&["duration"], false, "use \"format\": \"duration\", or a number with its unit in the name"),
    (&["uuid", "guid"], false, "use \"format\": \"uuid\""),
    (&["id"], false, "use a 'pattern' or \"format\": \"uuid\", so that invented ids are rejected"),
    (&["phone", "telephone", "mobile", "fax"], false, "use \"pattern\": \"^\\\\+[1-9][0-9]{1,14}$\""),
    (
        &["version"],
        false,
        "use \"pattern\": \"^[0-9]+\\\\.[0-9]+\\\\.[0-9]+$\", or the format of your versions",
    ),
    (&["ip", "ipv4"], false, "use \"format\": \"ipv4\" or \"ipv6\""),
    (&["zip", "zipcode", "postcode"], false, "use a 'pattern' for the postal code"),
    (&["hostname", "domain"], false, "use \"format\": \"hostname\""),
    (&["color", "colour"], false, "use \"pattern\": \"^#[0-9a-f]{6}$\", or an 'enum'"),
];

fn bare_string(at: &At<'_>, name: &str, property: &Value, findings: &mut Vec<Finding>) {
    let Some(keywords) = property.as_object() else { return };
    let string = match keywords.get("type") {
        Some(Value::String(name)) => name == "string",
        Some(Value::Array(names)) => {
            names.contains(&Value::from("string"))
                && names.iter().all(|name| name == "string" || name == "null")
        }
        _ => false,
    };
    let bare = ["enum", "const", "pattern", "format", "anyOf", "oneOf", "allOf", "$ref", "not", "if"]
        .iter()
        .all(|keyword| !keywords.contains_key(*keyword));
    if !string || !bare {
        return;
    }
    if let Some((choice, advice)) = meant(name) {
        let message =
            format!("'{name}' accepts any string, although its name suggests fewer values; {advice}");
        let place = at.place.key("properties").key(name);
        let finding = if choice { Finding::warning } else { Finding::info };
        findings.push(finding("bare-string", &place, message));
    }
}

fn meant(name: &str) -> Option<(bool, &'static str)> {
    let words = name_words(name);
    let (last, before) = words.split_last()?;
    if last == "at" && !before.is_empty() {
        return Some((false, "use \"format\": \"date-time\""));
    }
    // `country_code` is a country, `status_code` a status.
    let key = match before.last() {
        Some(word) if last == "code" => word,
        _ => last,
    };
    MEANT
        .iter()
        .find(|(names, ..)| names.contains(&key.as_str()))
        .map(|(_, choice, advice)| (*choice, *advice))
}

/// The words of a name, however it is spelled: `createdAt`, `created_at`, `created-at`.
fn name_words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    let mut lower = false;
    for each in name.chars() {
        if !each.is_alphanumeric() {
            words.push(String::new());
        } else {
            if each.is_uppercase() && lower {
                words.push(String::new());
            }
            if let Some(word) = words.last_mut() {
                word.extend(each.to_lowercase());
            }
        }
        lower = each.is_lowercase() || each.is_numeric();
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_word_by_word() {
        assert_eq!(name_words("createdAt"), ["created", "at"]);
        assert_eq!(name_words("is-valid"), ["is", "valid"]);
        assert_eq!(name_words("userID"), ["user", "id"]);
        assert!(meant("created_at").is_some());
        assert!(meant("countryCode").is_some());
        assert!(meant("at").is_none());
        assert!(meant("flat").is_none());
        assert!(meant("prototype").is_none());
    }
}
