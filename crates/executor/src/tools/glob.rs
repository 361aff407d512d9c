//! File names by pattern: `*` and `?` within a name, `**` across folders.
//!
//! A pattern without a slash is compared with the last name of a path, one with a slash with the whole path, as people
//! know it from `.gitignore`. Braces and brackets have no special meaning: they are rare in patterns and common in names.

use regex::Regex;

use super::folder::Refusal;

/// Longer patterns are mistakes.
const MAX_PATTERN_BYTES: usize = 500;

pub(super) struct Glob {
    regex: Regex,
    whole_path: bool,
}

impl Glob {
    pub(super) fn new(pattern: &str) -> Result<Self, Refusal> {
        if pattern.len() > MAX_PATTERN_BYTES {
            return Err(Refusal(format!("the file pattern is longer than {MAX_PATTERN_BYTES} bytes")));
        }
        let whole_path = pattern.contains('/');
        let text = expression(pattern.trim_start_matches("./").trim_start_matches('/'));
        let regex = Regex::new(&text)
            .map_err(|error| Refusal(format!("invalid file pattern '{pattern}': {error}")))?;
        Ok(Self { regex, whole_path })
    }

    /// Whether a path, as the tools write it, fits.
    pub(super) fn matches(&self, path: &str) -> bool {
        let subject = if self.whole_path { path } else { path.rsplit('/').next().unwrap_or(path) };
        self.regex.is_match(subject)
    }
}

fn expression(pattern: &str) -> String {
    let mut text = String::from("(?s)^");
    let mut rest = pattern;
    while let Some(first) = rest.chars().next() {
        let (part, length) = if rest.starts_with("**/") {
            ("(?:.*/)?".to_owned(), 3)
        } else if rest.starts_with("**") {
            (".*".to_owned(), 2)
        } else if first == '*' {
            ("[^/]*".to_owned(), 1)
        } else if first == '?' {
            ("[^/]".to_owned(), 1)
        } else {
            (regex::escape(first.encode_utf8(&mut [0; 4])), first.len_utf8())
        };
        text.push_str(&part);
        rest = rest.get(length..).unwrap_or_default();
    }
    text.push('$');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_fit_as_people_expect() {
        for (pattern, path, fits) in [
            ("*.rs", "src/lib.rs", true),
            ("*.rs", "src/lib.rst", false),
            ("src/*.rs", "src/lib.rs", true),
            ("src/*.rs", "src/a/lib.rs", false),
            ("src/**/*.rs", "src/a/b/lib.rs", true),
            ("src/**/*.rs", "src/lib.rs", true),
            ("**/test_?.py", "test_a.py", true),
            ("./src/**", "src/a/b", true),
            ("a[1].txt", "a[1].txt", true),
            ("a.txt", "abtxt", false),
        ] {
            assert_eq!(Glob::new(pattern).unwrap().matches(path), fits, "{pattern} {path}");
        }
    }

    #[test]
    fn a_pattern_of_stars_costs_nothing() {
        let glob = Glob::new(&"*a".repeat(200)).unwrap();
        assert!(!glob.matches(&"a".repeat(190)));
        assert_eq!(Glob::new(&"*".repeat(501)).err().unwrap().0, "the file pattern is longer than 500 bytes");
    }
}
