//! The filters and tests that a template names. The library finds out about unknown ones only when it comes to them.

use super::ENVIRONMENT;

/// Names of filters or tests that there are not, in words.
pub(super) fn unknown(source: &str) -> Vec<String> {
    let mut unknown = Vec::new();
    for (what, name) in named(source) {
        let known =
            ENVIRONMENT.compile_expression(what.question()).and_then(|question| question.eval(asked(&name)));
        if known.is_ok_and(|known| !known.is_true()) {
            unknown.push(format!("there is no {} '{name}'", what.word()));
        }
    }
    unknown
}

fn asked(name: &str) -> minijinja::Value {
    minijinja::Value::from_pairs([("name", name)])
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    Filter,
    Test,
}

impl What {
    fn question(self) -> &'static str {
        match self {
            Self::Filter => "name is filter",
            Self::Test => "name is test",
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Filter => "filter",
            Self::Test => "test",
        }
    }
}

/// The filters and tests in the expressions and statements of a template that can be read.
fn named(source: &str) -> Vec<(What, String)> {
    let mut found = Vec::new();
    let mut rest = source;
    while let Some(start) = rest.find('{') {
        let opened = rest.get(start..).unwrap_or_default();
        rest = opened.get(1..).unwrap_or_default();
        if let Some(comment) = opened.strip_prefix("{#") {
            rest = comment.split_once("#}").map_or("", |(_, rest)| rest);
        } else if let Some(code) = opened.strip_prefix("{{").or_else(|| opened.strip_prefix("{%")) {
            let (words, behind) = words(code);
            rest = behind;
            if words.first().is_some_and(|word| word == "raw") {
                rest = rest.split_once("endraw").map_or("", |(_, rest)| rest);
            }
            found.extend(in_words(&words, opened.starts_with("{%")));
        }
    }
    found
}

fn in_words(words: &[String], statement: bool) -> Vec<(What, String)> {
    let word = |place: Option<usize>| place.and_then(|place| words.get(place)).map(String::as_str);
    let mut found = Vec::new();
    for (place, name) in words.iter().enumerate().filter(|(_, name)| is_name(name)) {
        let before = word(place.checked_sub(1));
        let what = match (before, word(place.checked_sub(2))) {
            (Some("|"), _) => Some(What::Filter),
            (Some("filter"), None) if statement => Some(What::Filter),
            (Some("is"), earlier) if earlier != Some(".") && name != "not" => Some(What::Test),
            (Some("not"), Some("is")) => Some(What::Test),
            _ => None,
        };
        found.extend(what.map(|what| (what, name.clone())));
    }
    found
}

fn is_name(word: &str) -> bool {
    word.starts_with(|first: char| first.is_alphabetic() || first == '_')
}

/// The names and signs up to the end of an expression or statement, texts as one quote, and what stands behind it.
fn words(code: &str) -> (Vec<String>, &str) {
    let mut words = Vec::new();
    let mut rest = code.trim_start_matches(['-', '+']);
    while let Some(first) = rest.chars().next() {
        if let Some(behind) = rest.strip_prefix("}}").or_else(|| rest.strip_prefix("%}")) {
            return (words, behind);
        }
        let length = match first {
            '\'' | '"' => quoted(rest, first),
            _ if is_name(rest) => {
                rest.find(|each: char| !each.is_alphanumeric() && each != '_').unwrap_or(rest.len())
            }
            _ => first.len_utf8(),
        };
        let word = rest.get(..length).unwrap_or_default();
        if !first.is_whitespace() {
            words.push(if matches!(first, '\'' | '"') { first.to_string() } else { word.to_owned() });
        }
        rest = rest.get(length..).unwrap_or_default();
    }
    (words, rest)
}

/// How long a text in quotes is.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (place, each) in text.char_indices().skip(1) {
        match each {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if each == quote => return place + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_names_are_found_and_others_are_not() {
        let fine = "{{ a | upper | default('x | y') }} {% filter lower %}x{% endfilter %} {# x | z #} a | b \
                    {{ a is defined and b is not none }} {% raw %}{{ a | nothing }}{% endraw %} {{ {'a': 1} | length }}";
        assert_eq!(unknown(fine), [""; 0]);
        let wrong = "{{ a|lenght }} {% if a is notest or a is not  nothing %}{% filter louder %}{% endfilter %}{% endif %}";
        let expected = [
            "there is no filter 'lenght'",
            "there is no test 'notest'",
            "there is no test 'nothing'",
            "there is no filter 'louder'",
        ];
        assert_eq!(unknown(wrong), expected);
    }
}
