//! Names in code for names in JSON.

use std::collections::HashMap;

/// The longest name. Names of nested types are those of all types around them, one after the other.
const LONGEST: usize = 200;

/// Names that are taken in one scope, with the number that the next one like it gets.
#[derive(Debug, Default)]
pub(crate) struct Names(HashMap<String, usize>);

impl Names {
    pub(crate) fn with(reserved: &[&str]) -> Self {
        Self(reserved.iter().map(|name| ((*name).to_owned(), 2)).collect())
    }

    /// The name itself, or with a number if it is taken.
    pub(crate) fn unique(&mut self, name: &str) -> String {
        let name: String = name.chars().take(LONGEST).collect();
        let Some(next) = self.0.get(&name).copied() else {
            self.0.insert(name.clone(), 2);
            return name;
        };
        let numbered = (next..).map(|number| (number, format!("{name}{number}")));
        let (number, free) =
            numbered.into_iter().find(|(_, each)| !self.0.contains_key(each)).unwrap_or_default();
        self.0.insert(name, number + 1);
        self.0.insert(free.clone(), 2);
        free
    }
}

/// `TicketTriage` for `ticket-triage`.
pub(crate) fn pascal(name: &str) -> String {
    let capitalized = |word: String| {
        let mut letters = word.chars();
        letters
            .next()
            .map_or_else(String::new, |first| first.to_ascii_uppercase().to_string() + letters.as_str())
    };
    identifier(words(name).into_iter().map(capitalized).collect(), "N")
}

/// `ticketTriage` for `ticket-triage`.
pub(crate) fn camel(name: &str) -> String {
    let name = pascal(name);
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| first.to_ascii_lowercase().to_string() + letters.as_str())
}

/// `ticket_triage` for `ticket-triage` and `ticketTriage`.
pub(crate) fn snake(name: &str) -> String {
    identifier(words(name).join("_").to_ascii_lowercase(), "n_")
}

/// An identifier has to start with a letter, and to be something.
fn identifier(name: String, prefix: &str) -> String {
    match name.chars().next() {
        None => "empty".to_owned(),
        Some(first) if first.is_ascii_digit() => format!("{prefix}{name}"),
        Some(_) => name,
    }
}

/// The words of a name: between other characters, and where lower case changes to upper case.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut before: Option<char> = None;
    for character in name.chars() {
        let is_part = character.is_ascii_alphanumeric();
        let starts = before.is_none_or(|before| {
            !before.is_ascii_alphanumeric() || !before.is_ascii_uppercase() && character.is_ascii_uppercase()
        });
        match words.last_mut() {
            Some(word) if is_part && !starts => word.push(character),
            _ if is_part => words.push(character.to_string()),
            _ => {}
        }
        before = Some(character);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_custom_of_the_language() {
        let cases = [
            ("ticket-triage", "TicketTriage", "ticketTriage", "ticket_triage"),
            ("lineItem", "LineItem", "lineItem", "line_item"),
            ("userID", "UserID", "userID", "user_id"),
            ("2nd try", "N2ndTry", "n2ndTry", "n_2nd_try"),
            ("größe", "GrE", "grE", "gr_e"),
            ("$", "empty", "empty", "empty"),
        ];
        for (name, pascal_case, camel_case, snake_case) in cases {
            assert_eq!(
                (pascal(name), camel(name), snake(name)),
                (pascal_case.into(), camel_case.into(), snake_case.into())
            );
        }
    }

    #[test]
    fn a_taken_name_gets_a_number() {
        let mut names = Names::with(&["type"]);
        assert_eq!(["type", "a", "a", "a"].map(|name| names.unique(name)), ["type2", "a", "a2", "a3"]);
    }
}
