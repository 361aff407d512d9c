//! The source schema, read as conjunctions: all schemas that apply to one place of a value, with
//! references followed and `allOf` expanded, side by side. So merging `allOf` is not a separate
//! step: a property's schema is the conjunction of the parts' schemas for it.

use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::json_path::{JsonPath, Step};
use crate::schema::reference::{Resolver, base_of};
use crate::schema::{Dialect, Schema};

/// A schema of the source and its location.
#[derive(Debug, Clone)]
pub(super) struct At<'a> {
    pub(super) place: JsonPath,
    pub(super) schema: &'a Value,
}

impl At<'_> {
    /// Two schemas are the same when they are the same piece of the document.
    pub(super) fn identity(&self) -> usize {
        identity(self.schema)
    }
}

pub(super) fn identity(value: &Value) -> usize {
    std::ptr::from_ref(value).addr()
}

/// A schema object that takes part in a conjunction.
#[derive(Debug, Clone)]
pub(super) struct Part<'a> {
    pub(super) place: JsonPath,
    pub(super) keywords: &'a Map<String, Value>,
}

impl<'a> Part<'a> {
    pub(super) fn get(&self, keyword: &str) -> Option<&'a Value> {
        self.keywords.get(keyword)
    }

    /// The schemas in a keyword that maps names to schemas.
    pub(super) fn map(&self, keyword: &str) -> Option<&'a Map<String, Value>> {
        self.get(keyword).and_then(Value::as_object)
    }

    pub(super) fn list(&self, keyword: &str) -> Option<&'a Vec<Value>> {
        self.get(keyword).and_then(Value::as_array)
    }

    pub(super) fn number(&self, keyword: &str) -> Option<u64> {
        let number = self.get(keyword)?;
        // `2.0` is a whole number to JSON Schema.
        number.as_u64().or_else(|| number.as_f64().filter(|float| *float >= 0.0).map(|float| float as u64))
    }

    /// The schema in a keyword.
    pub(super) fn at(&self, keyword: &str) -> Option<At<'a>> {
        self.get(keyword).map(|schema| At { place: self.place.key(keyword), schema })
    }
}

/// `anyOf` or `oneOf` of a part.
#[derive(Debug, Clone)]
pub(super) struct Alternatives<'a> {
    pub(super) keyword: &'static str,
    pub(super) place: JsonPath,
    pub(super) list: &'a Value,
    pub(super) branches: Vec<At<'a>>,
}

/// Everything that judges one place of a value.
#[derive(Debug, Default)]
pub(super) struct Conjunction<'a> {
    pub(super) parts: Vec<Part<'a>>,
    pub(super) unions: Vec<Alternatives<'a>>,
    /// One of the parts is `false`.
    pub(super) never: bool,
    /// A reference leads out of the document, to a meta-schema: what it asks for is not read.
    pub(super) opaque: bool,
    pub(super) title: Option<&'a str>,
    pub(super) description: Option<&'a str>,
    /// The name of the first definition that was followed.
    pub(super) name: Option<String>,
}

/// The document and how its references lead.
pub(super) struct Source<'a> {
    document: &'a Value,
    resolver: Resolver<'a>,
    pub(super) dialect: Dialect,
}

impl<'a> Source<'a> {
    pub(super) fn new(schema: &'a Schema) -> Self {
        let document = schema.document();
        Self { document, resolver: Resolver::new(document), dialect: schema.dialect() }
    }

    pub(super) fn root(&self) -> At<'a> {
        At { place: JsonPath::root(), schema: self.document }
    }

    /// The keywords that refer to another schema in this dialect.
    fn reference_keywords(&self) -> &'static [&'static str] {
        match self.dialect {
            Dialect::Draft7 => &["$ref"],
            Dialect::Draft201909 => &["$ref", "$recursiveRef"],
            Dialect::Draft202012 => &["$ref", "$dynamicRef"],
        }
    }

    fn resolve(&self, place: &JsonPath, reference: &str) -> Option<At<'a>> {
        let mut base = String::new();
        let mut current = Some(self.document);
        for step in place.steps() {
            base = current.map_or(base.clone(), |value| base_of(&base, value));
            current = current.and_then(|value| step.within(value));
        }
        base = current.map_or(base.clone(), |value| base_of(&base, value));
        self.resolver.resolve(&base, reference).map(|(place, schema)| At { place, schema })
    }

    /// Follows a bare reference to its target.
    pub(super) fn follow(&self, at: At<'a>) -> (At<'a>, Option<String>) {
        let (mut at, mut name) = (at, None);
        let mut seen = HashSet::new();
        while seen.insert(at.identity()) {
            let Some(keywords) = at.schema.as_object() else { break };
            let Some(reference) = keywords.get("$ref").and_then(Value::as_str) else { break };
            let bare = keywords.keys().all(|keyword| {
                keyword == "$ref"
                    || (self.dialect == Dialect::Draft7 || is_silent(keyword))
                        && !matches!(keyword.as_str(), "description" | "title")
            });
            let Some(target) = self.resolve(&at.place, reference).filter(|_| bare) else { break };
            name = Some(name_of(&target.place));
            at = target;
        }
        (at, name)
    }

    /// Opens schemas into the conjunction of all that judges the same value. Unions in `resolved` are left
    /// out: one of their branches is among the schemas.
    pub(super) fn open(&self, schemas: &[At<'a>], resolved: &[usize]) -> Conjunction<'a> {
        let mut conjunction = Conjunction::default();
        let mut seen = HashSet::new();
        let mut stack: Vec<At<'a>> = schemas.iter().rev().cloned().collect();
        while let Some(at) = stack.pop() {
            if !seen.insert(at.identity()) {
                continue;
            }
            let keywords = match at.schema {
                Value::Object(keywords) => keywords,
                Value::Bool(false) => {
                    conjunction.never = true;
                    continue;
                }
                _ => continue,
            };
            conjunction.title = conjunction.title.or_else(|| keywords.get("title")?.as_str());
            conjunction.description =
                conjunction.description.or_else(|| keywords.get("description")?.as_str());
            let targets = self.targets(&at, keywords, &mut conjunction);
            let alone = self.dialect == Dialect::Draft7 && keywords.contains_key("$ref");
            if !alone {
                if let Some(Value::Array(branches)) = keywords.get("allOf") {
                    let place = at.place.key("allOf");
                    stack.extend(
                        branches
                            .iter()
                            .enumerate()
                            .rev()
                            .map(|(index, schema)| At { place: place.index(index), schema }),
                    );
                }
                for keyword in ["anyOf", "oneOf"] {
                    conjunction.unions.extend(alternatives(&at.place, keywords, keyword, resolved));
                }
                conjunction.parts.push(Part { place: at.place, keywords });
            }
            stack.extend(targets.into_iter().rev());
        }
        conjunction
    }

    fn targets(
        &self,
        at: &At<'a>,
        keywords: &'a Map<String, Value>,
        conjunction: &mut Conjunction<'a>,
    ) -> Vec<At<'a>> {
        let mut targets = Vec::new();
        for keyword in self.reference_keywords() {
            let Some(reference) = keywords.get(*keyword).and_then(Value::as_str) else { continue };
            match self.resolve(&at.place, reference) {
                Some(target) => {
                    conjunction.name.get_or_insert_with(|| name_of(&target.place));
                    targets.push(target);
                }
                None => conjunction.opaque = true,
            }
        }
        targets
    }
}

fn alternatives<'a>(
    place: &JsonPath,
    keywords: &'a Map<String, Value>,
    keyword: &'static str,
    resolved: &[usize],
) -> Option<Alternatives<'a>> {
    let list = keywords.get(keyword)?;
    if resolved.contains(&identity(list)) {
        return None;
    }
    let inside = place.key(keyword);
    let branches = list.as_array()?.iter().enumerate();
    let branches = branches.map(|(index, schema)| At { place: inside.index(index), schema }).collect();
    Some(Alternatives { keyword, place: place.clone(), list, branches })
}

/// Keywords without assertions: next to a reference or a union they change nothing.
pub(super) fn is_silent(keyword: &str) -> bool {
    matches!(
        keyword,
        "title"
            | "description"
            | "default"
            | "examples"
            | "example"
            | "deprecated"
            | "readOnly"
            | "writeOnly"
            | "discriminator"
            | "$comment"
            | "$schema"
            | "$id"
            | "$anchor"
            | "$dynamicAnchor"
            | "$recursiveAnchor"
            | "$vocabulary"
            | "$defs"
            | "definitions"
            | "contentEncoding"
            | "contentMediaType"
            | "contentSchema"
    ) || keyword.starts_with("x-")
}

fn name_of(place: &JsonPath) -> String {
    match place.steps().last() {
        Some(Step::Key(name)) => name.clone(),
        Some(Step::Index(index)) => format!("item_{index}"),
        None => "root".to_owned(),
    }
}
