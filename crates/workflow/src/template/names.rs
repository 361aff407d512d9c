//! The filters and tests that a template names. The library finds out about unknown ones only when it comes to them.

use super::ENVIRONMENT;
use super::code::{Piece, is_name, pieces};

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
    pieces(source).iter().flat_map(in_piece).collect()
}

fn in_piece(piece: &Piece<'_>) -> Vec<(What, String)> {
    let words = &piece.words;
    let word = |place: Option<usize>| place.and_then(|place| words.get(place)).map(|(_, word)| *word);
    let mut found = Vec::new();
    for (place, (_, name)) in words.iter().enumerate().filter(|(_, (_, name))| is_name(name)) {
        let before = word(place.checked_sub(1));
        let what = match (before, word(place.checked_sub(2))) {
            (Some("|"), _) => Some(What::Filter),
            (Some("filter"), None) if piece.is_statement => Some(What::Filter),
            (Some("is"), earlier) if earlier != Some(".") && *name != "not" => Some(What::Test),
            (Some("not"), Some("is")) => Some(What::Test),
            _ => None,
        };
        found.extend(what.map(|what| (what, (*name).to_owned())));
    }
    found
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
