//! The code in a template, word by word.

/// One piece of code: what stands between `{{` and `}}`, or between `{%` and `%}`.
#[derive(Debug)]
pub(super) struct Piece<'a> {
    /// Whether it is a statement and not an expression.
    pub(super) is_statement: bool,
    /// Its names, signs and quoted texts, each with its place in the source.
    pub(super) words: Vec<(usize, &'a str)>,
}

/// The pieces of code of a template that can be read. Comments and raw parts have none.
pub(super) fn pieces(source: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = source;
    while let Some(start) = rest.find('{') {
        let opened = rest.get(start..).unwrap_or_default();
        rest = opened.get(1..).unwrap_or_default();
        if let Some(comment) = opened.strip_prefix("{#") {
            rest = comment.split_once("#}").map_or("", |(_, rest)| rest);
        } else if let Some(code) = opened.strip_prefix("{{").or_else(|| opened.strip_prefix("{%")) {
            let (words, behind) = words(code, source.len() - code.len());
            rest = behind;
            if words.first().is_some_and(|(_, word)| *word == "raw") {
                rest = rest.split_once("endraw").map_or("", |(_, rest)| rest);
            }
            pieces.push(Piece { is_statement: opened.starts_with("{%"), words });
        }
    }
    pieces
}

pub(super) fn is_name(word: &str) -> bool {
    word.starts_with(|first: char| first.is_alphabetic() || first == '_')
}

/// The words up to the end of an expression or statement, and what stands behind it.
fn words(code: &str, place: usize) -> (Vec<(usize, &str)>, &str) {
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
            words.push((place + code.len() - rest.len(), word));
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
