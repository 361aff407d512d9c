//! Keywords beyond shape: written where the profile accepts them, said in words where not.

use serde_json::{Map, Value};

use super::Emitter;
use crate::lower::graph::{Demand, Node, Shape};
use crate::lower::kinds::Kinds;
use crate::lower::loss::{EnforcedBy, Loss};
use crate::lower::names::RENAMED;
use crate::lower::profile::Maps;
use crate::lower::sentences;

impl Emitter<'_> {
    /// Adds the demands and the description of a node to its schema.
    pub(super) fn describe(&mut self, node: &Node, mut schema: Map<String, Value>) -> Value {
        let mut sentences: Vec<String> = node.description.clone().into_iter().collect();
        // What the shape itself has to say, such as that a string holds JSON.
        let own = schema.remove("description").and_then(|text| text.as_str().map(str::to_owned));
        sentences.extend(own.filter(|own| !sentences.contains(own)));
        for demand in &node.demands {
            match self.accepted(node, demand) {
                Some((keyword, value)) if !schema.contains_key(keyword) => {
                    let exact = value == demand.value;
                    schema.insert(keyword.to_owned(), value);
                    if !exact {
                        self.put_into_words(demand, &mut sentences);
                    }
                }
                _ => self.put_into_words(demand, &mut sentences),
            }
        }
        // Some providers refuse siblings of a reference.
        if schema.contains_key("$ref") {
            return Value::Object(schema);
        }
        if let Some(title) = &node.title {
            schema.insert("title".to_owned(), Value::from(title.as_str()));
        }
        if !sentences.is_empty() {
            schema.insert("description".to_owned(), Value::from(join(&sentences)));
        }
        Value::Object(schema)
    }

    /// The keyword and value by which the profile can enforce a demand, or come close.
    fn accepted(&self, node: &Node, demand: &Demand) -> Option<(&'static str, Value)> {
        let profile = self.profile();
        let has = |list: &[String], keyword: &str| list.iter().any(|each| each == keyword);
        let keyword = demand.keyword;
        let accepted = match (&node.shape, keyword) {
            (Shape::Scalar { .. }, "pattern") => {
                has(&profile.string_keywords, keyword) && profile.pattern.accepts(demand.value.as_str()?)
            }
            (Shape::Scalar { .. }, "format") => {
                let format = demand.value.as_str()?;
                let has_pattern = node.demands.iter().any(|other| other.keyword == "pattern");
                if let Some(pattern) = profile.format_patterns.get(format).filter(|_| !has_pattern) {
                    return Some(("pattern", Value::from(pattern.as_str())));
                }
                has(&profile.string_keywords, keyword) && has(&profile.formats, format)
            }
            (Shape::Scalar { .. }, "minLength" | "maxLength") => has(&profile.string_keywords, keyword),
            (
                Shape::Scalar { types, .. },
                "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf",
            ) => {
                let numbers: Vec<_> =
                    types.iter().filter(|name| Kinds::of_type(name).meets(Kinds::NUMBER)).collect();
                let whole = numbers.iter().all(|name| **name == "integer");
                has(if whole { &profile.integer_keywords } else { &profile.number_keywords }, keyword)
            }
            (Shape::List { .. }, "minItems" | "maxItems") => return self.length(keyword, &demand.value),
            (Shape::Map { .. }, "minProperties") if profile.maps == Maps::Pairs => {
                return self.length("minItems", &demand.value);
            }
            (Shape::Map { .. }, "maxProperties") if profile.maps == Maps::Pairs => {
                return self.length("maxItems", &demand.value);
            }
            _ => false,
        };
        accepted.then(|| (keyword, demand.value.clone()))
    }

    fn length(&self, keyword: &'static str, value: &Value) -> Option<(&'static str, Value)> {
        let profile = self.profile();
        let known = profile.array_keywords.iter().any(|each| each == keyword);
        let value = match profile.largest_min_items {
            Some(most) if keyword == "minItems" && value.as_f64()? > most as f64 => Value::from(most),
            _ => value.clone(),
        };
        known.then_some((keyword, value))
    }

    pub(super) fn put_into_words(&mut self, demand: &Demand, sentences: &mut Vec<String>) {
        let words = sentences::sentence(demand).filter(|_| self.profile().sees_descriptions);
        let enforced_by = if words.is_some() { EnforcedBy::Prompt } else { EnforcedBy::Validator };
        sentences.extend(words);
        // A new name is not a loss: lifting restores the old one.
        if demand.keyword != RENAMED {
            self.losses.push(Loss {
                pointer: demand.place.pointer(),
                keyword: demand.keyword.to_owned(),
                enforced_by,
                detail: None,
            });
        }
    }
}

/// One text of several sentences.
fn join(sentences: &[String]) -> String {
    let mut text = String::new();
    for sentence in sentences.iter().map(|sentence| sentence.trim_end()).filter(|each| !each.is_empty()) {
        if !text.is_empty() {
            text.push_str(if text.ends_with(['.', '!', '?', ':']) { " " } else { ". " });
        }
        text.push_str(sentence);
    }
    text
}
