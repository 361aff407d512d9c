//! Which parts of a schema are schemas themselves. All code that walks a schema uses this table, so
//! that a property called `$ref` or an example that looks like a schema is never mistaken for one.

use serde_json::Value;

use crate::json_path::{JsonPath, Step};

/// How a subschema is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// It judges the same value as its parent (`anyOf`, `not`, `if`, …).
    InPlace,
    /// It judges a part of the value (`properties`, `items`, …).
    Inside,
    /// It is only defined here (`$defs`, `definitions`).
    Defined,
}

/// A schema directly inside another.
#[derive(Debug, Clone)]
pub(crate) struct Child<'a> {
    pub(crate) steps: Vec<Step>,
    pub(crate) schema: &'a Value,
    pub(crate) reach: Reach,
}

impl Child<'_> {
    /// Its place, below that of its parent.
    pub(crate) fn place(&self, parent: &JsonPath) -> JsonPath {
        parent.steps().iter().chain(&self.steps).cloned().collect()
    }
}

const SINGLE: &[(&str, Reach)] = &[
    ("not", Reach::InPlace),
    ("if", Reach::InPlace),
    ("then", Reach::InPlace),
    ("else", Reach::InPlace),
    ("items", Reach::Inside),
    ("additionalItems", Reach::Inside),
    ("unevaluatedItems", Reach::Inside),
    ("contains", Reach::Inside),
    ("additionalProperties", Reach::Inside),
    ("unevaluatedProperties", Reach::Inside),
    ("propertyNames", Reach::Inside),
    ("contentSchema", Reach::Inside),
];

const LISTS: &[(&str, Reach)] = &[
    ("allOf", Reach::InPlace),
    ("anyOf", Reach::InPlace),
    ("oneOf", Reach::InPlace),
    ("prefixItems", Reach::Inside),
    ("items", Reach::Inside),
];

const MAPS: &[(&str, Reach)] = &[
    ("properties", Reach::Inside),
    ("patternProperties", Reach::Inside),
    ("dependentSchemas", Reach::InPlace),
    ("dependencies", Reach::InPlace),
    ("$defs", Reach::Defined),
    ("definitions", Reach::Defined),
];

/// The schemas directly inside a schema.
pub(crate) fn children(schema: &Value) -> Vec<Child<'_>> {
    let mut found = Vec::new();
    let Value::Object(keywords) = schema else { return found };
    for (keyword, reach) in SINGLE {
        if let Some(child) = keywords.get(*keyword).filter(|child| is_schema(child)) {
            found.push(Child { steps: vec![key(keyword)], schema: child, reach: *reach });
        }
    }
    for (keyword, reach) in LISTS {
        if let Some(Value::Array(items)) = keywords.get(*keyword) {
            found.extend(items.iter().enumerate().filter(|(_, item)| is_schema(item)).map(
                |(index, item)| Child {
                    steps: vec![key(keyword), Step::Index(index)],
                    schema: item,
                    reach: *reach,
                },
            ));
        }
    }
    for (keyword, reach) in MAPS {
        if let Some(Value::Object(members)) = keywords.get(*keyword) {
            found.extend(members.iter().filter(|(_, member)| is_schema(member)).map(|(name, member)| {
                Child { steps: vec![key(keyword), key(name)], schema: member, reach: *reach }
            }));
        }
    }
    found
}

/// Calls back for a schema and every schema inside it, parents first. Depth is bounded by the compile limits.
pub(crate) fn each<'a>(schema: &'a Value, visit: &mut dyn FnMut(&JsonPath, &'a Value)) {
    fn descend<'a>(place: &JsonPath, schema: &'a Value, visit: &mut dyn FnMut(&JsonPath, &'a Value)) {
        visit(place, schema);
        for child in children(schema) {
            descend(&child.place(place), child.schema, visit);
        }
    }
    descend(&JsonPath::root(), schema, visit);
}

/// Whether a value has the structure of a schema, wherever this table and the basic keywords reach. Patterns, formats and
/// references are not looked at, so a schema that does not compile is one too.
pub(crate) fn reads_as_schema(value: &Value) -> bool {
    let Value::Object(keywords) = value else { return value.is_boolean() };
    let list_of = |keyword: &str, test: fn(&Value) -> bool| {
        keywords.get(keyword).is_none_or(|list| list.as_array().is_some_and(|items| items.iter().all(test)))
    };
    let has_type = keywords.get("type").is_none_or(|name| match name {
        Value::Array(names) => names.iter().all(is_type_name),
        name => is_type_name(name),
    });
    let has_maps = MAPS.iter().filter_map(|(keyword, _)| Some((*keyword, keywords.get(*keyword)?))).all(
        |(keyword, map)| {
            map.as_object().is_some_and(|members| {
                members.values().all(|member| is_schema(member) || keyword == "dependencies")
            })
        },
    );
    has_type
        && has_maps
        && list_of("required", Value::is_string)
        && list_of("enum", |_| true)
        && ["allOf", "anyOf", "oneOf"].iter().all(|keyword| list_of(keyword, is_schema))
        && children(value).iter().all(|child| reads_as_schema(child.schema))
}

fn is_type_name(name: &Value) -> bool {
    const NAMES: [&str; 7] = ["array", "boolean", "integer", "null", "number", "object", "string"];
    name.as_str().is_some_and(|name| NAMES.contains(&name))
}

fn is_schema(value: &Value) -> bool {
    matches!(value, Value::Object(_) | Value::Bool(_))
}

fn key(name: &str) -> Step {
    Step::Key(name.to_owned())
}
