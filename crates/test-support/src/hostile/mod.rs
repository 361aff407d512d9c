//! Hostile inputs: deep, wide, long, dense and self-similar, for every language that Accord reads.
//!
//! Every shape belongs to a family. A family is a rule with parameters, and most of them take the parameters from a seed:
//! another seed gives other shapes of the same kind. A name contains the parameters, so the same name always means the
//! same bytes. Each shape fits in one request; large texts are made when they are asked for.

mod cel;
mod growing;
mod json;
mod schema;
mod template;
mod toml;
mod url;
mod yaml;

use std::fmt;
use std::sync::Arc;

pub use cel::conditions;
pub use json::{json_texts, values};
pub use schema::schemas;
pub use template::templates;
pub use toml::settings;
pub use url::{header_texts, url_texts};
pub use yaml::documents;

/// A text that is expensive or dangerous to parse.
#[derive(Clone)]
pub struct Shape {
    pub family: &'static str,
    /// The name shown in reports.
    pub name: String,
    /// For a schema, a value that is costly to validate, as JSON. Some are too deep for a [`serde_json::Value`], which
    /// recurses when it is dropped.
    pub value: String,
    /// Whether it nearly fills a request.
    pub is_large: bool,
    text: Arc<dyn Fn() -> String + Send + Sync>,
}

impl Shape {
    fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        Self::made(name, move || text.clone())
    }

    /// A shape whose text is too large to be kept.
    fn made(name: impl Into<String>, text: impl Fn() -> String + Send + Sync + 'static) -> Self {
        Self { family: "", name: name.into(), value: String::new(), is_large: false, text: Arc::new(text) }
    }

    pub fn text(&self) -> String {
        (self.text)()
    }

    /// The same shape, written in another way.
    #[must_use]
    pub fn map(self, change: impl Fn(String) -> String + Send + Sync + 'static) -> Self {
        let text = Arc::clone(&self.text);
        Self { text: Arc::new(move || change(text())), ..self }
    }
}

impl fmt::Debug for Shape {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.family, self.name)
    }
}

/// Makes these shapes a family.
fn family(family: &'static str, shapes: impl IntoIterator<Item = Shape>) -> Vec<Shape> {
    shapes.into_iter().map(|shape| Shape { family, ..shape }).collect()
}

/// How long the text of a nested shape becomes, unless a single fragment is longer: below the limits on bytes, so that
/// the limits on nesting and work have to hold.
const NESTED_BYTES: usize = 200_000;

/// The most levels of a nested shape.
const MOST_LEVELS: usize = 20_000;

/// How many levels of a fragment fit into [`NESTED_BYTES`].
fn levels_of(fragment_bytes: usize) -> usize {
    (NESTED_BYTES / fragment_bytes.max(1)).clamp(1, MOST_LEVELS)
}

/// Repeats `open`, then the core, then repeats `close` equally often.
fn nested(open: &str, core: &str, close: &str) -> String {
    tower(levels_of(open.len() + close.len()), open, core, close)
}

fn tower(levels: usize, open: &str, core: &str, close: &str) -> String {
    [open.repeat(levels).as_str(), core, close.repeat(levels).as_str()].concat()
}

/// `count` pieces, each made from its index, between `open` and `close`.
fn listed(open: &str, count: usize, piece: impl Fn(usize) -> String, close: &str) -> String {
    let pieces: Vec<String> = (0..count).map(piece).collect();
    [open, pieces.join(",").as_str(), close].concat()
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, HashSet};

    use super::*;

    fn languages(seed: u64) -> Vec<Vec<Shape>> {
        vec![
            templates(),
            conditions(),
            json_texts(seed),
            values(),
            schemas(seed),
            documents(),
            settings(),
            url_texts(),
            header_texts(),
        ]
    }

    #[test]
    fn every_shape_has_a_family_and_a_name_of_its_own() {
        for seed in [1, 2] {
            for shapes in languages(seed) {
                let names: HashSet<&str> = shapes.iter().map(|shape| shape.name.as_str()).collect();
                assert_eq!(names.len(), shapes.len(), "{shapes:?}");
                assert!(shapes.iter().all(|shape| !shape.family.is_empty()));
            }
        }
    }

    #[test]
    fn each_shape_fits_into_one_request() {
        for shape in languages(1).concat() {
            let bytes = shape.text().len() + shape.value.len();
            let most = if shape.name == "over the limit" { 16 } else { 8 } * 1024 * 1024;
            assert!(bytes <= most, "{shape:?}: {bytes}");
        }
    }

    #[test]
    fn a_seed_decides_the_parameters_and_not_the_families() {
        let families = |seed| -> BTreeMap<&str, usize> {
            languages(seed).concat().iter().fold(BTreeMap::new(), |mut families, shape| {
                *families.entry(shape.family).or_default() += 1;
                families
            })
        };
        assert_eq!(families(1), families(2));
        let texts = |seed| growing::schemas(seed).iter().map(Shape::text).collect::<Vec<_>>();
        assert_eq!(texts(3), texts(3));
        assert_ne!(texts(3), texts(4));
    }

    #[test]
    fn generated_schemas_and_texts_are_json() {
        let small = |shape: &Shape| !shape.is_large;
        for shape in [growing::schemas(5), growing::dense(5)].concat().into_iter().filter(small) {
            let is_json = |text: &str| serde_json::from_str::<serde_json::Value>(text).is_ok();
            assert!(is_json(&shape.text()), "{shape:?}");
            assert!(shape.value.is_empty() || is_json(&shape.value), "{shape:?}");
        }
    }
}
