//! From JSON Schema to the model.
//!
//! Every object with properties, every set of literals and every union gets a definition, because not every language can write
//! them in place. A reference leads to a definition too, which is read later: recursion needs no special case, and no chain of
//! references is too long. Only where `allOf` copies what a reference leads to can a schema come to itself; then the type of the
//! outer one is used again.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet, VecDeque};

use accord_json::{Exceeded, Meter};
use serde_json::{Map, Value};

use crate::comment;
use crate::merge::{all_of, only_reference, resolve};
use crate::model::{Body, Definition, Field, Record, Shape};
use crate::names::{Names, pascal};

/// How many `allOf` may be read inside each other. Deeper ones grow with each level and never end.
const MOST_MERGED: usize = 64;

/// Reads one schema document.
pub(crate) struct Reader<'a> {
    document: &'a Value,
    names: &'a mut Names,
    definitions: &'a mut Vec<Definition>,
    /// Definitions by the reference that leads to them.
    references: HashMap<String, usize>,
    /// Definitions that are reserved and not yet read.
    later: VecDeque<(usize, &'a Value)>,
    /// The `allOf` that are being read, with their names, and their definitions if they contain themselves.
    merging: HashMap<String, (String, Option<usize>)>,
    meter: &'a Meter,
    /// Names of referenced definitions start with it.
    root_name: String,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(
        document: &'a Value,
        names: &'a mut Names,
        definitions: &'a mut Vec<Definition>,
        meter: &'a Meter,
    ) -> Self {
        let (references, merging, later) = (HashMap::new(), HashMap::new(), VecDeque::new());
        Self { document, names, definitions, references, later, merging, meter, root_name: String::new() }
    }

    /// The definition of the whole document.
    pub(crate) fn root(mut self, name: &str) -> Result<usize, Exceeded> {
        self.root_name = name.to_owned();
        let index = self.reserve(name, self.document);
        self.references.insert("#".to_owned(), index);
        self.later.push_back((index, self.document));
        while let Some((index, schema)) = self.later.pop_front() {
            self.define(index, schema)?;
        }
        Ok(index)
    }

    fn reserve(&mut self, name: &str, schema: &Value) -> usize {
        self.definitions.push(Definition {
            name: self.names.unique(name),
            comment: comment::of(schema),
            body: Body::Alias(Shape::Any),
            is_recursive: false,
        });
        self.definitions.len() - 1
    }

    fn define(&mut self, index: usize, schema: &Value) -> Result<(), Exceeded> {
        let Some(name) = self.definitions.get(index).map(|definition| definition.name.clone()) else {
            return Ok(());
        };
        let body = match self.body(schema, &name)? {
            Body::Alias(shape) => match shape.without_null() {
                Some(others @ Shape::Union(_)) => {
                    let value = self.named(&format!("{name}Value"), Body::Alias(others), Vec::new());
                    Body::Alias(Shape::Union(vec![value, Shape::Null]))
                }
                _ => Body::Alias(shape),
            },
            record @ Body::Record(_) => record,
        };
        if let Some(definition) = self.definitions.get_mut(index) {
            definition.body = body;
        }
        Ok(())
    }

    fn named(&mut self, name: &str, body: Body, comment: Vec<String>) -> Shape {
        let name = self.names.unique(name);
        self.definitions.push(Definition { name, comment, body, is_recursive: false });
        Shape::Named(self.definitions.len() - 1)
    }

    /// The shape of a schema inside another one, with a definition where it needs a name.
    fn shape(&mut self, schema: &Value, name: &str) -> Result<Shape, Exceeded> {
        let body = self.body(schema, name)?;
        let comment = || comment::of(schema);
        Ok(match body {
            Body::Record(_) => self.named(name, body, comment()),
            Body::Alias(shape) => match shape.without_null() {
                Some(others) if needs_name(&others) => {
                    let value = self.named(name, Body::Alias(others), comment());
                    Shape::Union(vec![value, Shape::Null])
                }
                None if needs_name(&shape) => self.named(name, Body::Alias(shape), comment()),
                _ => shape,
            },
        })
    }

    fn body(&mut self, schema: &Value, name: &str) -> Result<Body, Exceeded> {
        let meter = self.meter;
        let _level = meter.enter()?;
        meter.steps(1)?;
        let Value::Object(keywords) = schema else { return Ok(Body::Alias(Shape::Any)) };
        if let Some(reference) = keywords.get("$ref").and_then(Value::as_str) {
            return Ok(Body::Alias(self.reference(reference)));
        }
        if let Some(constant) = keywords.get("const") {
            return Ok(Body::Alias(literal(constant)));
        }
        if let Some(Value::Array(all)) = keywords.get("enum") {
            return Ok(Body::Alias(Shape::one_of(all.iter().map(literal))));
        }
        if keywords.contains_key("allOf") {
            return match only_reference(keywords) {
                Some(reference) => Ok(Body::Alias(self.reference(reference))),
                None => self.all(keywords, name),
            };
        }
        let branches = keywords.get("anyOf").or_else(|| keywords.get("oneOf"));
        if let (Some(Value::Array(branches)), false) = (branches, keywords.contains_key("properties")) {
            return Ok(Body::Alias(self.union(branches, keywords.get("type"), name)?));
        }
        match keywords.get("type") {
            Some(Value::String(kind)) => self.kind(kind, keywords, name),
            Some(Value::Array(kinds)) => {
                let mut shapes = Vec::new();
                for kind in kinds.iter().filter_map(Value::as_str) {
                    shapes.push(match self.kind(kind, keywords, name)? {
                        Body::Alias(shape) => shape,
                        record @ Body::Record(_) => self.named(name, record, Vec::new()),
                    });
                }
                Ok(Body::Alias(Shape::one_of(shapes)))
            }
            _ => Ok(Body::Alias(Shape::Any)),
        }
    }

    /// The body of all schemas of an `allOf` together.
    fn all(&mut self, keywords: &Map<String, Value>, name: &str) -> Result<Body, Exceeded> {
        // The same words in the same document mean the same, also where they were copied to.
        let key = serde_json::to_string(keywords).unwrap_or_default();
        self.meter.bytes(key.len())?;
        if let Some((name, known)) = self.merging.get(&key).cloned() {
            let index = known.unwrap_or_else(|| self.reserve(&name, &Value::Null));
            self.merging.insert(key, (name, Some(index)));
            return Ok(Body::Alias(Shape::Named(index)));
        }
        if self.merging.len() >= MOST_MERGED {
            return Ok(Body::Alias(Shape::Any));
        }
        self.merging.insert(key.clone(), (name.to_owned(), None));
        let body = match all_of(self.document, keywords, self.meter)? {
            Some(merged) => self.body(&Value::Object(merged), name)?,
            None => Body::Alias(Shape::Any),
        };
        let Some((_, Some(index))) = self.merging.remove(&key) else { return Ok(body) };
        if let Some(definition) = self.definitions.get_mut(index) {
            definition.body = body;
        }
        Ok(Body::Alias(Shape::Named(index)))
    }

    fn union(&mut self, branches: &[Value], kind: Option<&Value>, name: &str) -> Result<Shape, Exceeded> {
        let mut shapes = Vec::new();
        for (index, branch) in branches.iter().enumerate() {
            let title = branch.get("title").and_then(Value::as_str).map(pascal);
            let name = format!("{name}{}", title.unwrap_or_else(|| (index + 1).to_string()));
            shapes.push(self.shape(&with_type(branch, kind), &name)?);
        }
        Ok(Shape::one_of(shapes))
    }

    fn kind(&mut self, kind: &str, keywords: &Map<String, Value>, name: &str) -> Result<Body, Exceeded> {
        Ok(Body::Alias(match kind {
            "null" => Shape::Null,
            "boolean" => Shape::Boolean,
            "integer" => Shape::Integer,
            "number" => Shape::Number,
            "string" => Shape::String,
            "array" => Shape::List(Box::new(self.items(keywords, name)?)),
            "object" => return self.object(keywords, name),
            _ => Shape::Any,
        }))
    }

    /// What an item of an array can be. The position of an item is not part of its type.
    fn items(&mut self, keywords: &Map<String, Value>, name: &str) -> Result<Shape, Exceeded> {
        let item = format!("{name}Item");
        let (first, rest) = match (keywords.get("prefixItems"), keywords.get("items")) {
            (Some(Value::Array(first)), rest) => (first, rest),
            (_, Some(Value::Array(first))) => (first, keywords.get("additionalItems")),
            (_, Some(items)) => return self.shape(items, &item),
            (_, None) => return Ok(Shape::Any),
        };
        let mut shapes = match rest {
            Some(Value::Bool(false)) => Vec::new(),
            Some(rest @ Value::Object(_)) => vec![self.shape(rest, &item)?],
            _ => return Ok(Shape::Any),
        };
        for (index, schema) in first.iter().enumerate() {
            shapes.push(self.shape(schema, &format!("{item}{}", index + 1))?);
        }
        let shape = Shape::one_of(shapes);
        Ok(match needs_name(&shape) {
            true => self.named(&item, Body::Alias(shape), Vec::new()),
            false => shape,
        })
    }

    fn object(&mut self, keywords: &Map<String, Value>, name: &str) -> Result<Body, Exceeded> {
        let additional = keywords.get("additionalProperties");
        let has_patterns = keywords.contains_key("patternProperties");
        let properties = keywords.get("properties").and_then(Value::as_object);
        let Some(properties) = properties.filter(|properties| !properties.is_empty()) else {
            return Ok(match additional {
                Some(Value::Bool(false)) if !has_patterns => {
                    Body::Record(Record { fields: Vec::new(), is_closed: true })
                }
                Some(values @ Value::Object(_)) if !has_patterns => {
                    Body::Alias(Shape::Map(Box::new(self.shape(values, &format!("{name}Value"))?)))
                }
                _ => Body::Alias(Shape::Map(Box::new(Shape::Any))),
            });
        };
        let required = keywords.get("required").and_then(Value::as_array).into_iter().flatten();
        let required: HashSet<&str> = required.filter_map(Value::as_str).collect();
        let mut fields = Vec::new();
        for (property, schema) in properties {
            fields.push(Field {
                name: property.clone(),
                shape: self.shape(schema, &format!("{name}{}", pascal(property)))?,
                is_required: required.contains(property.as_str()),
                comment: comment::of(schema),
            });
        }
        let is_closed = additional == Some(&Value::Bool(false)) && !has_patterns;
        Ok(Body::Record(Record { fields, is_closed }))
    }

    /// The definition that a reference inside the document leads to.
    fn reference(&mut self, reference: &str) -> Shape {
        if let Some(index) = self.references.get(reference) {
            return Shape::Named(*index);
        }
        let Some(target) = resolve(self.document, reference) else { return Shape::Any };
        let last = reference.rsplit('/').next().unwrap_or_default();
        let index = self.reserve(&format!("{}{}", self.root_name, pascal(last)), target);
        self.references.insert(reference.to_owned(), index);
        self.later.push_back((index, target));
        Shape::Named(index)
    }
}

/// Whether a shape cannot be written in place in every language.
fn needs_name(shape: &Shape) -> bool {
    matches!(shape, Shape::Union(_) | Shape::Literal(Value::String(_)))
}

fn literal(value: &Value) -> Shape {
    match value {
        Value::Null => Shape::Null,
        value if comment::is_literal(value) => Shape::Literal(value.clone()),
        Value::Number(_) => Shape::Number,
        Value::Array(_) => Shape::List(Box::new(Shape::Any)),
        Value::Object(_) => Shape::Map(Box::new(Shape::Any)),
        Value::Bool(_) | Value::String(_) => Shape::Any,
    }
}

/// A branch, with the type of the schema around it if it has none of its own.
fn with_type<'a>(branch: &'a Value, kind: Option<&Value>) -> Cow<'a, Value> {
    const SAY_THE_TYPE: [&str; 7] = ["type", "$ref", "const", "enum", "allOf", "anyOf", "oneOf"];
    match (branch, kind) {
        (Value::Object(keywords), Some(kind))
            if !SAY_THE_TYPE.iter().any(|keyword| keywords.contains_key(*keyword)) =>
        {
            let mut keywords = keywords.clone();
            keywords.insert("type".to_owned(), kind.clone());
            Cow::Owned(Value::Object(keywords))
        }
        _ => Cow::Borrowed(branch),
    }
}
