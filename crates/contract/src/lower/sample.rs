//! A made-up answer to a schema, and a text that it could have been read from.
//!
//! A small model that has seen one exchange answers in its form; one that has only seen the form writes prose or code. The
//! sample replaces the examples that an agent does not have. It is made from the graph that the form is made from, and
//! used only if it conforms: what the graph cannot say (conditions, unusual patterns) is not worked around.

use accord_json::{Exceeded, Limits, Meter};
use serde_json::{Map, Value, json};

use super::build;
use super::graph::{Demand, Graph, Node, NodeId, Shape};
use super::profile::Profile;
use crate::limits::MAX_DEPTH;
use crate::schema::Schema;

/// A longer sample costs more than it shows.
const MAX_BYTES: usize = 4 * 1024;

/// More items of a list show nothing new.
const MAX_ITEMS: u64 = 8;

/// What looking for a sample may cost: where a branch has none, the next one is tried, at every level.
const COST: Limits = Limits { depth: MAX_DEPTH, steps: 20_000, bytes: 0, values: 0 };

/// A made-up exchange.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// The values in words, as a text to read them from.
    pub text: String,
    /// The answer.
    pub value: Value,
}

/// A sample for a schema; `None` if nothing that conforms can be made up in a few lines.
pub fn sample(schema: &Schema, meter: &Meter) -> Result<Option<Sample>, Exceeded> {
    let Some(profile) = Profile::named("ollama") else { return Ok(None) };
    let (graph, _) = build::build(schema, profile, meter)?;
    let cost = meter.part(COST)?;
    let mut maker = Maker { graph: &graph, open: Vec::new(), strings: 0, bytes: 0, meter: &cost };
    let Some(value) = maker.make(graph.root(), "text") else {
        return meter.check_stop().map(|()| None);
    };
    let mut sentences = Vec::new();
    tell(&value, "", &mut sentences);
    Ok(schema.is_valid(&value).then(|| Sample { text: sentences.join(" "), value }))
}

struct Maker<'a> {
    graph: &'a Graph,
    /// The nodes around the current one, to notice a schema that contains itself.
    open: Vec<NodeId>,
    /// How many strings were made up, so that no two are the same.
    strings: usize,
    bytes: usize,
    meter: &'a Meter,
}

impl Maker<'_> {
    fn make(&mut self, id: NodeId, label: &str) -> Option<Value> {
        self.meter.steps(1).ok()?;
        let _level = self.meter.enter().ok()?;
        if self.open.contains(&id) || self.bytes > MAX_BYTES {
            return None;
        }
        self.open.push(id);
        let value = self.shape(self.graph.get(id), label);
        self.open.pop();
        self.bytes += label.len() + value.as_ref().and_then(Value::as_str).map_or(8, str::len);
        value
    }

    fn shape(&mut self, node: &Node, label: &str) -> Option<Value> {
        match &node.shape {
            Shape::Never => None,
            Shape::Any => Some(self.string(node, label)?.into()),
            Shape::Literals { values } | Shape::Scalar { values: Some(values), .. } => {
                values.first().cloned()
            }
            Shape::Scalar { types, values: None } => {
                match types.iter().find(|name| **name != "null").copied().unwrap_or("null") {
                    "string" => Some(self.string(node, label)?.into()),
                    "boolean" => Some(Value::Bool(true)),
                    "null" => Some(Value::Null),
                    kind => number(node, kind == "integer"),
                }
            }
            Shape::List { items } => {
                let count = bound(node, "minItems").unwrap_or(1.0).max(1.0) as u64;
                let most = bound(node, "maxItems").unwrap_or(1.0) as u64;
                let count = if most == 0 { 0 } else { count.min(MAX_ITEMS) };
                (0..count).map(|_| self.make(*items, label)).collect::<Option<Vec<_>>>().map(Value::Array)
            }
            Shape::Tuple { members, .. } => members
                .iter()
                .map(|each| self.make(each.node, label))
                .collect::<Option<Vec<_>>>()
                .map(Value::Array),
            Shape::Object { members, .. } => {
                let mut object = Map::new();
                for member in members {
                    match self.make(member.node, &member.name.replace(['_', '-'], " ")) {
                        Some(value) => {
                            object.insert(member.name.clone(), value);
                        }
                        None if member.required => return None,
                        None => {}
                    }
                }
                Some(Value::Object(object))
            }
            Shape::Map { rest } => {
                let value = self.make(rest.nodes().next()?, label)?;
                Some(json!({ "sample": value }))
            }
            Shape::Union { branches, .. } => {
                let mut made = branches.iter().filter_map(|branch| self.make(branch.node, label));
                made.find(|value| !value.is_null())
            }
        }
    }

    /// Words that no input has by chance, so that a copy of them is recognised.
    fn string(&mut self, node: &Node, label: &str) -> Option<String> {
        self.strings += 1;
        if let Some(pattern) = text_of(node, "pattern") {
            return matching(pattern);
        }
        let number = self.strings;
        let mut text = match text_of(node, "format") {
            None => format!("sample {label} {number}"),
            Some("date") => format!("2001-02-{:02}", number % 28 + 1),
            Some("time") => format!("10:{:02}:00Z", number % 60),
            Some("date-time") => format!("2001-02-{:02}T10:00:00Z", number % 28 + 1),
            Some("email") => format!("sample{number}@example.com"),
            Some("hostname") => format!("sample{number}.example.com"),
            Some("ipv4") => format!("192.0.2.{}", number % 256),
            Some("ipv6") => format!("2001:db8::{number:x}"),
            Some("uuid") => format!("00000000-0000-4000-8000-{number:012x}"),
            Some("uri" | "uri-reference") => format!("https://example.com/sample{number}"),
            Some(_) => return None,
        };
        let least = bound(node, "minLength").unwrap_or(0.0).min(MAX_BYTES as f64) as usize;
        while text.chars().count() < least {
            text.push_str(" and more");
        }
        if let Some(most) = bound(node, "maxLength") {
            text = text.chars().take(most.min(MAX_BYTES as f64) as usize).collect();
        }
        Some(text.trim_end().to_owned())
    }
}

fn demand<'a>(node: &'a Node, keyword: &str) -> Option<&'a Demand> {
    node.demands.iter().find(|demand| demand.keyword == keyword)
}

fn text_of<'a>(node: &'a Node, keyword: &str) -> Option<&'a str> {
    demand(node, keyword)?.value.as_str()
}

fn bound(node: &Node, keyword: &str) -> Option<f64> {
    demand(node, keyword)?.value.as_f64()
}

/// The number nearest to 1 that the bounds allow.
fn number(node: &Node, is_integer: bool) -> Option<Value> {
    let step = bound(node, "multipleOf").unwrap_or(if is_integer { 1.0 } else { 0.5 });
    let above = bound(node, "exclusiveMinimum").map(|least| least + step);
    let below = bound(node, "exclusiveMaximum").map(|most| most - step);
    let least = above.into_iter().chain(bound(node, "minimum")).fold(f64::NEG_INFINITY, f64::max);
    let most = below.into_iter().chain(bound(node, "maximum")).fold(f64::INFINITY, f64::min);
    let near = 1.0_f64.max(least).min(most);
    let near = if demand(node, "multipleOf").is_some() { (near / step).ceil() * step } else { near };
    match is_integer && near.fract() == 0.0 && near.abs() < 1e15 {
        true => Some(Value::from(near as i64)),
        false => serde_json::Number::from_f64(near).map(Value::Number),
    }
}

/// The shortest text that a pattern matches, as far as its syntax shows it.
fn matching(pattern: &str) -> Option<String> {
    use regex_syntax::hir::{Class, Hir, HirKind};
    fn write(hir: &Hir, text: &mut String) -> Option<()> {
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => {}
            HirKind::Literal(literal) => text.push_str(std::str::from_utf8(&literal.0).ok()?),
            HirKind::Class(Class::Unicode(class)) => text.push(class.ranges().last()?.start()),
            HirKind::Class(Class::Bytes(class)) => text.push(char::from(class.ranges().last()?.start())),
            HirKind::Repetition(repetition) => {
                for _ in 0..repetition.min {
                    write(&repetition.sub, text)?;
                    if text.len() > MAX_BYTES {
                        return None;
                    }
                }
            }
            HirKind::Capture(capture) => write(&capture.sub, text)?,
            HirKind::Concat(parts) => parts.iter().try_for_each(|part| write(part, text))?,
            HirKind::Alternation(parts) => write(parts.first()?, text)?,
        }
        Some(())
    }
    let translated = jsonschema_regex::to_rust_regex(pattern).ok()?;
    let mut text = String::new();
    write(&regex_syntax::parse(&translated).ok()?, &mut text)?;
    Some(text)
}

/// The values in words, one sentence each.
fn tell(value: &Value, label: &str, sentences: &mut Vec<String>) {
    let below = |name: &str| match label {
        "" => name.replace(['_', '-'], " "),
        label => format!("{label} {}", name.replace(['_', '-'], " ")),
    };
    match value {
        Value::Object(members) => {
            members.iter().for_each(|(name, member)| tell(member, &below(name), sentences));
        }
        Value::Array(items) => items.iter().for_each(|item| tell(item, label, sentences)),
        Value::String(text) if label.is_empty() => sentences.push(format!("{text}.")),
        Value::String(text) => sentences.push(format!("{label}: {text}.")),
        other => sentences.push(format!("{label}: {other}.").trim_start_matches(": ").to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use accord_json::Meter;

    fn of(schema: Value) -> Option<Sample> {
        sample(&Schema::compile(&schema, &Meter::default()).unwrap(), &Meter::default()).unwrap()
    }

    #[test]
    fn fills_every_field_and_tells_it_in_words() {
        let made = of(json!({
            "type": "object", "required": ["title", "day", "people"], "additionalProperties": false,
            "properties": {
                "title": {"type": "string", "minLength": 20, "maxLength": 60},
                "day": {"enum": ["monday", "friday"]},
                "start_hour": {"type": "integer", "minimum": 7, "maximum": 23},
                "share": {"type": "number", "exclusiveMinimum": 0, "maximum": 0.5},
                "number": {"type": "string", "pattern": "^[A-Z]{2}-[0-9]+$"},
                "people": {"type": "array", "minItems": 2, "uniqueItems": true, "items": {"type": "string"}},
                "delivery": {"oneOf": [{"type": "null"}, {"type": "object", "required": ["to_street"],
                    "properties": {"to_street": {"type": "string"}}}]},
            },
        }))
        .unwrap();
        assert_eq!(
            made.value,
            json!({
                "title": "sample title 1 and more", "day": "monday", "start_hour": 7, "share": 0.5,
                "number": "AA-0", "people": ["sample people 3", "sample people 4"],
                "delivery": {"to_street": "sample to street 5"},
            })
        );
        assert!(made.text.starts_with("title: sample title 1 and more. day: monday. start hour: 7. "));
        assert!(made.text.ends_with("delivery to street: sample to street 5."), "{}", made.text);
    }

    #[test]
    fn every_generated_format_conforms() {
        for format in
            ["date", "time", "date-time", "email", "hostname", "ipv4", "ipv6", "uuid", "uri", "uri-reference"]
        {
            assert!(of(json!({"type": "string", "format": format})).is_some(), "{format}");
        }
    }

    #[test]
    fn optional_members_without_a_sample_are_left_out() {
        for schema in [
            json!({"type": "string", "pattern": "^(?!a)b$", "minLength": 5}),
            json!({"type": "object", "required": ["next"], "properties": {"next": {"$ref": "#"}}}),
            json!({"type": "array", "minItems": 2, "uniqueItems": true, "items": {"enum": ["a", "b"]}}),
            json!({"type": "object", "not": {"required": ["a"]}, "properties": {"a": {"type": "string"}}}),
            json!({"type": "string", "format": "regex", "minLength": 40}),
        ] {
            if let Ok(schema) = Schema::compile(&schema, &Meter::default()) {
                assert_eq!(sample(&schema, &Meter::default()), Ok(None));
            }
        }
        let optional =
            of(json!({"type": "object", "properties": {"next": {"$ref": "#"}, "n": {"type": "integer"}}}));
        assert_eq!(optional.unwrap().value, json!({"n": 1}));
    }
}
