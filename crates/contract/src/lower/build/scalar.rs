//! Values without parts: listed values, and the keywords of strings and numbers.

use std::collections::HashSet;

use serde_json::Value;

use super::Builder;
use super::types::{Types, types_of};
use crate::lower::graph::{Demand, Shape};
use crate::lower::kinds::{Kinds, fingerprint};
use crate::lower::profile::Literals;
use crate::lower::source::{Conjunction, Part};

const STRING: &[&str] = &["minLength", "maxLength", "pattern", "format"];
const NUMBER: &[&str] = &["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];

impl<'a> Builder<'a> {
    /// The shape of a place whose values are listed. The list says all there is to say.
    pub(super) fn literals(&self, conjunction: &Conjunction<'a>) -> Option<Shape> {
        let mut lists = conjunction.parts.iter().flat_map(listed);
        let mut seen = HashSet::new();
        let mut values: Vec<Value> = lists.next()?.to_vec();
        values.retain(|value| seen.insert(fingerprint(value)));
        for list in lists {
            let allowed: HashSet<String> = list.iter().map(fingerprint).collect();
            values.retain(|value| allowed.contains(&fingerprint(value)));
        }
        if let Types::Given(types) = types_of(&conjunction.parts) {
            values.retain(|value| types.iter().any(|name| has_type(value, name)));
        }
        if values.is_empty() {
            return Some(Shape::Never);
        }
        let composite = values.iter().any(|value| value.is_object() || value.is_array());
        if composite && self.profile.literals == Literals::Scalar {
            return Some(Shape::Literals { values });
        }
        Some(Shape::Scalar { types: type_names(&values), values: Some(values) })
    }
}

fn listed<'a>(part: &Part<'a>) -> Vec<&'a [Value]> {
    let constant = part.get("const").map(std::slice::from_ref);
    let enumeration = part.list("enum").map(Vec::as_slice);
    constant.into_iter().chain(enumeration).collect()
}

pub(crate) fn has_type(value: &Value, name: &str) -> bool {
    match (name, value) {
        ("integer", Value::Number(number)) => is_whole(number),
        _ => Kinds::of(value).meets(Kinds::of_type(name)),
    }
}

fn is_whole(number: &serde_json::Number) -> bool {
    number.is_i64() || number.is_u64() || number.as_f64().is_some_and(|float| float.fract() == 0.0)
}

/// The names of the types of these values, each once.
pub(in crate::lower) fn type_names(values: &[Value]) -> Vec<&'static str> {
    let mut names: Vec<&'static str> = Vec::new();
    let whole = values.iter().all(|value| match value {
        Value::Number(number) => is_whole(number),
        _ => true,
    });
    for value in values {
        let name = match value {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(_) if whole => "integer",
            Value::Number(_) => "number",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        };
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// What strings and numbers of these types are held to.
pub(super) fn demands(parts: &[Part<'_>], kinds: Kinds) -> Vec<Demand> {
    let mut demands = Vec::new();
    if kinds.meets(Kinds::STRING) {
        collect(parts, STRING, &mut demands);
        demands.retain(|demand| {
            demand.keyword != "format"
                || !demand
                    .value
                    .as_str()
                    .is_some_and(|name| crate::schema::ANNOTATION_FORMATS.contains(&name))
        });
    }
    if kinds.meets(Kinds::NUMBER) {
        collect(parts, NUMBER, &mut demands);
    }
    demands
}

/// One demand for each keyword that some part has: the tighter bound, or each of several that differ.
pub(super) fn collect(parts: &[Part<'_>], keywords: &[&'static str], demands: &mut Vec<Demand>) {
    for keyword in keywords {
        for part in parts {
            let Some(value) = part.get(keyword) else { continue };
            let known = demands.iter_mut().find(|demand| demand.keyword == *keyword);
            match known {
                Some(demand) if demand.value == *value => {}
                Some(demand) if is_bound(keyword) => {
                    if is_tighter(keyword, value, &demand.value) {
                        *demand = Demand { keyword, value: value.clone(), place: part.place.clone() };
                    }
                }
                _ => demands.push(Demand { keyword, value: value.clone(), place: part.place.clone() }),
            }
        }
    }
}

fn is_bound(keyword: &str) -> bool {
    keyword.starts_with("min") || keyword.starts_with("max") || keyword.starts_with("exclusive")
}

fn is_tighter(keyword: &str, value: &Value, than: &Value) -> bool {
    let (Some(value), Some(than)) = (value.as_f64(), than.as_f64()) else { return false };
    if keyword.starts_with("min") || keyword == "exclusiveMinimum" { value > than } else { value < than }
}
