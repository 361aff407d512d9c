//! Hostile inputs: deep, wide, long and self-similar, for every language that Accord reads.
//!
//! Each input is small enough to be sent in one request and is made by a rule, so that the same name means the same bytes
//! for ever. What a shape costs its reader is not said here: the tests that send them measure that.

mod cel;
mod json;
mod schema;
mod template;
mod toml;
mod url;
mod yaml;

pub use cel::conditions;
pub use json::{json_texts, values};
pub use schema::{SchemaShape, schemas};
pub use template::templates;
pub use toml::settings;
pub use url::{header_texts, url_texts};
pub use yaml::documents;

/// A text made to hurt its reader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    /// What a report calls it.
    pub name: String,
    pub text: String,
}

impl Shape {
    fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { name: name.into(), text: text.into() }
    }
}

/// How long the text of a nested shape becomes, unless a single fragment is longer: below the limits on bytes, so that
/// the limits on nesting and work have to hold.
const NESTED_BYTES: usize = 200_000;

/// The most levels of a nested shape.
const MOST_LEVELS: usize = 20_000;

/// So many levels of a fragment fit into [`NESTED_BYTES`].
fn levels_of(fragment_bytes: usize) -> usize {
    (NESTED_BYTES / fragment_bytes.max(1)).clamp(1, MOST_LEVELS)
}

/// `open` again and again, a core, and as often `close`.
fn nested(open: &str, core: &str, close: &str) -> String {
    let levels = levels_of(open.len() + close.len());
    [open.repeat(levels).as_str(), core, close.repeat(levels).as_str()].concat()
}

/// So many pieces, each made of its number, between `open` and `close`.
fn listed(open: &str, count: usize, piece: impl Fn(usize) -> String, close: &str) -> String {
    let pieces: Vec<String> = (0..count).map(piece).collect();
    [open, pieces.join(",").as_str(), close].concat()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn all() -> Vec<Shape> {
        [templates(), conditions(), json_texts(), documents(), settings(), url_texts(), header_texts()]
            .concat()
    }

    #[test]
    fn names_are_unique_within_a_language() {
        for shapes in
            [templates(), conditions(), json_texts(), values(), documents(), settings(), url_texts()]
        {
            let names: HashSet<&str> = shapes.iter().map(|shape| shape.name.as_str()).collect();
            assert_eq!(names.len(), shapes.len());
        }
    }

    #[test]
    fn each_shape_fits_into_one_request() {
        for shape in all() {
            assert!(shape.text.len() <= 16 * 1024 * 1024, "{}: {}", shape.name, shape.text.len());
        }
        for shape in schemas() {
            let bytes = shape.schema.len() + shape.value.len();
            assert!(bytes <= 8 * 1024 * 1024, "{}: {bytes}", shape.name);
        }
    }

    #[test]
    fn there_are_many_templates() {
        assert!(templates().len() >= 64, "{}", templates().len());
    }
}
