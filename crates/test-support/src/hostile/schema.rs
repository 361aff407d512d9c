//! JSON Schemas that are large once they are followed, and values that make them work.

use serde_json::{Map, Value, json};

use super::json::deep;
use super::{Shape, family, growing, tower};

/// Schemas of every kind. Each fits in one request together with its value.
pub fn schemas(seed: u64) -> Vec<Shape> {
    [
        growing::schemas(seed),
        family("schema: structure", structure()),
        family("schema: references", references()),
        family("schema: patterns", patterns()),
        family("schema: products", products()),
        family("schema: numbers", numbers()),
    ]
    .concat()
}

pub(super) fn named(name: &str, schema: impl ToString, value: impl ToString) -> Shape {
    Shape { value: value.to_string(), ..Shape::new(name, schema.to_string()) }
}

pub(super) fn reference(target: &str) -> Value {
    json!({ "$ref": target })
}

fn members(count: usize, member: impl Fn(usize) -> (String, Value)) -> Value {
    Value::Object((0..count).map(member).collect::<Map<String, Value>>())
}

fn list(count: usize, item: impl Fn(usize) -> Value) -> Value {
    (0..count).map(item).collect()
}

/// Wraps a schema `levels` times.
fn deep_schema(levels: usize, wrap: impl Fn(Value) -> Value) -> Value {
    (0..levels).fold(json!(true), |inner, _| wrap(inner))
}

fn structure() -> Vec<Shape> {
    let nest = |keyword: &'static str| move |inner: Value| json!({keyword: inner});
    let nest_list = |keyword: &'static str| move |inner: Value| json!({keyword: [inner]});
    let deep_object = || deep(120, |inner| json!({"a": inner}));
    vec![
        named("deep properties", deep_schema(60, |inner| json!({"properties": {"a": inner}})), deep_object()),
        named("too deep properties", tower(5_000, "{\"properties\":{\"a\":", "true", "}}"), deep_object()),
        named("deep not", deep_schema(120, nest("not")), json!(1)),
        named("deep allOf", deep_schema(60, nest_list("allOf")), json!(1)),
        named("too deep not", tower(20_000, "{\"not\":", "true", "}"), json!(1)),
        named("deep items", deep_schema(120, nest("items")), deep(120, |inner| json!([inner]))),
        named("deep if", deep_schema(120, |inner| json!({"if": true, "then": inner})), json!(1)),
        named("doubled anyOf", deep_schema(12, |inner| json!({"anyOf": [inner, inner]})), json!(1)),
        named(
            "wide properties",
            json!({"properties": members(30_000, |key| (format!("k{key}"), json!({})))}),
            json!({}),
        ),
        named("wide required", json!({"required": list(60_000, |key| json!(format!("k{key}")))}), json!({})),
        named(
            "wide definitions",
            json!({"$defs": members(40_000, |key| (format!("k{key}"), json!({})))}),
            json!(1),
        ),
        named(
            "wide anchors",
            json!({"$defs": members(10_000, |key| (format!("k{key}"), json!({"$anchor": format!("k{key}")})))}),
            json!(1),
        ),
        named("long title", json!({"title": "a".repeat(1_000_000)}), json!(1)),
        named(
            "wide if chain",
            json!({"allOf": list(5_000, |key| json!({"if": {"required": [format!("k{key}")]}, "then": false}))}),
            json!({}),
        ),
        named(
            "dependents",
            json!({"dependentSchemas": members(5_000, |key| (format!("k{key}"), json!({"required": [format!("k{}", key + 1)]})))}),
            members(5_000, |key| (format!("k{key}"), json!(key))),
        ),
    ]
}

fn references() -> Vec<Shape> {
    let chain = |count: usize, fan: usize, keyword: &str| {
        let mut definitions = Map::new();
        for number in 0..count {
            let next = json!({"$ref": format!("#/$defs/d{}", number + 1)});
            definitions.insert(format!("d{number}"), json!({keyword: vec![next; fan]}));
        }
        definitions.insert(format!("d{count}"), json!({"type": "object"}));
        json!({"$ref": "#/$defs/d0", "$defs": definitions})
    };
    let recursive = |keyword: &str| json!({keyword: [{"$ref": "#"}, {"$ref": "#"}]});
    vec![
        named("reference to itself", json!({"$ref": "#"}), json!(1)),
        named("allOf itself twice", recursive("allOf"), json!(1)),
        named("anyOf itself twice", recursive("anyOf"), json!(1)),
        named("items are itself", json!({"items": {"$ref": "#"}}), deep(120, |inner| json!([inner]))),
        named(
            "itself in every branch",
            json!({"type": "array", "items": {"anyOf": [{"$ref": "#"}, {"$ref": "#"}, {"$ref": "#"}]}}),
            deep(100, |inner| json!([inner])),
        ),
        named(
            "itself twice for each level",
            json!({"anyOf": [{"items": {"$ref": "#"}}, {"items": {"$ref": "#"}}, {"const": 0}]}),
            deep(100, |inner| json!([inner])),
        ),
        named("long chain", chain(5_000, 1, "allOf"), json!({})),
        named("chain of 250", chain(250, 1, "allOf"), json!({})),
        named("fan of allOf", chain(40, 2, "allOf"), json!({})),
        named("fan of anyOf", chain(40, 2, "anyOf"), json!(1)),
        named("fan of oneOf", chain(40, 3, "oneOf"), json!(1)),
        named("short wide fan", chain(3, 20, "allOf"), json!({})),
        named(
            "dynamic references",
            json!({"$dynamicAnchor": "a", "items": {"$dynamicRef": "#a"}, "allOf": [{"items": {"$dynamicRef": "#a"}}]}),
            deep(100, |inner| json!([inner])),
        ),
        named(
            "ids in ids",
            deep_schema(100, |inner| json!({"$id": "http://a.test/", "properties": {"a": inner}})),
            json!({}),
        ),
        named("reference elsewhere", json!({"$ref": "http://127.0.0.1:1/schema.json"}), json!(1)),
        named("reference to a file", json!({"$ref": "file:///etc/passwd"}), json!(1)),
    ]
}

fn patterns() -> Vec<Shape> {
    let many =
        |count: usize| members(count, |number| (format!("\\p{{L}}{{200}}k{number}\\w{{200}}"), json!({})));
    let each = |count: usize| {
        list(count, |number| json!({"pattern": format!("\\p{{L}}{{200}}k{number}\\w{{200}}")}))
    };
    let backtracking = format!("{}!", "a".repeat(50_000));
    vec![
        named(
            "2,000 large patterns of properties",
            json!({"patternProperties": many(2_000)}),
            json!({"aaa": 1}),
        ),
        named("2,000 large patterns", json!({"allOf": each(2_000)}), json!("a".repeat(1_000))),
        named("60 large patterns", json!({"allOf": each(60)}), json!("a".repeat(1_000))),
        named(
            "patterns that multiply",
            json!({"pattern": "^((((a{1,50}){1,50}){1,50}){1,50}){1,50}$"}),
            json!("a".repeat(1_000)),
        ),
        named("patterns that backtrack", json!({"pattern": "^(a+)+$"}), json!(backtracking)),
        named(
            "patterns that look ahead",
            json!({"pattern": "^(?=(a+)+$)(?=(a*)*$).*b$"}),
            json!(backtracking),
        ),
        named(
            "patterns that refer back",
            json!({"pattern": "^(a*)(a*)(a*)\\1\\2\\3$"}),
            json!("a".repeat(2_000)),
        ),
        named(
            "pattern with many choices",
            json!({"pattern": (0..20_000).map(|number| format!("a{number}")).collect::<Vec<_>>().join("|")}),
            json!("b".repeat(100_000)),
        ),
        named(
            "pattern with brackets",
            json!({"pattern": format!("{}{}", "(".repeat(5_000), ")".repeat(5_000))}),
            json!("a"),
        ),
        named(
            "patterns times properties",
            json!({"patternProperties": members(1_000, |number| (format!("k{number}$"), json!({"type": "integer"})))}),
            members(20_000, |key| (format!("k{key}"), json!(key))),
        ),
        named(
            "pattern times items",
            json!({"items": {"pattern": "^(\\w+\\s?)*$"}}),
            Value::from(vec!["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"; 20_000]),
        ),
        named(
            "patterns of names",
            json!({"propertyNames": {"pattern": "\\p{L}{500}"}}),
            members(20_000, |key| (format!("k{key}"), json!(key))),
        ),
        named(
            "pattern as a value",
            json!({"items": {"format": "regex"}}),
            Value::from(vec!["\\p{L}{200}k7\\w{200}"; 5_000]),
        ),
    ]
}

fn products() -> Vec<Shape> {
    let object = |number: usize| json!({"a": number, "b": "x"});
    let branch = |number: usize| json!({"properties": {"k": {"const": number}}, "required": ["k"]});
    vec![
        named(
            "enum times items",
            json!({"items": {"enum": list(20_000, object)}}),
            list(20_000, |_| json!({"a": -1, "b": "x"})),
        ),
        named(
            "enum of lists",
            json!({"items": {"enum": list(2_000, |number| json!([vec![0; 20], number]))}}),
            list(10_000, |_| json!([vec![0; 20], -1])),
        ),
        named(
            "anyOf times items",
            json!({"items": {"anyOf": list(5_000, branch)}}),
            list(50_000, |_| json!({"k": -1})),
        ),
        named(
            "oneOf times items",
            json!({"items": {"oneOf": list(5_000, branch)}}),
            list(50_000, |_| json!({"k": 1})),
        ),
        named(
            "allOf times items",
            json!({"items": {"allOf": list(5_000, |_| json!({"minLength": 1}))}}),
            Value::from(vec!["aaaaaaaa"; 100_000]),
        ),
        named(
            "not times items",
            json!({"items": {"not": {"anyOf": list(5_000, |number| json!({"const": number}))}}}),
            list(100_000, |_| json!(-1)),
        ),
        named(
            "contains times items",
            json!({"allOf": list(5_000, |number| json!({"contains": {"const": number}}))}),
            list(100_000, |_| json!(-1)),
        ),
        named("unique items", json!({"uniqueItems": true}), list(50_000, object)),
        named(
            "unique lists",
            json!({"uniqueItems": true}),
            list(3_000, |number| json!([vec![0; 100], number])),
        ),
        named(
            "unique items again",
            json!({"allOf": list(1_000, |_| json!({"uniqueItems": true}))}),
            list(20_000, object),
        ),
        named(
            "const times items",
            json!({"items": {"const": list(10_000, |number| json!(number))}}),
            list(40, |_| list(10_000, |number| json!(number))),
        ),
        named(
            "unevaluated properties",
            json!({"unevaluatedProperties": false, "anyOf": list(2_000, |number| json!({"properties": {format!("k{number}"): true}}))}),
            members(2_000, |key| (format!("k{key}"), json!(key))),
        ),
        named(
            "unevaluated in each other",
            deep_schema(
                40,
                |inner| json!({"unevaluatedProperties": inner, "allOf": [{"properties": {"a": true}}]}),
            ),
            members(1_000, |key| (format!("k{key}"), json!(key))),
        ),
        named(
            "properties times items",
            json!({"items": {"properties": members(2_000, |key| (format!("k{key}"), json!({"type": "string"})))}}),
            list(1_000, |_| members(100, |key| (format!("k{key}"), json!(key)))),
        ),
        named(
            "formats times items",
            json!({"items": {"allOf": list(500, |_| json!({"format": "email"}))}}),
            Value::from(vec!["a.b.c.d.e.f.g.h@i.j.k.l.m.n"; 20_000]),
        ),
    ]
}

#[expect(clippy::unwrap_used, reason = "the numbers are literals of this function")]
fn numbers() -> Vec<Shape> {
    let number = |text: String| serde_json::from_str::<Value>(&text).unwrap();
    let long = || number("9".repeat(900));
    vec![
        named("long multiple", json!({"multipleOf": number("7".repeat(900))}), list(2_000, |_| long())),
        named(
            "long multiples",
            json!({"items": {"multipleOf": number("7".repeat(900))}}),
            list(2_000, |_| long()),
        ),
        named(
            "tiny multiple",
            json!({"items": {"multipleOf": number("1e-900".to_owned())}}),
            list(5_000, |_| number("1e900".to_owned())),
        ),
        named("too long bound", json!({"minimum": number("9".repeat(100_000))}), json!(1)),
        named(
            "huge exponent",
            json!({"maximum": number("1e999999999".to_owned())}),
            number("1e99999999".to_owned()),
        ),
        named(
            "huge lengths",
            json!({"minLength": number("1e300".to_owned()), "maxItems": u64::MAX}),
            json!("a"),
        ),
        named("long strings", json!({"items": {"maxLength": 1}}), list(50, |_| json!("🦀".repeat(20_000)))),
    ]
}
