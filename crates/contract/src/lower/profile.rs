//! What a provider's structured output accepts, as data. `profiles.toml` contains the facts; no
//! code depends on the name of a provider.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

/// The subset of JSON Schema that one provider accepts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// The name that people give: `--for anthropic`.
    pub name: String,
    /// Other names for the same.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// The name in sentences.
    pub title: String,
    /// The short name in the dashboard.
    pub label: String,
    /// Whether reports about a schema include this provider by default.
    #[serde(default)]
    pub common: bool,
    /// What may be at the root.
    pub root: Root,
    /// How objects with free names are given.
    pub maps: Maps,
    /// How arrays with a schema for each position are given.
    pub tuples: Tuples,
    /// How a value of any kind is given.
    pub anything: Anything,
    /// What an `enum` may list.
    pub literals: Literals,
    /// How a property that may be absent is given.
    pub optional: Optional,
    /// What becomes of `$ref`.
    pub references: References,
    /// Whether a schema may contain itself.
    pub recursion: bool,
    /// Whether the model reads the schema, so that a sentence in a description is of use.
    pub sees_descriptions: bool,
    /// Whether prompts show the JSON Schema even if a form with placeholders says all of it. Small models repeat a schema
    /// that they see.
    pub shows_schema: bool,
    /// The values of `format` that are enforced.
    pub formats: Vec<String>,
    /// Regular expressions for formats that are not enforced. Each matches only strings of its format, though not all.
    #[serde(default)]
    pub format_patterns: BTreeMap<String, String>,
    /// Keywords of strings that are accepted.
    pub string_keywords: Vec<String>,
    /// Keywords of integers that are accepted.
    pub integer_keywords: Vec<String>,
    /// Keywords of other numbers that are accepted.
    pub number_keywords: Vec<String>,
    /// Keywords of arrays that are accepted.
    pub array_keywords: Vec<String>,
    /// The largest `minItems` that is accepted; `None` if any is.
    #[serde(default)]
    pub largest_min_items: Option<u64>,
    /// What the name of a property must match; `None` if any name is accepted.
    #[serde(default)]
    pub property_names: Option<String>,
    /// Which regular expressions are accepted.
    pub pattern: Pattern,
    /// Sizes beyond which a schema is refused.
    #[serde(default)]
    pub limits: Limits,
}

/// What may be at the root.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Root {
    /// Only an object that is not a union.
    Object,
    /// Anything.
    Any,
}

/// How objects with free names are given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Maps {
    /// As a list of `{key, value}`.
    Pairs,
    /// As they are, by `additionalProperties`.
    Keep,
}

/// How arrays with a schema for each position are given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tuples {
    /// As an object with the positions as names.
    Object,
    /// As they are, by a list in `items`.
    Items,
}

/// How a value of any kind is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Anything {
    /// As a string that holds JSON.
    Text,
    /// As it is, by the empty schema.
    Keep,
}

/// What an `enum` may list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Literals {
    /// Strings, numbers, booleans and null.
    Scalar,
    /// Objects and arrays too.
    Any,
}

/// How a property that may be absent is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Optional {
    /// By leaving it out of `required`.
    Keep,
    /// As required, with null in its place.
    Nullable,
    /// By leaving it out of `required` up to the limit, and as null beyond it.
    WithinLimits,
}

/// What becomes of `$ref`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum References {
    /// It stays, with its target under `$defs`.
    Keep,
    /// Its target is written in its place.
    Inline,
}

/// Which regular expressions are accepted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pattern {
    /// Only those that begin with `^` and end with `$`, in every alternative.
    pub anchored: bool,
    /// Pieces of syntax that are not accepted.
    pub forbidden: Vec<String>,
}

impl Pattern {
    /// Whether a regular expression is accepted.
    pub fn accepts(&self, pattern: &str) -> bool {
        let anchored = pattern.starts_with('^')
            && pattern.ends_with('$')
            && !pattern.ends_with("\\$")
            && !has_alternatives(pattern);
        (anchored || !self.anchored) && !self.forbidden.iter().any(|piece| pattern.contains(piece.as_str()))
    }
}

/// Whether a `|` is outside of all groups: `^a|b$` begins with `a`, or ends with `b`.
fn has_alternatives(pattern: &str) -> bool {
    let (mut depth, mut class) = (0_usize, false);
    let mut letters = pattern.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => {
                letters.next();
            }
            '[' => class = true,
            ']' => class = false,
            _ if class => {}
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            '|' if depth == 0 => return true,
            _ => {}
        }
    }
    false
}

/// Sizes beyond which a schema is refused; `None` if the provider names none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Properties in all.
    pub properties: Option<u64>,
    /// Levels of objects inside objects.
    pub depth: Option<u64>,
    /// Enum values in all.
    pub enum_values: Option<u64>,
    /// Characters of names and enum values in all.
    pub characters: Option<u64>,
    /// From how many values on an enum of strings is held to `long_enum_characters`.
    pub long_enum_values: Option<u64>,
    /// Characters of one long enum of strings.
    pub long_enum_characters: Option<u64>,
    /// Properties that may be absent, counted after expansion.
    pub optional: Option<u64>,
    /// Unions, counted after expansion.
    pub unions: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    profile: Vec<Profile>,
}

#[expect(clippy::expect_used, reason = "the file is part of the program, and a test reads it")]
static PROFILES: LazyLock<Vec<Profile>> = LazyLock::new(|| {
    toml::from_str::<File>(include_str!("profiles.toml")).expect("profiles.toml is valid").profile
});

impl Profile {
    /// The profile with this name or alias.
    pub fn named(name: &str) -> Option<&'static Self> {
        Self::all()
            .iter()
            .find(|profile| profile.name == name || profile.aliases.iter().any(|alias| alias == name))
    }

    /// Every profile.
    pub fn all() -> &'static [Self] {
        &PROFILES
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use accord_json::Meter;

    #[test]
    fn the_file_is_read_whole() {
        let file: File = toml::from_str(include_str!("profiles.toml")).unwrap();
        let names: Vec<&str> = file.profile.iter().map(|profile| profile.name.as_str()).collect();
        let expected = [
            "openai",
            "anthropic",
            "ollama",
            "claude-code",
            "gemini",
            "bedrock",
            "mistral",
            "cohere",
            "deepseek",
            "vllm",
        ];
        assert_eq!(names, expected);
        assert_eq!(Profile::all(), file.profile);
    }

    #[test]
    fn aliases_lead_to_the_same_profile() {
        assert_eq!(Profile::named("llama.cpp"), Profile::named("ollama"));
        assert!(Profile::named("ollama").is_some());
        assert_eq!(Profile::named("nobody"), None);
    }

    #[test]
    fn a_profile_that_inlines_does_not_change_shapes() {
        // Where recursion is cut short, the rest is left as any value: lifting must have nothing to do there.
        for profile in Profile::all().iter().filter(|profile| profile.references == References::Inline) {
            assert_eq!(profile.maps, Maps::Keep);
            assert_eq!(profile.tuples, Tuples::Items);
            assert_eq!(profile.anything, Anything::Keep);
            assert_eq!(profile.literals, Literals::Any);
            assert_eq!(profile.optional, Optional::Keep);
            assert_eq!(profile.property_names, None);
        }
    }

    #[test]
    fn patterns_of_formats_match_only_strings_of_the_format() {
        let mut runner = proptest::test_runner::TestRunner::default();
        for (format, pattern) in Profile::all().iter().flat_map(|profile| &profile.format_patterns) {
            assert!(Profile::all().iter().all(|profile| profile.pattern.accepts(pattern)), "{format}");
            let schema = serde_json::json!({"type": "string", "format": format});
            let schema = crate::Schema::compile(&schema, &Meter::default()).unwrap();
            let strings = proptest::string::string_regex(pattern.trim_matches(['^', '$'])).unwrap();
            let conforms = |text: String| {
                proptest::prop_assert!(schema.is_valid(&text.into()));
                Ok(())
            };
            runner.run(&strings, conforms).unwrap_or_else(|error| panic!("{format}: {error}"));
        }
    }

    #[test]
    fn a_pattern_that_must_be_anchored_is() {
        let pattern = Pattern { anchored: true, forbidden: vec!["(?".to_owned()] };
        assert!(pattern.accepts("^a+$"));
        assert!(!pattern.accepts("a+$"));
        assert!(!pattern.accepts("^a\\$"));
        assert!(!pattern.accepts("^(?:a)$"));
        assert!(!pattern.accepts("^a|b$"));
        assert!(pattern.accepts("^(a|b)[|]\\|$"));
    }
}
