//! Lowering and lifting of generated schemas: encoding and lifting a conforming value returns the
//! same value, and the encoded value conforms to the lowered schema.

use accord_contract::Meter;
use accord_contract::lint::lint;
use accord_contract::lower::{Maps, Optional, Profile, Root, lower};
use accord_contract::{Schema, same};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// Names that lowering itself uses, and names that providers reject.
const NAMES: &[&str] =
    &["a", "b", "value", "key", "", "a b", "absent", "additional_properties", "0", "rest", "option_1", "ü"];

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!({"type": "string"})),
        Just(json!({"type": "string", "minLength": 1, "maxLength": 3})),
        Just(json!({"type": "string", "pattern": "^[a-c]+$"})),
        Just(json!({"type": "integer", "minimum": 0})),
        Just(json!({"type": "number", "exclusiveMaximum": 100})),
        Just(json!({"type": "boolean"})),
        Just(json!({"type": "null"})),
        Just(json!({"type": ["string", "null"]})),
        Just(json!({"type": ["integer", "boolean", "null"]})),
        Just(json!({"enum": ["x", "y", null, 1]})),
        Just(json!({"enum": [{"a": 1}, [1, 2], "x"]})),
        Just(json!({"const": "x"})),
        Just(json!({"const": "absent"})),
        Just(json!({"type": "object"})),
        Just(json!({"type": ["object", "array"]})),
        Just(json!({"type": "array"})),
        Just(json!({})),
        Just(json!(true)),
        (0..3).prop_map(|index| json!({"$ref": format!("#/definitions/d{index}")})),
        (0..3).prop_map(|index| json!({"$ref": format!("#/definitions/d{index}"), "description": "Told."})),
    ]
}

fn object(inner: impl Strategy<Value = Value> + Clone) -> impl Strategy<Value = Value> {
    let member = (0..NAMES.len(), inner.clone(), any::<bool>());
    let members = prop::collection::vec(member, 0..4);
    (members, 0..6, inner).prop_map(|(members, openness, additional)| {
        let mut properties = Map::new();
        let mut required = Vec::new();
        for (name, schema, needed) in members {
            let name = NAMES[name];
            if properties.insert(name.to_owned(), schema).is_none() && needed {
                required.push(name);
            }
        }
        let mut schema = json!({"type": "object", "properties": properties, "required": required});
        match openness {
            0 => schema["additionalProperties"] = json!(false),
            1 => schema["additionalProperties"] = additional,
            2 => {
                schema["patternProperties"] = json!({ "^x_": additional });
                schema["additionalProperties"] = json!(false);
            }
            3 => {
                schema["patternProperties"] = json!({ "^x_": additional, "_y$": {"type": "integer"} });
                schema["additionalProperties"] = json!({"type": "string"});
            }
            _ => {}
        }
        schema
    })
}

fn tuple(inner: impl Strategy<Value = Value> + Clone) -> impl Strategy<Value = Value> {
    (prop::collection::vec(inner.clone(), 1..3), 0..4usize, 0..3, inner).prop_map(
        |(items, least, more, rest)| {
            let mut schema = json!({"type": "array", "items": items, "minItems": least.min(items.len())});
            match more {
                0 => schema["additionalItems"] = json!(false),
                1 => schema["additionalItems"] = rest,
                _ => {}
            }
            schema
        },
    )
}

fn subschema() -> impl Strategy<Value = Value> {
    scalar().prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            3 => object(inner.clone()),
            1 => inner.clone().prop_map(|values| json!({"type": "object", "additionalProperties": values})),
            1 => (inner.clone(), 0..2).prop_map(|(items, least)| {
                json!({"type": "array", "items": items, "minItems": least})
            }),
            1 => tuple(inner.clone()),
            2 => prop::collection::vec(inner.clone(), 1..4).prop_map(|branches| json!({"anyOf": branches})),
            1 => prop::collection::vec(inner.clone(), 1..4).prop_map(|branches| json!({"oneOf": branches})),
            1 => (object(inner.clone()), object(inner.clone()), object(inner.clone()))
                .prop_map(|(mut own, left, right)| {
                    own["anyOf"] = json!([left, right]);
                    own
                }),
            1 => (object(inner.clone()), object(inner.clone()), object(inner.clone()))
                .prop_map(|(mut own, mut then, otherwise)| {
                    own["if"] = json!({"required": ["a"], "properties": {"key": {"type": "string"}}});
                    then["required"] = json!([]);
                    own["then"] = then;
                    own["else"] = json!({"properties": otherwise["properties"]});
                    own
                }),
            1 => prop::collection::vec(object(inner), 1..3).prop_map(|parts| json!({"allOf": parts})),
        ]
    })
}

fn schema() -> impl Strategy<Value = Value> {
    (subschema(), subschema(), subschema(), subschema()).prop_map(|(root, first, second, third)| {
        let mut root =
            if root.get("$ref").is_some() || !root.is_object() { json!({"allOf": [root]}) } else { root };
        root["definitions"] = json!({"d0": first, "d1": second, "d2": third});
        root
    })
}

/// Draws a value from a schema; it usually conforms.
struct Sampler<'a> {
    document: &'a Value,
    entropy: &'a [u8],
    at: usize,
}

impl Sampler<'_> {
    fn roll(&mut self, sides: usize) -> usize {
        self.at += 1;
        let byte = self.entropy[self.at % self.entropy.len()];
        (usize::from(byte) + self.at / self.entropy.len()) % sides.max(1)
    }

    fn any(&mut self) -> Value {
        match self.roll(8) {
            0 => Value::Null,
            1 => json!("null"),
            2 => json!([{"key": "a", "value": 1}]),
            3 => json!({"value": null}),
            4 => json!({"absent": true}),
            5 => json!(1.50),
            6 => json!({"0": [], "": {"option_1": "\"x\":"}}),
            _ => json!("absent"),
        }
    }

    fn value(&mut self, schema: &Value, depth: usize) -> Value {
        let Some(keywords) = schema.as_object() else { return self.any() };
        if let Some(reference) = schema["$ref"].as_str() {
            let target = self.document.pointer(&reference[1..]).unwrap();
            return if depth > 8 { Value::Null } else { self.value(target, depth + 1) };
        }
        if let Some(value) = keywords.get("const") {
            return value.clone();
        }
        if let Some(values) = schema["enum"].as_array() {
            return values[self.roll(values.len())].clone();
        }
        let mut drawn = Vec::new();
        for keyword in ["anyOf", "oneOf"] {
            if let Some(branches) = schema[keyword].as_array() {
                let branch = &branches[self.roll(branches.len())];
                drawn.push(self.value(branch, depth + 1));
            }
        }
        for part in schema["allOf"].as_array().into_iter().flatten() {
            drawn.push(self.value(part, depth + 1));
        }
        if let Some(branch) = schema.get(["then", "else"][self.roll(2)]) {
            // The branch that the condition did not choose may be anything.
            let value = if self.roll(2) == 0 {
                json!({NAMES[self.roll(3)]: self.any()})
            } else {
                self.value(branch, depth + 1)
            };
            drawn.push(value);
        }
        let named = match &schema["type"] {
            Value::String(name) => Some(name.clone()),
            Value::Array(names) => Some(names[self.roll(names.len())].as_str().unwrap().to_owned()),
            _ => None,
        };
        match named {
            Some(name) => drawn.push(self.of_type(&name, schema, depth)),
            None if drawn.is_empty() => return self.any(),
            None => {}
        }
        drawn.into_iter().reduce(merge).unwrap()
    }

    fn of_type(&mut self, name: &str, schema: &Value, depth: usize) -> Value {
        match name {
            "null" => Value::Null,
            "boolean" => json!(self.roll(2) == 0),
            "integer" => json!(self.roll(9)),
            "number" => json!(self.roll(9) as f64 / 2.0),
            "string" => json!(["a", "b", "absent", "null", "cab"][self.roll(5)]),
            "array" => self.array(schema, depth),
            _ => self.object(schema, depth),
        }
    }

    fn array(&mut self, schema: &Value, depth: usize) -> Value {
        match &schema["items"] {
            Value::Array(positions) => {
                let least = schema["minItems"].as_u64().unwrap_or(0) as usize;
                let length = least + self.roll(positions.len() + 1 - least);
                let mut items: Vec<Value> =
                    positions.iter().take(length).map(|position| self.value(position, depth + 1)).collect();
                if let Some(rest) = schema.get("additionalItems").filter(|_| length == positions.len()) {
                    items.extend((0..self.roll(3)).map(|_| self.value(rest, depth + 1)));
                }
                Value::Array(items)
            }
            items => {
                let least = schema["minItems"].as_u64().unwrap_or(0) as usize;
                (0..least + self.roll(3)).map(|_| self.value(items, depth + 1)).collect()
            }
        }
    }

    fn object(&mut self, schema: &Value, depth: usize) -> Value {
        let mut members = Map::new();
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            if required.contains(&json!(name)) || depth < 6 && self.roll(2) == 0 {
                members.insert(name.clone(), self.value(property, depth + 1));
            }
        }
        let known = |name: &str| schema["properties"].get(name).is_some();
        if let Some(pattern) = schema["patternProperties"].get("^x_").filter(|_| self.roll(2) == 0) {
            members.insert("x_1".to_owned(), self.value(pattern, depth + 1));
        }
        let open = schema
            .get("additionalProperties")
            .or((schema.get("properties").is_none()).then_some(&Value::Bool(true)));
        if let Some(additional) = open.filter(|open| **open != Value::Bool(false)) {
            for _ in 0..self.roll(3) {
                let name = NAMES[self.roll(NAMES.len())];
                if !known(name) {
                    members.insert(name.to_owned(), self.value(additional, depth + 1));
                }
            }
        }
        Value::Object(members)
    }
}

/// The combined schema of two parts of a conjunction, if both are objects.
fn merge(left: Value, right: Value) -> Value {
    match (left, right) {
        (Value::Object(mut left), Value::Object(right)) => {
            left.extend(right);
            Value::Object(left)
        }
        (_, right) => right,
    }
}

/// Whether an object or a tuple implicitly allows additional values. Lowering disallows them, so a
/// value with additional parts has no lowered form and is only passed through.
fn is_silent(document: &Value) -> bool {
    let silent = document.get("properties").is_some_and(Value::is_object)
        && document.get("additionalProperties").is_none()
        || document.get("items").is_some_and(Value::is_array) && document.get("additionalItems").is_none();
    silent || each_part(document, is_silent)
}

/// Whether several schemas apply to one place. Only then does the sampler draw values with
/// additional properties.
fn is_combined(document: &Value) -> bool {
    ["anyOf", "oneOf", "allOf", "if"]
        .iter()
        .any(|keyword| document.get(keyword).is_some_and(|part| !part.is_boolean()))
        || each_part(document, is_combined)
}

fn each_part(document: &Value, holds: fn(&Value) -> bool) -> bool {
    match document {
        Value::Object(members) => members.values().any(holds),
        Value::Array(items) => items.iter().any(holds),
        _ => false,
    }
}

/// Makes implicit openness explicit.
fn close(document: &mut Value) {
    if document.get("properties").is_some_and(Value::is_object)
        && document.get("additionalProperties").is_none()
    {
        document["additionalProperties"] = json!(false);
    }
    if document.get("items").is_some_and(Value::is_array) && document.get("additionalItems").is_none() {
        document["additionalItems"] = json!(false);
    }
    match document {
        Value::Object(members) => members.values_mut().for_each(close),
        Value::Array(items) => items.iter_mut().for_each(close),
        _ => {}
    }
}

fn check(document: &Value, values: &[Value]) -> Result<(), TestCaseError> {
    let Ok(source) = Schema::compile(document, &Meter::default()) else { return Ok(()) };
    let exact = !is_silent(document) || !is_combined(document);
    for profile in Profile::all() {
        let lowered = lower(&source, profile, &Meter::default()).unwrap();
        let target = Schema::compile(&lowered.schema, &Meter::default());
        prop_assert!(target.is_ok(), "{:?} {}", target.err(), lowered.schema);
        for value in values.iter().filter(|value| source.accepts(value, &Meter::default())) {
            let encoded = lowered.lift.encode(value, &Meter::default()).unwrap();
            let lifted = lowered.lift.lift(encoded.clone(), &Meter::default());
            let context = format!(
                "{}\nschema {document}\nlowered {}\nvalue {value}\nencoded {encoded}",
                profile.name, lowered.schema
            );
            let formed = target.as_ref().is_ok_and(|target| target.accepts(&encoded, &Meter::default()));
            prop_assert!(formed || !exact, "{}", context);
            if formed || !is_combined(document) {
                // An enum value may be written differently: 1 and 1.0 are the same number.
                prop_assert!(
                    lifted.as_ref().is_ok_and(|lifted| same(lifted, value)),
                    "{:?} {}",
                    lifted,
                    context
                );
            }
        }
    }
    Ok(())
}

/// The same schema in the syntax of 2020-12.
fn modern(document: &Value) -> Value {
    fn rewrite(part: &Value) -> Value {
        match part {
            Value::Object(members) => {
                let positional = members.get("items").is_some_and(Value::is_array);
                let name = |name: &str| match name {
                    "items" if positional => "prefixItems".to_owned(),
                    "additionalItems" => "items".to_owned(),
                    "definitions" => "$defs".to_owned(),
                    other => other.to_owned(),
                };
                members.iter().map(|(key, value)| (name(key), rewrite(value))).collect::<Map<_, _>>().into()
            }
            Value::Array(items) => items.iter().map(rewrite).collect(),
            Value::String(text) => json!(text.replace("#/definitions/", "#/$defs/")),
            other => other.clone(),
        }
    }
    let mut document = rewrite(document);
    document["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    document
}

/// Checks that the profile accepts every keyword of a lowered schema, in the form used.
fn accepts(profile: &Profile, schema: &Value) -> Result<(), String> {
    let Some(keywords) = schema.as_object() else {
        return if schema.is_boolean() { Ok(()) } else { Err(format!("no schema: {schema}")) };
    };
    let strict = profile.maps == Maps::Pairs;
    let always = ["type", "properties", "required", "additionalProperties", "items", "anyOf", "enum", "$ref"];
    for (keyword, value) in keywords {
        let extra = [&profile.string_keywords, &profile.integer_keywords, &profile.array_keywords];
        let known = always.contains(&keyword.as_str())
            || ["$defs", "title", "description"].contains(&keyword.as_str())
            || extra.iter().any(|list| list.contains(keyword));
        if !known {
            return Err(format!("'{keyword}' in {schema}"));
        }
        match keyword.as_str() {
            "format" if !profile.formats.iter().any(|format| value == format.as_str()) => {
                return Err(format!("the format of {schema}"));
            }
            "minItems" if profile.largest_min_items.is_some_and(|most| value.as_u64() > Some(most)) => {
                return Err(format!("'minItems' of {schema}"));
            }
            "properties" | "$defs" => {
                value.as_object().unwrap().values().try_for_each(|inner| accepts(profile, inner))?;
            }
            "anyOf" => value.as_array().unwrap().iter().try_for_each(|inner| accepts(profile, inner))?,
            "items" if value.is_array() => {
                value.as_array().unwrap().iter().try_for_each(|inner| accepts(profile, inner))?;
            }
            "items" | "additionalProperties" => accepts(profile, value)?,
            _ => {}
        }
    }
    if keywords.contains_key("$ref") && keywords.len() > 1 {
        return Err(format!("something beside the reference in {schema}"));
    }
    if let Some(Value::Object(properties)) = keywords.get("properties").filter(|_| strict) {
        let required = keywords["required"].as_array().unwrap();
        let all = properties.keys().all(|name| required.contains(&json!(name)));
        if !all && profile.optional == Optional::Nullable {
            return Err(format!("a property is not required in {schema}"));
        }
        if keywords["additionalProperties"] != json!(false) {
            return Err(format!("an open object {schema}"));
        }
    }
    let shaped = ["type", "anyOf", "$ref"].iter().any(|keyword| keywords.contains_key(*keyword));
    if strict && !shaped { Err(format!("no type in {schema}")) } else { Ok(()) }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn lifting_undoes_encoding(
        document in schema(),
        closed in any::<bool>(),
        entropy in prop::collection::vec(any::<u8>(), 8..64),
    ) {
        let mut document = document;
        if closed {
            close(&mut document);
        }
        let draw = |offset: usize| Sampler { document: &document, entropy: &entropy, at: offset * 7 }.value(&document, 0);
        let values: Vec<Value> = (0..6).map(draw).collect();
        check(&document, &values)?;
        check(&modern(&document), &values)?;
    }

    #[test]
    fn only_accepted_keywords_are_written(document in schema()) {
        if let Ok(source) = Schema::compile(&document, &Meter::default()) {
            for profile in Profile::all() {
                let lowered = lower(&source, profile, &Meter::default()).unwrap();
                prop_assert_eq!(accepts(profile, &lowered.schema), Ok(()));
                if profile.root == Root::Object {
                    prop_assert_eq!(&lowered.schema["type"], "object");
                }
            }
        }
    }

    #[test]
    fn lifting_leaves_other_shapes_alone(document in schema(), entropy in prop::collection::vec(any::<u8>(), 8..64)) {
        // Whatever a model answers, lifting returns a value or a located error and never panics.
        if let Ok(source) = Schema::compile(&document, &Meter::default()) {
            let mut sampler = Sampler { document: &document, entropy: &entropy, at: 0 };
            for profile in Profile::all() {
                let lift = lower(&source, profile, &Meter::default()).unwrap().lift;
                for answer in [sampler.any(), sampler.value(&document, 0)] {
                    let _ = lift.encode(&answer, &Meter::default()).unwrap();
                    let _ = lift.lift(answer, &Meter::default());
                }
            }
        }
    }

    #[test]
    fn linting_never_fails(document in schema()) {
        if let Ok(source) = Schema::compile(&document, &Meter::default()) {
            for finding in lint(&source, &Meter::default()) {
                prop_assert!(document.pointer(&finding.pointer).is_some(), "{:?}", finding);
            }
        }
    }
}
