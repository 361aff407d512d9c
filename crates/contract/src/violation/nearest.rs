//! Which known name was probably meant.

use strsim::levenshtein;

/// Longer texts are compared by their beginnings only.
const COMPARED_CHARACTERS: usize = 64;

/// How many edits turn one text into the other, over the first characters.
pub(crate) fn distance(left: &str, right: &str) -> usize {
    levenshtein(beginning(left), beginning(right))
}

fn beginning(text: &str) -> &str {
    text.char_indices().nth(COMPARED_CHARACTERS).map_or(text, |(end, _)| &text[..end])
}

/// The given name that means an expected one: equal except for case and separators, or a typo.
pub(crate) fn stand_in<'a>(wanted: &str, found: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let slips = match wanted.chars().count() {
        0..=3 => 0,
        4..=6 => 1,
        _ => 2,
    };
    found
        .filter_map(|name| {
            let edits = if fold(name) == fold(wanted) { 0 } else { distance(wanted, name) };
            (edits <= slips).then_some((edits, name))
        })
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, name)| name)
}

fn fold(name: &str) -> String {
    name.chars().filter(|each| each.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_beginnings_of_long_texts_are_compared() {
        let long = "ä".repeat(100);
        assert_eq!(distance(&long, &format!("{long}b")), 0);
        assert_eq!(distance("", &long), COMPARED_CHARACTERS);
    }

    #[test]
    fn similar_names_differ_by_case_separators_or_a_typo() {
        let found = ["Summary", "file-name", "sevrity", "totally_else"];
        let stand_in = |wanted| stand_in(wanted, found.iter().copied());
        assert_eq!(stand_in("summary"), Some("Summary"));
        assert_eq!(stand_in("fileName"), Some("file-name"));
        assert_eq!(stand_in("severity"), Some("sevrity"));
        assert_eq!(stand_in("approval"), None);
        assert_eq!(super::stand_in("id", ["is", "if"].into_iter()), None);
    }
}
