//! Small texts that become large: schemas whose followed form grows with a power of their size, and JSON whose values take
//! many times the memory of their text.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::json::deep;
use super::schema::{named, reference};
use super::{Shape, family, tower};
use crate::model::Random;

/// A number of this range, both ends included.
fn between(random: &mut Random, least: usize, most: usize) -> usize {
    least + random.below(most - least + 1)
}

pub(super) fn schemas(seed: u64) -> Vec<Shape> {
    let mut random = Random::keyed(&[seed, 1]);
    [
        family("schema: nested arrays", nested_arrays(&mut random)),
        family("schema: alternatives", alternatives(&mut random)),
        family("schema: recursion", recursions(&mut random)),
        family("schema: chains", chains(&mut random)),
        family("schema: fans", fans(&mut random)),
    ]
    .concat()
}

fn leaf(random: &mut Random) -> Value {
    let leaves = [
        json!({"type": "string"}),
        json!({"type": "object", "required": ["a"], "properties": {"a": {"type": "integer"}}}),
        json!({"enum": ["a", "b", "c"]}),
        json!({"type": "string", "minLength": 9, "description": "nine letters or more"}),
    ];
    random.pick(&leaves).cloned().unwrap_or_default()
}

/// Arrays that must have several items, in each other: an example of a conforming value grows with a power of the depth.
fn nested_arrays(random: &mut Random) -> Vec<Shape> {
    type Wrap = fn(Value, usize) -> Value;
    let wraps: [(&str, Wrap); 5] = [
        ("items", |inner, least| json!({"type": "array", "minItems": least, "items": inner})),
        (
            "tuples",
            |inner, least| json!({"type": "array", "minItems": least, "prefixItems": vec![inner.clone(); 1], "items": inner}),
        ),
        ("contains", |inner, least| json!({"type": "array", "minContains": least, "contains": inner})),
        ("in objects", |inner, least| {
            let items = json!({"type": "array", "minItems": least, "items": inner});
            json!({"type": "object", "required": ["a"], "properties": {"a": items}})
        }),
        (
            "or null",
            |inner, least| json!({"anyOf": [{"type": "array", "minItems": least, "items": inner}, {"type": "null"}]}),
        ),
    ];
    let make = |(name, wrap): (&str, Wrap)| {
        let least = between(random, 2, 4);
        // A tuple contains the inner level twice, as text too.
        let levels = if name == "tuples" { between(random, 8, 12) } else { between(random, 13, 20) };
        let schema = (0..levels).fold(leaf(random), |inner, _| wrap(inner, least));
        let value = deep(levels, |inner| json!([inner]));
        named(&format!("{levels} levels of {least} {name}"), schema, value)
    };
    wraps.map(make).into()
}

/// Levels of alternatives with three objects each.
fn alternatives(random: &mut Random) -> Vec<Shape> {
    let mut shapes = Vec::new();
    for keyword in ["anyOf", "oneOf", "allOf"] {
        for link in ["in one", "in each by reference", "in each as a property"] {
            let (levels, width) = (between(random, 8, 16), between(random, 3, 4));
            let object = |name: String, more: Value| {
                let properties = json!({name.as_str(): {"type": "string"}, "next": more});
                json!({"type": "object", "required": [name], "properties": properties})
            };
            let branches = |next: Value| -> Value {
                let branch = |number: usize| match link {
                    "in one" if number == 0 => object("k0".to_owned(), next.clone()),
                    "in one" => object(format!("k{number}"), json!({"type": "string"})),
                    "in each by reference" => {
                        json!({"type": "object", "required": [format!("k{number}")], "allOf": [next]})
                    }
                    _ => object(format!("k{number}"), next.clone()),
                };
                json!({keyword: (0..width).map(branch).collect::<Value>()})
            };
            let schema = if link == "in one" {
                (0..levels).fold(leaf(random), |inner, _| branches(inner))
            } else {
                linked(levels, leaf(random), branches)
            };
            let value = deep(levels, |inner| json!({"k0": "a", "next": inner}));
            shapes.push(named(&format!("{levels} levels of {width} {keyword}, {link}"), schema, value));
        }
    }
    shapes
}

/// A chain of definitions, each made of a reference to the next.
fn linked(count: usize, end: Value, definition: impl Fn(Value) -> Value) -> Value {
    let mut definitions: Map<String, Value> = (0..count)
        .map(|number| (format!("d{number}"), definition(reference(&format!("#/$defs/d{}", number + 1)))))
        .collect();
    definitions.insert(format!("d{count}"), end);
    json!({"$ref": "#/$defs/d0", "$defs": definitions})
}

type Wrap = fn(Value) -> Value;

/// What a reference may be wrapped in without going down a level of the value.
const SAME_LEVEL: &[(&str, Wrap)] = &[
    ("a reference", |inner| inner),
    ("allOf", |inner| json!({"allOf": [inner]})),
    ("anyOf", |inner| json!({"anyOf": [inner, {"type": "null"}]})),
    ("oneOf", |inner| json!({"oneOf": [inner, {"type": "null"}]})),
    ("then", |inner| json!({"if": {"type": "object"}, "then": inner})),
    ("not not", |inner| json!({"not": {"not": inner}})),
];

/// Where a schema may be one level below.
const NEXT_LEVEL: &[(&str, Wrap)] = &[
    ("properties", |inner| json!({"type": "object", "properties": {"child": inner}})),
    ("required", |inner| json!({"type": "object", "required": ["child"], "properties": {"child": inner}})),
    ("items", |inner| json!({"type": "array", "items": inner})),
    ("two items", |inner| json!({"type": "array", "minItems": 2, "items": inner})),
    ("prefixItems", |inner| json!({"type": "array", "prefixItems": [inner, inner]})),
    ("additionalProperties", |inner| json!({"type": "object", "additionalProperties": inner})),
    ("patternProperties", |inner| json!({"type": "object", "patternProperties": {"^c": inner}})),
    ("the same level", |inner| inner),
];

/// Schemas that contain themselves, at every place and through every kind of reference.
fn recursions(random: &mut Random) -> Vec<Shape> {
    let mut shapes = Vec::new();
    for (wrapper, wrap) in SAME_LEVEL {
        for (place, put) in NEXT_LEVEL {
            let length = between(random, 1, 4);
            let mut schema = if length == 1 {
                put(wrap(reference("#")))
            } else {
                linked(length, reference("#"), |next| put(wrap(next)))
            };
            if length == 1 && wrapper == &"a reference" && place == &"the same level" {
                schema = json!({"allOf": [schema]});
            }
            let value = deep(30, |inner| json!({"child": inner}));
            shapes.push(named(&format!("cycle of {length} through {wrapper} in {place}"), schema, value));
        }
    }
    shapes
}

/// Long chains of references.
fn chains(random: &mut Random) -> Vec<Shape> {
    let mut shapes = Vec::new();
    for (wrapper, wrap) in SAME_LEVEL {
        for most in [120, 600, 6_000] {
            let count = between(random, most / 2, most);
            let schema = linked(count, leaf(random), wrap);
            shapes.push(named(&format!("chain of {count} through {wrapper}"), schema, json!({})));
        }
    }
    let count = between(random, 100, 3_000);
    let schema = linked(count, leaf(random), |next| json!({"type": "object", "properties": {"child": next}}));
    shapes.push(named(&format!("chain of {count} down"), schema, deep(100, |inner| json!({"child": inner}))));
    shapes
}

/// Definitions that each refer to the next several times.
fn fans(random: &mut Random) -> Vec<Shape> {
    let mut shapes = Vec::new();
    for kind in ["properties", "optional properties", "items", "alternatives", "conjunctions"] {
        let (levels, width) = (between(random, 10, 40), between(random, 2, 5));
        let each = |next: Value| -> Value {
            let several = || vec![next.clone(); width];
            let members: Map<String, Value> =
                several().into_iter().enumerate().map(|(key, next)| (format!("k{key}"), next)).collect();
            let names: Vec<&String> = members.keys().collect();
            match kind {
                "properties" => json!({"type": "object", "required": names, "properties": members}),
                "optional properties" => json!({"type": "object", "properties": members}),
                "items" => json!({"type": "array", "minItems": width, "prefixItems": several()}),
                "alternatives" => json!({"anyOf": several()}),
                _ => json!({"allOf": several()}),
            }
        };
        let value = deep(levels, |inner| json!({"k0": inner}));
        let schema = linked(levels, leaf(random), each);
        shapes.push(named(&format!("fan of {width} {kind}, {levels} levels"), schema, value));
    }
    shapes
}

/// The largest fits into one request together with what is around it.
const LARGE: usize = 7_900_000;

/// How long the texts become.
const SIZES: [usize; 3] = [40_000, 1_000_000, LARGE];

/// JSON that is valid and dense.
pub(super) fn dense(seed: u64) -> Vec<Shape> {
    let mut random = Random::keyed(&[seed, 2]);
    let (mut brackets, mut flat, mut wide, mut mixed) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for size in SIZES {
        for (name, open, close) in [("lists", "[", "]"), ("objects", "{\"a\":", "}"), ("pairs", "[0,", "]")] {
            let levels = random.pick(&[1, 2, 5, 30, 100, 120, 124]).copied().unwrap_or_default();
            let piece = tower(levels, open, "0", close);
            brackets.push(repeated(&format!("towers of {levels} {name}"), size, piece));
        }
        for piece in ["0", "\"\"", "{}", "[]", "null", "{\"\":0}", "\"a\"", "-1e-5"] {
            flat.push(repeated(&format!("many {piece}"), size, piece.to_owned()));
        }
        for length in [between(&mut random, 1, 9), between(&mut random, 10, 99), 5_000] {
            let make = move || {
                let count = size / (length + 12);
                super::listed("{", count, |key| format!("\"{key:0>length$}\":{{}}"), "}")
            };
            wide.push(sized(&format!("keys of {length} letters"), size, make));
        }
        let tree = random.number();
        mixed.push(sized(&format!("tree {tree:x}"), size, move || forest(tree, size)));
    }
    [
        family("JSON: brackets", brackets),
        family("JSON: many values", flat),
        family("JSON: many keys", wide),
        family("JSON: trees", mixed),
    ]
    .concat()
}

fn sized(name: &str, size: usize, text: impl Fn() -> String + Send + Sync + 'static) -> Shape {
    Shape { is_large: size == LARGE, ..Shape::made(format!("{name}, {size} bytes"), text) }
}

/// A list of the same piece until this size.
fn repeated(name: &str, size: usize, piece: String) -> Shape {
    let piece = Arc::new(piece);
    sized(name, size, move || {
        let count = size / (piece.len() + 1);
        super::listed("[", count, |_| String::clone(&piece), "]")
    })
}

/// A list of random trees until this size.
fn forest(seed: u64, size: usize) -> String {
    let mut random = Random::new(seed);
    let mut text = "[0".to_owned();
    while text.len() < size {
        text.push(',');
        tree(&mut random, &mut text, 100);
    }
    text.push(']');
    text
}

fn tree(random: &mut Random, text: &mut String, levels: usize) {
    let choice = random.below(if levels == 0 { 4 } else { 10 });
    match choice {
        0 => text.push('0'),
        1 => text.push_str("\"\""),
        2 => text.push_str("null"),
        3 => text.push_str("{}"),
        _ => {
            let (open, close) = if choice < 7 { ('[', ']') } else { ('{', '}') };
            text.push(open);
            for number in 0..random.below(3) {
                if number > 0 {
                    text.push(',');
                }
                if open == '{' {
                    text.push_str(&format!("\"k{number}\":"));
                }
                tree(random, text, levels - 1);
            }
            text.push(close);
        }
    }
}
