//! The form of an answer with a placeholder for each value, and in words what the form cannot show.
//!
//! Small models repeat a JSON Schema instead of following it, but fill in a form. The form and its rules are written from
//! the graph that lowering uses, so that references are followed and `allOf` is merged. `complete` is false if the two
//! together say less than the schema; then the schema has to be shown as well.

use std::collections::BTreeSet;

use accord_json::{Exceeded, Limits, Meter};
use serde_json::Value;

use super::build;
use super::graph::{Branch, Demand, Graph, Member, Node, NodeId, Shape};
use super::kinds::distinct;
use super::profile::Profile;
use super::sentences;
use crate::limits::MAX_DEPTH;
use crate::schema::Schema;

/// A longer example does not help a model, and the schema says the same in fewer bytes.
const MAX_BYTES: usize = 8 * 1024;

/// All rules together. What they repeat of the schema in words is as long as the schema.
const MAX_RULE_BYTES: usize = 8 * MAX_BYTES;

/// What writing a form may cost, with all that is written only to be put into something larger or left out again:
/// alternatives that nest double the work with each level. The longest form that is used needs a tenth of it.
const COST: Limits = Limits { depth: MAX_DEPTH, steps: 20_000, bytes: 1024 * 1024, values: 0 };

/// Values of an enum that fit into a placeholder. More are listed in a rule.
const MAX_VALUES_INLINE: usize = 8;

/// Items of an array that are shown if the schema asks for that many: enough to show that there are several.
const MAX_ITEMS: u64 = 3;

/// The form of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skeleton {
    /// The form, with placeholders such as `"<title>"`, `<integer>` and `<true or false>`.
    pub form: String,
    /// What the form cannot show, one sentence or more for each field.
    pub rules: Vec<String>,
    /// The strings of the form that an answer must not contain.
    pub placeholders: BTreeSet<String>,
    /// Whether form and rules say all that the schema says.
    pub complete: bool,
}

/// The form of the answers to a schema; `None` if it would be too long, or if nothing conforms.
pub fn skeleton(schema: &Schema, meter: &Meter) -> Result<Option<Skeleton>, Exceeded> {
    let Some(profile) = Profile::named("ollama") else { return Ok(None) };
    let (graph, losses) = build::build(schema, profile, meter)?;
    let cost = meter.part(COST)?;
    let mut writer = Writer {
        graph: &graph,
        open: Vec::new(),
        result: Skeleton {
            form: String::new(),
            rules: Vec::new(),
            placeholders: BTreeSet::new(),
            complete: losses.is_empty(),
        },
        rule_bytes: 0,
        meter: &cost,
    };
    let at = At { path: String::new(), label: "text".to_owned(), indent: 0 };
    match writer.form(graph.root(), &at) {
        Ok(form) => Ok(Some(Skeleton { form, ..writer.result })),
        Err(Exceeded::Stopped) => Err(Exceeded::Stopped),
        Err(_) => Ok(None),
    }
}

/// The position of a node in the form.
struct At {
    /// As rules name it: `items[].name`; empty for the whole answer.
    path: String,
    /// The name of the nearest field, in words.
    label: String,
    indent: usize,
}

impl At {
    fn field(&self, name: &str) -> Self {
        let path = match self.path.as_str() {
            "" => name.to_owned(),
            path => format!("{path}.{name}"),
        };
        Self { path, label: name.replace(['_', '-'], " "), indent: self.indent + 2 }
    }

    fn item(&self) -> Self {
        Self { path: format!("{}[]", self.path), label: self.label.clone(), indent: self.indent + 2 }
    }
}

struct Writer<'a> {
    graph: &'a Graph,
    /// The nodes around the current one, to notice a schema that contains itself.
    open: Vec<NodeId>,
    result: Skeleton,
    rule_bytes: usize,
    meter: &'a Meter,
}

impl<'a> Writer<'a> {
    fn form(&mut self, id: NodeId, at: &At) -> Result<String, Exceeded> {
        self.meter.steps(1)?;
        if self.open.contains(&id) {
            self.result.complete = false;
            return Ok("<the same form again>".to_owned());
        }
        let level = self.meter.enter()?;
        self.open.push(id);
        let text = self.shape(self.graph.get(id), at)?;
        self.open.pop();
        drop(level);
        self.written(text, MAX_BYTES)
    }

    /// The text, unless it is too long to become part of the form.
    fn written(&self, text: String, most: usize) -> Result<String, Exceeded> {
        self.meter.bytes(text.len() + 1)?;
        if text.len() > most { Err(Exceeded::Bytes(most as u64)) } else { Ok(text) }
    }

    fn shape(&mut self, node: &'a Node, at: &At) -> Result<String, Exceeded> {
        let mut sentences: Vec<String> = node.description.clone().into_iter().collect();
        for demand in &node.demands {
            self.say(demand, &mut sentences)?;
        }
        let text = match &node.shape {
            Shape::Never | Shape::Any => {
                self.result.complete &= node.demands.is_empty() && matches!(node.shape, Shape::Any);
                "<any JSON value>".to_owned()
            }
            Shape::Scalar { types, values } => {
                self.scalar(node, types, values.as_deref(), at, &mut sentences)?
            }
            Shape::Literals { values } => one_of(values, &mut sentences),
            Shape::List { items } => {
                let form = self.form(*items, &at.item())?;
                let shown = shown_items(&node.demands);
                enclosed('[', ']', &vec![form; shown], at.indent)
            }
            Shape::Object { members, rest } => {
                let mut fields = self.fields(members, at)?;
                for other in rest.iter().flat_map(super::graph::Rest::nodes) {
                    fields.push(self.named(other, at)?);
                }
                enclosed('{', '}', &fields, at.indent)
            }
            Shape::Map { rest } => {
                let fields: Result<Vec<String>, _> =
                    rest.nodes().map(|other| self.named(other, at)).collect();
                enclosed('{', '}', &fields?, at.indent)
            }
            Shape::Tuple { members, rest } => {
                let nodes = members.iter().map(|each| each.node).chain(*rest);
                let forms: Result<Vec<String>, _> = nodes.map(|node| self.form(node, &at.item())).collect();
                enclosed('[', ']', &forms?, at.indent)
            }
            Shape::Union { branches, .. } => self.union(branches, at, &mut sentences)?,
        };
        self.rule(at, sentences)?;
        Ok(text)
    }

    fn fields(&mut self, members: &[Member], at: &At) -> Result<Vec<String>, Exceeded> {
        let mut fields = Vec::with_capacity(members.len());
        for member in members {
            let below = at.field(&member.name);
            let form = self.form(member.node, &below)?;
            if !member.required {
                self.rule(
                    &below,
                    vec!["Optional: leave the field out if there is nothing to say.".to_owned()],
                )?;
            }
            fields.push(format!("{}: {form}", Value::from(member.name.as_str())));
        }
        Ok(fields)
    }

    /// A field whose name the answer chooses.
    fn named(&mut self, node: NodeId, at: &At) -> Result<String, Exceeded> {
        let name = self.placeholder("name")?;
        Ok(format!("{name}: {}", self.form(node, &at.field("<name>"))?))
    }

    fn scalar(
        &mut self,
        node: &Node,
        types: &[&str],
        values: Option<&[Value]>,
        at: &At,
        sentences: &mut Vec<String>,
    ) -> Result<String, Exceeded> {
        if let Some(values) = values {
            return match self.short_choice(values)? {
                Some(text) => Ok(text),
                None => Ok(one_of(values, sentences)),
            };
        }
        let main = types.iter().find(|name| **name != "null").copied().unwrap_or("null");
        let others: Vec<&str> = types.iter().filter(|name| **name != main).copied().collect();
        if !others.is_empty() {
            sentences.push(format!("May also be {}.", others.join(" or ")));
        }
        Ok(match main {
            "string" => {
                let format = node.demands.iter().find(|demand| demand.keyword == "format");
                let text = match format.and_then(|demand| demand.value.as_str()) {
                    Some("date") => "YYYY-MM-DD",
                    Some("time") => "hh:mm:ssZ",
                    Some("date-time") => "YYYY-MM-DDThh:mm:ssZ",
                    _ => at.label.as_str(),
                };
                self.placeholder(text)?
            }
            "boolean" => "<true or false>".to_owned(),
            "null" => "null".to_owned(),
            other => format!("<{other}>"),
        })
    }

    /// A few values, in the placeholder itself.
    fn short_choice(&mut self, values: &[Value]) -> Result<Option<String>, Exceeded> {
        if let [only] = values {
            return Ok(Some(only.to_string()));
        }
        if values.len() > MAX_VALUES_INLINE {
            return Ok(None);
        }
        let names: Option<Vec<&str>> = values.iter().map(Value::as_str).collect();
        Ok(Some(match names {
            Some(names) => self.placeholder(&names.join(" | "))?,
            None => format!("<{}>", values.iter().map(Value::to_string).collect::<Vec<_>>().join(" | ")),
        }))
    }

    fn union(
        &mut self,
        branches: &[Branch],
        at: &At,
        sentences: &mut Vec<String>,
    ) -> Result<String, Exceeded> {
        let forms: Result<Vec<String>, _> =
            branches.iter().map(|branch| self.form(branch.node, at)).collect();
        let mut forms = distinct(forms?);
        // Null says least about the form.
        forms.sort_by_key(|form| form == "null");
        let mut forms = forms.into_iter();
        let first = forms.next().unwrap_or_default();
        sentences.extend(forms.map(|other| format!("Or in this form: {}", on_one_line(&other))));
        Ok(first)
    }

    /// A string to be replaced, in quotes.
    fn placeholder(&mut self, text: &str) -> Result<String, Exceeded> {
        let text = self.written(format!("<{text}>"), MAX_BYTES)?;
        let quoted = Value::from(text.as_str()).to_string();
        self.result.placeholders.insert(text);
        Ok(quoted)
    }

    fn say(&mut self, demand: &Demand, sentences: &mut Vec<String>) -> Result<(), Exceeded> {
        match sentences::sentence(demand) {
            Some(sentence) => sentences.push(self.written(sentence, MAX_RULE_BYTES)?),
            None => self.result.complete = false,
        }
        Ok(())
    }

    fn rule(&mut self, at: &At, sentences: Vec<String>) -> Result<(), Exceeded> {
        if sentences.is_empty() {
            return Ok(());
        }
        let text = sentences.join(" ");
        let rule = if at.path.is_empty() { text } else { format!("`{}`: {text}", at.path) };
        self.meter.bytes(rule.len())?;
        if !self.result.rules.contains(&rule) {
            self.rule_bytes += rule.len();
            if self.rule_bytes > MAX_RULE_BYTES {
                return Err(Exceeded::Bytes(MAX_RULE_BYTES as u64));
            }
            self.result.rules.push(rule);
        }
        Ok(())
    }
}

/// Many values, or values that are not scalars: listed in a rule.
fn one_of(values: &[Value], sentences: &mut Vec<String>) -> String {
    let list: Vec<String> = values.iter().map(Value::to_string).collect();
    sentences.push(format!("One of: {}.", list.join(", ")));
    "<one of the values listed below>".to_owned()
}

fn shown_items(demands: &[Demand]) -> usize {
    let least =
        demands.iter().find(|demand| demand.keyword == "minItems").and_then(|demand| demand.value.as_u64());
    least.unwrap_or(1).clamp(1, MAX_ITEMS) as usize
}

fn enclosed(open: char, close: char, parts: &[String], indent: usize) -> String {
    if parts.is_empty() {
        return format!("{open}{close}");
    }
    let (inner, outer) = (" ".repeat(indent + 2), " ".repeat(indent));
    format!("{open}\n{inner}{}\n{outer}{close}", parts.join(&format!(",\n{inner}")))
}

/// Line breaks are between the parts only: strings in a form have theirs escaped.
fn on_one_line(form: &str) -> String {
    form.lines().map(str::trim).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use accord_json::Stop;
    use serde_json::json;

    use super::*;

    fn of(schema: Value) -> Skeleton {
        skeleton(&Schema::compile(&schema, &Meter::default()).unwrap(), &Meter::default()).unwrap().unwrap()
    }

    #[test]
    fn shows_each_field_once_with_a_placeholder() {
        let skeleton = of(json!({
            "type": "object",
            "required": ["title", "day", "people"],
            "additionalProperties": false,
            "properties": {
                "title": {"type": "string", "maxLength": 60},
                "day": {"enum": ["monday", "friday"]},
                "start_hour": {"type": "integer", "minimum": 0, "maximum": 23},
                "on": {"type": "string", "format": "date"},
                "people": {"type": "array", "minItems": 2, "items": {"type": "string"}},
                "open": {"type": ["boolean", "null"]},
            },
        }));
        let form = "{\n  \"title\": \"<title>\",\n  \"day\": \"<monday | friday>\",\n  \"start_hour\": <integer>,\n  \
                    \"on\": \"<YYYY-MM-DD>\",\n  \"people\": [\n    \"<people>\",\n    \"<people>\"\n  ],\n  \
                    \"open\": <true or false>\n}";
        assert_eq!(skeleton.form, form);
        let rules = [
            "`title`: At most 60 characters.",
            "`start_hour`: At least 0. At most 23.",
            "`start_hour`: Optional: leave the field out if there is nothing to say.",
            "`on`: In the format date.",
            "`on`: Optional: leave the field out if there is nothing to say.",
            "`people`: At least 2 items.",
            "`open`: May also be null.",
            "`open`: Optional: leave the field out if there is nothing to say.",
        ];
        assert_eq!(skeleton.rules, rules);
        assert!(skeleton.complete);
        let placeholders = ["<YYYY-MM-DD>", "<monday | friday>", "<people>", "<title>"];
        assert_eq!(skeleton.placeholders.iter().map(String::as_str).collect::<Vec<_>>(), placeholders);
    }

    #[test]
    fn lists_the_other_forms_of_a_union() {
        let branch = |kind: &str, field: &str| {
            json!({
                "type": "object", "required": ["kind", field], "additionalProperties": false,
                "properties": {"kind": {"const": kind}, field: {"type": "string"}},
            })
        };
        let skeleton = of(json!({"oneOf": [branch("courier", "street"), branch("pickup", "shop")]}));
        assert_eq!(skeleton.form, "{\n  \"kind\": \"courier\",\n  \"street\": \"<street>\"\n}");
        assert_eq!(skeleton.rules, ["Or in this form: { \"kind\": \"pickup\", \"shop\": \"<shop>\" }"]);
    }

    #[test]
    fn a_schema_that_contains_itself_is_not_complete() {
        let skeleton = of(json!({
            "type": "object",
            "properties": {"next": {"$ref": "#"}, "name": {"type": "string"}},
        }));
        assert!(!skeleton.complete);
        assert!(skeleton.form.contains("<the same form again>"), "{}", skeleton.form);
    }

    #[test]
    fn a_form_that_multiplies_is_left_out() {
        let mut definitions = serde_json::Map::new();
        for level in 0..20 {
            let next = json!({"$ref": format!("#/$defs/d{}", level + 1)});
            definitions.insert(
                format!("d{level}"),
                json!({"type": "object", "properties": {"a": next, "b": next, "c": next}}),
            );
        }
        definitions.insert("d20".to_owned(), json!({"type": "string"}));
        let schema = Schema::compile(&json!({"$ref": "#/$defs/d0", "$defs": definitions}), &Meter::default());
        if let Ok(schema) = schema {
            assert_eq!(skeleton(&schema, &Meter::default()), Ok(None));
        }
    }

    /// Small schemas whose form multiplies with each level, in each way that it can.
    #[test]
    fn a_form_costs_little_whatever_multiplies() {
        let list = |inner: Value| json!({"type": "array", "minItems": 3, "items": inner});
        let object = |name: &str, inner: &Value| json!({"type": "object", "required": [name], "properties": {name: inner}});
        let tuple =
            |inner: Value| json!({"type": "array", "prefixItems": [inner, inner, inner], "items": false});
        let branches =
            |inner: Value| json!({"anyOf": [object("a", &inner), object("b", &inner), object("c", &inner)]});
        let fields = |inner: Value| json!({"type": "object", "properties": {"a": inner, "b": inner}});
        let wrappers: [&dyn Fn(Value) -> Value; 4] = [&list, &tuple, &branches, &fields];
        for (number, wrap) in wrappers.into_iter().enumerate() {
            for depth in [2, 10, 12, 14, 30] {
                // Through references, so that the schema itself stays small.
                let mut definitions = serde_json::Map::new();
                for level in 0..depth {
                    let inner = match level + 1 < depth {
                        true => json!({"$ref": format!("#/$defs/d{}", level + 1)}),
                        false => json!({"type": "string"}),
                    };
                    definitions.insert(format!("d{level}"), wrap(inner));
                }
                let document = json!({
                    "$schema": "https://json-schema.org/draft/2020-12/schema",
                    "$ref": "#/$defs/d0",
                    "$defs": definitions,
                });
                let Ok(schema) = Schema::compile(&document, &Meter::default()) else { continue };
                let meter = Meter::default();
                let made = skeleton(&schema, &meter).unwrap();
                let size = made
                    .as_ref()
                    .map_or(0, |made| made.form.len() + made.rules.iter().map(String::len).sum::<usize>());
                assert!(size <= MAX_BYTES + MAX_RULE_BYTES, "{number}: {size}");
                assert_eq!(made.is_some(), depth == 2, "shape {number}, {depth} levels");
                assert!(meter.spent().steps < 100_000, "{:?}", meter.spent());
            }
        }
    }

    #[test]
    fn a_stopped_form_is_not_made() {
        let (schema, stop) =
            (Schema::compile(&json!({"type": "string"}), &Meter::default()).unwrap(), Stop::default());
        let meter = Meter::new(Limits::WHOLE, stop.clone());
        stop.set();
        assert_eq!(skeleton(&schema, &meter), Err(Exceeded::Stopped));
    }
}
