//! Small schemas that multiply, in every way that a schema can, through everything that is made from a schema: it ends within
//! the limits of its meter, and what is made is small.

use accord_contract::lint::lint;
use accord_contract::lower::{Profile, lower, skeleton};
use accord_contract::prompt::{self, Form};
use accord_contract::{
    Answer, Contract, Exceeded, Limits, Meter, Mode, Options, Schema, Stop, infer, judge, schema_changes,
};
use serde_json::{Map, Value, json};

const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

type Wrap = (&'static str, fn(Value) -> Value);

/// Each puts a schema into a larger one, more than once where it can.
const FAMILIES: &[Wrap] = &[
    ("minItems", |inner| json!({"type": "array", "minItems": 3, "items": inner})),
    ("properties", |inner| json!({"type": "object", "properties": {"a": inner, "b": inner}})),
    ("anyOf", |inner| json!({"anyOf": [object("a", &inner), object("b", &inner), object("c", &inner)]})),
    ("oneOf", |inner| json!({"oneOf": [object("a", &inner), object("b", &inner), {"type": "null"}]})),
    ("allOf", |inner| json!({"allOf": [object("a", &inner), object("b", &inner)]})),
    (
        "all of alternatives",
        |inner| json!({"allOf": [{"anyOf": [object("a", &inner), object("b", &inner)]}, {"anyOf": [object("c", &inner), {"type": "object"}]}]}),
    ),
    ("prefixItems", |inner| json!({"type": "array", "prefixItems": [inner, inner], "items": inner})),
    (
        "patternProperties",
        |inner| json!({"type": "object", "patternProperties": {"^a": inner, "^b": inner}, "additionalProperties": inner}),
    ),
    (
        "if",
        |inner| json!({"type": "object", "if": {"required": ["a"]}, "then": object("a", &inner), "else": object("b", &inner)}),
    ),
    (
        "dependentSchemas",
        |inner| json!({"type": "object", "dependentSchemas": {"a": object("a", &inner), "b": object("b", &inner)}}),
    ),
    (
        "unevaluated",
        |inner| json!({"anyOf": [object("a", &inner), object("b", &inner)], "unevaluatedProperties": inner}),
    ),
    ("not", |inner| json!({"type": "object", "properties": {"a": {"not": inner}, "b": inner}})),
];

fn object(name: &str, inner: &Value) -> Value {
    json!({"type": "object", "required": [name], "properties": {name: inner}})
}

/// A tower of definitions, so that the schema is small and what is made from it need not be.
fn tower(wrap: fn(Value) -> Value, levels: usize) -> Value {
    let mut definitions = Map::new();
    for level in 0..levels {
        let inner = match level + 1 < levels {
            true => json!({"$ref": format!("#/$defs/d{}", level + 1)}),
            false => json!({"type": "string"}),
        };
        definitions.insert(format!("d{level}"), wrap(inner));
    }
    json!({"$schema": DIALECT, "$ref": "#/$defs/d0", "$defs": definitions})
}

fn schemas() -> Vec<(String, Value)> {
    let mut all = Vec::new();
    for (name, wrap) in FAMILIES {
        all.extend([3, 14].map(|levels| (format!("{name}, {levels} levels"), tower(*wrap, levels))));
    }
    let uses: Map<String, Value> =
        (0..2_000).map(|n| (format!("p{n}"), json!({"$ref": "#/$defs/e"}))).collect();
    let values: Vec<String> = (0..2_000).map(|n| format!("value {n}")).collect();
    let inlined =
        json!({"$schema": DIALECT, "type": "object", "properties": uses, "$defs": {"e": {"enum": values}}});
    all.push(("an enum that is used everywhere".to_owned(), inlined));
    let chain: Map<String, Value> =
        (0..200).map(|n| (format!("d{n}"), json!({"$ref": format!("#/$defs/d{}", (n + 1) % 200)}))).collect();
    all.push(("a circle of references".to_owned(), json!({"$ref": "#/$defs/d0", "$defs": chain})));
    let recursive =
        json!({"type": "object", "properties": {"a": {"allOf": [{"$ref": "#"}, {"required": ["a"]}]}}});
    all.push(("allOf and itself".to_owned(), recursive));
    let branches: Vec<Value> = (0..64).map(|n| json!({"type": "array", "items": {"enum": [n]}})).collect();
    let unions: Map<String, Value> =
        (0..100).map(|n| (format!("u{n}"), json!({"oneOf": branches}))).collect();
    all.push(("many wide alternatives".to_owned(), json!({"type": "object", "properties": unions})));
    all
}

/// What one entry point may cost here: a tenth of what it may in production.
const LIMITS: Limits = Limits { steps: Limits::WHOLE.steps / 10, ..Limits::WHOLE };

/// Runs one entry point, and checks what it cost and how much came of it.
fn bounded(what: &str, entry: &str, work: impl FnOnce(&Meter) -> usize) {
    let meter = Meter::new(LIMITS, Stop::default());
    let size = work(&meter);
    let spent = meter.spent();
    // The last charge may exceed the limit; nothing is done for it.
    assert!(spent.steps <= 2 * LIMITS.steps + 100_000_000, "{entry} of {what}: {spent:?}");
    assert!(
        spent.bytes <= 2 * LIMITS.bytes && spent.values <= 2 * LIMITS.values,
        "{entry} of {what}: {spent:?}"
    );
    assert!(size <= 64 * 1024 * 1024, "{entry} of {what} has {size} bytes");
    assert_eq!(spent.depth, 0, "{entry} of {what}");
}

#[test]
fn every_entry_point_stays_within_its_meter() {
    for (what, document) in schemas() {
        bounded(&what, "compile", |meter| Schema::compile(&document, meter).map_or(0, |_| 1));
        bounded(&what, "schema_changes", |meter| {
            let other = json!({"type": "object", "properties": {"a": document}});
            schema_changes(&document, &other, meter).map_or(0, |changes| {
                changes.iter().map(|change| change.path.len() + change.change.len()).sum()
            })
        });
        bounded(&what, "infer", |meter| {
            infer([&document], meter).map_or(0, |schema| schema.to_string().len())
        });
        let Ok(schema) = Schema::compile(&document, &Meter::default()) else { continue };
        bounded(&what, "skeleton", |meter| {
            let made = skeleton(&schema, meter).ok().flatten();
            made.map_or(0, |made| made.form.len() + made.rules.iter().map(String::len).sum::<usize>())
        });
        bounded(&what, "form", |meter| {
            Form::new(&schema, true, meter).map_or(0, |form| prompt::system_section(&form).len())
        });
        bounded(&what, "lint", |meter| {
            lint(&schema, meter).iter().map(|finding| finding.message.len()).sum()
        });
        for profile in Profile::all() {
            bounded(&what, &format!("lower for {}", profile.name), |meter| {
                let Ok(lowered) = lower(&schema, profile, meter) else { return 0 };
                let value = json!({"a": [[["x"]]], "b": {"a": {"b": "y"}}, "c": null});
                let encoded = lowered.lift.encode(&value, &meter.anew()).unwrap_or_default();
                let _ = lowered.lift.lift(encoded, &meter.anew());
                lowered.schema.to_string().len()
            });
        }
        let contract =
            Contract::new(schema).with_options(Options { mode: Mode::Lenient, ..Options::default() });
        let answer =
            "[[[[[[[[[[[[\"x\"]]]]]]]]]]]] {\"a\": {\"b\": {\"a\": {\"b\": {\"a\": 1}}}}}".repeat(20);
        bounded(&what, "judge", |meter| {
            let _ = judge(&Answer::text(&answer), &contract, meter);
            1
        });
    }
}

#[test]
fn stopped_work_ends_with_that_reason() {
    let schema = Schema::compile(&tower(FAMILIES[0].1, 3), &Meter::default()).unwrap();
    let stop = Stop::default();
    let meter = Meter::new(LIMITS, stop.clone());
    stop.set();
    let profile = Profile::named("openai").unwrap();
    assert_eq!(lower(&schema, profile, &meter).err(), Some(Exceeded::Stopped));
    assert_eq!(skeleton(&schema, &meter).err(), Some(Exceeded::Stopped));
    assert!(Form::new(&schema, true, &meter).is_err());
    assert!(Schema::compile(&json!({}), &meter).unwrap_err().message.contains("stopped"));
    assert!(lint(&schema, &meter).iter().any(|finding| finding.rule == "not-checked"));
    assert!(!schema.accepts(&json!([]), &meter));
    let violations = schema.check(&json!([]), &meter).unwrap_err();
    assert_eq!(violations.errors[0].keyword, "limit");
    assert!(infer([&json!({"a": 1})], &meter).is_err());
}
