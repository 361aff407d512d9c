//! Keywords that judge the same value under a condition. No provider has them, so they become words. The
//! properties that only they name have to be offered all the same, or a closed object would shut them out.

use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::json_path::JsonPath;
use crate::lower::graph::Demand;
use crate::lower::source::{At, Conjunction, Part, Source};
use crate::schema::walk::{self, Reach};

/// `not` and `if` as demands.
pub(super) fn demands(conjunction: &Conjunction<'_>) -> Vec<Demand> {
    let mut demands = Vec::new();
    for part in &conjunction.parts {
        if let Some(value) = part.get("not") {
            demands.push(Demand { keyword: "not", value: value.clone(), place: part.place.clone() });
        }
        if part.get("if").is_some() && (part.get("then").is_some() || part.get("else").is_some()) {
            let pieces: Map<String, Value> = ["if", "then", "else"]
                .iter()
                .filter_map(|keyword| Some(((*keyword).to_owned(), part.get(keyword)?.clone())))
                .collect();
            demands.push(Demand { keyword: "if", value: Value::Object(pieces), place: part.place.clone() });
        }
    }
    demands
}

/// Whether a condition of this part names properties.
pub(super) fn speaks_of_objects(part: &Part<'_>) -> bool {
    ["if", "then", "else"]
        .iter()
        .filter_map(|keyword| part.get(keyword))
        .any(|schema| schema.get("properties").is_some() || schema.get("required").is_some())
}

/// The properties that conditions name, with their schemas, in order. An `if` only tests, so its
/// schemas are not included.
pub(super) fn properties<'a>(source: &Source<'a>, part: &Part<'a>) -> Vec<(&'a str, Option<At<'a>>)> {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    let mut stack: Vec<(At<'a>, bool)> = Vec::new();
    let conditional = part.get("if").is_some();
    for (keyword, holds) in [("else", true), ("then", true), ("if", false)] {
        stack.extend(part.at(keyword).filter(|_| conditional).map(|at| (at, holds)));
    }
    for keyword in ["dependencies", "dependentSchemas"] {
        let place = part.place.key(keyword);
        let members = part.map(keyword).into_iter().flatten().filter(|(_, schema)| schema.is_object());
        stack.extend(members.map(|(name, schema)| (At { place: place.key(name), schema }, true)));
    }
    while let Some((at, holds)) = stack.pop() {
        if !seen.insert((at.identity(), holds)) {
            continue;
        }
        let opened = source.open(std::slice::from_ref(&at), &[]);
        for part in &opened.parts {
            let place = part.place.key("properties");
            for (name, schema) in part.map("properties").into_iter().flatten() {
                found.push((name.as_str(), holds.then(|| At { place: place.key(name), schema })));
            }
            stack.extend(below(&part.place, part.keywords).into_iter().map(|at| (at, holds)));
        }
    }
    found
}

/// The alternatives and conditions inside a condition.
fn below<'a>(place: &JsonPath, keywords: &'a Map<String, Value>) -> Vec<At<'a>> {
    ["anyOf", "oneOf", "then", "else", "dependentSchemas"]
        .iter()
        .filter_map(|keyword| keywords.get(*keyword).map(|value| (place.key(keyword), value)))
        .flat_map(|(place, value)| match value {
            Value::Array(list) => list
                .iter()
                .enumerate()
                .map(|(index, schema)| At { place: place.index(index), schema })
                .collect(),
            Value::Object(_) if walk::children(value).iter().any(|child| child.reach != Reach::Defined) => {
                vec![At { place, schema: value }]
            }
            _ => Vec::new(),
        })
        .collect()
}
