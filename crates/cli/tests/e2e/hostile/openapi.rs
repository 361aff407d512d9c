//! The routes in `/openapi.json`, with a small request body for each.

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

pub(super) fn operations(document: &Value) -> Vec<Operation> {
    let paths = document["paths"].as_object().unwrap();
    let each = |(path, methods): (&String, &Value)| -> Vec<Operation> {
        let operation = |(method, operation): (&String, &Value)| {
            let parameters = operation["parameters"].as_array().cloned().unwrap_or_default();
            let named = |place: &str| {
                let here = parameters.iter().filter(|parameter| parameter["in"] == place);
                here.filter_map(|parameter| parameter["name"].as_str().map(str::to_owned)).collect()
            };
            Operation {
                method: method.to_uppercase(),
                path: path.clone(),
                in_path: named("path"),
                in_query: named("query"),
                in_header: named("header"),
                body: operation.pointer("/requestBody/content/application~1json/schema").cloned(),
            }
        };
        methods.as_object().unwrap().iter().map(operation).collect()
    };
    paths.iter().flat_map(each).collect()
}

/// Resolves a reference; returns other schemas unchanged.
fn resolved<'a>(schema: &'a Value, document: &'a Value) -> &'a Value {
    match schema["$ref"].as_str() {
        Some(reference) => document.pointer(reference.trim_start_matches('#')).unwrap_or(schema),
        None => schema,
    }
}

/// The schema to sample: of alternatives, the first that is not null.
fn chosen<'a>(schema: &'a Value, document: &'a Value) -> &'a Value {
    let schema = resolved(schema, document);
    let branches = ["oneOf", "anyOf"].iter().find_map(|keyword| schema[*keyword].as_array());
    let branch = branches.and_then(|branches| branches.iter().find(|branch| branch["type"] != "null"));
    match branch {
        Some(branch) => chosen(branch, document),
        None => schema,
    }
}

/// A small value that conforms in types and required fields.
pub(super) fn sample(schema: &Value, document: &Value) -> Value {
    made(schema, document, 0)
}

fn made(schema: &Value, document: &Value, depth: usize) -> Value {
    let schema = chosen(schema, document);
    if let Some(constant) = schema.get("const").or_else(|| schema.pointer("/enum/0")) {
        return constant.clone();
    }
    if depth > DEEPEST {
        return Value::Null;
    }
    let kind = match &schema["type"] {
        Value::Array(kinds) => kinds.first().and_then(Value::as_str).unwrap_or_default(),
        kind => kind.as_str().unwrap_or_default(),
    };
    match kind {
        "string" => json!("a"),
        "integer" | "number" => schema.get("minimum").cloned().unwrap_or(json!(1)),
        "boolean" => json!(true),
        "null" => Value::Null,
        "array" if schema["minItems"].as_u64().unwrap_or_default() > 0 => {
            json!([made(&schema["items"], document, depth + 1)])
        }
        "array" => json!([]),
        _ => {
            let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
            let member =
                |name: &str| (name.to_owned(), made(&schema["properties"][name], document, depth + 1));
            Value::Object(required.map(member).collect::<Map<String, Value>>())
        }
    }
}

/// The fields of a body and of the objects in it, as paths of names.
pub(super) fn fields(schema: &Value, document: &Value, deepest: usize) -> Vec<Vec<String>> {
    let schema = chosen(schema, document);
    let mut fields = Vec::new();
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        fields.push(vec![name.clone()]);
        if deepest > 1 {
            let inner = self::fields(field, document, deepest - 1).into_iter();
            fields.extend(inner.map(|path| [vec![name.clone()], path].concat()));
        }
    }
    fields
}

/// A body as text, with one field replaced.
pub(super) fn with_field(body: &Value, path: &[String], text: &str) -> String {
    const MARK: &str = "the field that is replaced";
    let mut body = body.clone();
    let mut place = &mut body;
    for name in path {
        if !place.is_object() {
            *place = json!({});
        }
        place = &mut place[name.as_str()];
    }
    *place = json!(MARK);
    body.to_string().replace(&json!(MARK).to_string(), text)
}
