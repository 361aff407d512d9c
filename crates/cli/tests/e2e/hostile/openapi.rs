//! The routes in `/openapi.json`, and the places in their bodies that take input.

use std::collections::{BTreeMap, HashSet};

use serde_json::{Map, Value, json};

/// The depth of a generated body.
const DEEPEST: usize = 6;

/// One operation of the API.
#[derive(Debug)]
pub(super) struct Operation {
    pub(super) method: String,
    pub(super) path: String,
    /// Names of parameters in the path, in the query and in headers.
    pub(super) in_path: Vec<String>,
    pub(super) in_query: Vec<String>,
    pub(super) in_header: Vec<String>,
    /// The schema of its body.
    pub(super) body: Option<Value>,
}

impl Operation {
    pub(super) fn name(&self) -> String {
        format!("{} {}", self.method, self.path)
    }
}

pub(super) fn operations(document: &Value) -> Vec<Operation> {
    let paths = document["paths"].as_object().unwrap();
    let each = |(path, methods): (&String, &Value)| -> Vec<Operation> {
        let operation = |(method, operation): (&String, &Value)| {
            let parameters = operation["parameters"].as_array().cloned().unwrap_or_default();
            let named = |place: &str| {
                let here = parameters.iter().filter(|parameter| parameter["in"] == place);
                here.filter_map(|parameter| parameter["name"].as_str().map(str::to_owned)).collect()
            };
            let content = operation.pointer("/requestBody/content");
            // What takes files takes any JSON as one.
            let takes_files =
                content.is_some_and(|content| content.get("application/octet-stream").is_some());
            assert!(
                takes_files || content.is_none_or(|content| content.get("application/json").is_some()),
                "{method} {path} takes a body that is not JSON: attack it"
            );
            let any = takes_files.then(|| json!({}));
            Operation {
                method: method.to_uppercase(),
                path: path.clone(),
                in_path: named("path"),
                in_query: named("query"),
                in_header: named("header"),
                body: operation.pointer("/requestBody/content/application~1json/schema").cloned().or(any),
            }
        };
        methods.as_object().unwrap().iter().map(operation).collect()
    };
    paths.iter().flat_map(each).collect()
}

/// The routes that are not in the OpenAPI document, from the table of all routes in the guide; a test of the coordinator
/// compares that table with its own.
pub(super) fn pages(operations: &[Operation]) -> Vec<Operation> {
    let guide = include_str!("../../../../../docs/security.md");
    let rows = guide.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`')?.0.split_once(" /"));
    let rows = rows.map(|(method, path)| (method.to_owned(), format!("/{path}")));
    let is_page = |(method, path): &(String, String)| {
        !operations.iter().any(|operation| operation.method == *method && operation.path == *path)
    };
    let page = |(method, path): (String, String)| {
        assert_eq!(
            method, "GET",
            "{path} changes something, but is not in the OpenAPI document: attack its body"
        );
        let in_path = path.split(['{', '}']).skip(1).step_by(2).map(str::to_owned).collect();
        Operation { method, path, in_path, in_query: Vec::new(), in_header: Vec::new(), body: None }
    };
    rows.filter(is_page).map(page).collect()
}

/// What a place in a body takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Takes {
    Any,
    Text,
    /// A number, one of some words, or an object or list with other places in it.
    Typed,
}

/// A place in a body, and a body that is valid around it.
#[derive(Debug, Clone)]
pub(super) struct Slot {
    pub(super) path: Vec<String>,
    pub(super) takes: Takes,
    base: Value,
}

impl Slot {
    pub(super) fn name(&self) -> String {
        self.path.join(".")
    }

    /// The body with this text in the place. The names in angle brackets are replaced by objects that exist.
    pub(super) fn filled(&self, objects: &BTreeMap<&str, Value>, text: &str) -> String {
        const MARK: &str = "the place that is attacked";
        let mut body = self.base.clone();
        let place = self.path.iter().fold(&mut body, |place, name| match place {
            Value::Array(items) => &mut items[0],
            place => &mut place[name.as_str()],
        });
        *place = json!(MARK);
        with_objects(&body, objects).replace(&json!(MARK).to_string(), text)
    }
}

/// The text of a body, with objects that exist.
fn with_objects(body: &Value, objects: &BTreeMap<&str, Value>) -> String {
    objects.iter().fold(body.to_string(), |body, (name, object)| {
        body.replace(&format!("\"<{name}>\""), &object.to_string())
    })
}

/// Values for properties by their names, so that a body is accepted: always, or only if the property is required.
#[derive(Debug, Clone)]
pub(super) struct Known {
    pub(super) always: Value,
    pub(super) if_required: Value,
}

/// A document with schemas that refer to each other.
#[derive(Clone, Copy)]
pub(super) struct Schemas<'a> {
    pub(super) document: &'a Value,
    pub(super) known: &'a Known,
}

impl<'a> Schemas<'a> {
    /// All places in a body.
    pub(super) fn slots(self, schema: &'a Value) -> Vec<Slot> {
        let mut seen = HashSet::new();
        let slots = self.slots_below(schema, 0).into_iter();
        slots.filter(|slot| seen.insert((slot.path.clone(), slot.takes))).collect()
    }

    /// A body that is accepted.
    pub(super) fn harmless(self, schema: &'a Value, objects: &BTreeMap<&str, Value>) -> String {
        with_objects(&self.made(schema, 0), objects)
    }

    fn slots_below(self, schema: &'a Value, depth: usize) -> Vec<Slot> {
        let schema = self.resolved(schema);
        if let Some(branches) = branches(schema) {
            let branches = branches.iter().filter(|branch| branch["type"] != "null");
            return branches.flat_map(|branch| self.slots_below(branch, depth)).collect();
        }
        let whole = |takes| Slot { path: Vec::new(), takes, base: Value::Null };
        let properties = schema["properties"].as_object().filter(|properties| !properties.is_empty());
        let is_word = schema.get("const").or_else(|| schema.get("enum")).is_some();
        match (kind(schema), properties) {
            _ if is_word => vec![whole(Takes::Typed)],
            ("" | "object", None) => vec![whole(Takes::Any)],
            ("string", _) => vec![whole(Takes::Text)],
            ("object", Some(_)) | ("array", _) if depth >= DEEPEST => vec![whole(Takes::Typed)],
            ("array", _) => {
                let mut slots = vec![whole(Takes::Typed)];
                for slot in self.slots_below(&schema["items"], depth + 1) {
                    let path = [vec!["0".to_owned()], slot.path].concat();
                    slots.push(Slot { path, takes: slot.takes, base: json!([slot.base]) });
                }
                slots
            }
            ("object", Some(properties)) => {
                let mut slots = vec![whole(Takes::Typed)];
                let base = self.made(schema, depth);
                for (name, property) in properties {
                    for slot in self.slots_below(property, depth + 1) {
                        let mut base = base.clone();
                        base[name.as_str()] = slot.base;
                        let path = [vec![name.clone()], slot.path].concat();
                        slots.push(Slot { path, takes: slot.takes, base });
                    }
                }
                slots
            }
            _ => vec![whole(Takes::Typed)],
        }
    }

    /// Resolves a reference; returns other schemas unchanged.
    fn resolved(self, schema: &'a Value) -> &'a Value {
        match schema["$ref"].as_str() {
            Some(reference) => self.document.pointer(reference.trim_start_matches('#')).unwrap_or(schema),
            None => schema,
        }
    }

    /// The schema to sample: of alternatives, the first that is not null.
    fn chosen(self, schema: &'a Value) -> &'a Value {
        let schema = self.resolved(schema);
        let branch =
            branches(schema).and_then(|branches| branches.iter().find(|branch| branch["type"] != "null"));
        branch.map_or(schema, |branch| self.chosen(branch))
    }

    /// A small value that conforms in types and required fields.
    fn made(self, schema: &'a Value, depth: usize) -> Value {
        let schema = self.chosen(schema);
        if let Some(constant) = schema.get("const").or_else(|| schema.pointer("/enum/0")) {
            return constant.clone();
        }
        if depth > DEEPEST {
            return Value::Null;
        }
        match kind(schema) {
            "string" => json!("a"),
            "integer" | "number" => schema.get("minimum").cloned().unwrap_or(json!(1)),
            "boolean" => json!(true),
            "null" => Value::Null,
            "array" if schema["minItems"].as_u64().unwrap_or_default() > 0 => {
                json!([self.made(&schema["items"], depth + 1)])
            }
            "array" => json!([]),
            _ => {
                let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
                let member = |name: &str| {
                    let property = &schema["properties"][name];
                    let known = self.known.always.get(name).or_else(|| self.known.if_required.get(name));
                    let known = known.filter(|_| property.get("const").is_none()).cloned();
                    (name.to_owned(), known.unwrap_or_else(|| self.made(property, depth + 1)))
                };
                let mut object: Map<String, Value> = required.map(member).collect();
                let optional = schema["properties"].as_object().into_iter().flatten();
                for (name, known) in
                    optional.filter_map(|(name, _)| Some((name, self.known.always.get(name)?)))
                {
                    object.entry(name).or_insert_with(|| known.clone());
                }
                Value::Object(object)
            }
        }
    }
}

/// The alternatives of a schema that consists of nothing else.
fn branches(schema: &Value) -> Option<&Vec<Value>> {
    let branches = ["oneOf", "anyOf"].iter().find_map(|keyword| schema[*keyword].as_array());
    branches.filter(|_| schema.get("properties").is_none())
}

/// The first type that is not null.
fn kind(schema: &Value) -> &str {
    match &schema["type"] {
        Value::Array(kinds) => {
            kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null").unwrap_or("null")
        }
        kind => kind.as_str().unwrap_or_default(),
    }
}
