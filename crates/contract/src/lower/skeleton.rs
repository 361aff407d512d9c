//! The form of an answer with a placeholder for each value, and in words what the form cannot show.
//!
//! Small models repeat a JSON Schema instead of following it, but fill in a form. The form and its rules are written from
//! the graph that lowering uses, so that references are followed and `allOf` is merged. `complete` is false if the two
//! together say less than the schema; then the schema has to be shown as well.

use std::collections::BTreeSet;

use serde_json::Value;

use super::build;
use super::graph::{Branch, Demand, Graph, Member, Node, NodeId, Shape};
use super::kinds::distinct;
use super::profile::Profile;
use super::sentences;
use crate::schema::Schema;

/// A longer example does not help a model, and the schema says the same in fewer bytes.
const MAX_BYTES: usize = 8 * 1024;

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
pub fn skeleton(schema: &Schema) -> Option<Skeleton> {
    let profile = Profile::named("ollama")?;
    let (graph, losses) = build::build(schema, profile);
    let mut writer = Writer {
        graph: &graph,
        open: Vec::new(),
        result: Skeleton {
            form: String::new(),
            rules: Vec::new(),
            placeholders: BTreeSet::new(),
            complete: losses.is_empty(),
        },
        too_long: false,
    };
    let form = writer.form(graph.root(), &At { path: String::new(), label: "text".to_owned(), indent: 0 });
    let mut result = writer.result;
    result.form = form;
    (!writer.too_long && result.form.len() <= MAX_BYTES).then_some(result)
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
    too_long: bool,
}

impl Writer<'_> {
    fn form(&mut self, id: NodeId, at: &At) -> String {
        if self.too_long {
            return String::new();
        }
        if self.open.contains(&id) {
            self.result.complete = false;
            return "<the same form again>".to_owned();
        }
        let node = self.graph.get(id).clone();
        self.open.push(id);
        let text = self.shape(&node, at);
        self.open.pop();
        // Checked at each level, so that a form that repeats its parts stops growing early.
        self.too_long |= text.len() > MAX_BYTES;
        text
    }

    fn shape(&mut self, node: &Node, at: &At) -> String {
        let mut sentences: Vec<String> = node.description.clone().into_iter().collect();
        for demand in &node.demands {
            self.say(demand, &mut sentences);
        }
        let text = match &node.shape {
            Shape::Never | Shape::Any => {
                self.result.complete &= node.demands.is_empty() && matches!(node.shape, Shape::Any);
                "<any JSON value>".to_owned()
            }
            Shape::Scalar { types, values } => {
                self.scalar(node, types, values.as_deref(), at, &mut sentences)
            }
            Shape::Literals { values } => one_of(values, &mut sentences),
            Shape::List { items } => {
                let form = self.form(*items, &at.item());
                let shown = shown_items(&node.demands);
                enclosed('[', ']', &vec![form; shown], at.indent)
            }
            Shape::Object { members, rest } => {
                let mut fields = self.fields(members, at);
                for other in rest.iter().flat_map(super::graph::Rest::nodes) {
                    fields.push(self.named(other, at));
                }
                enclosed('{', '}', &fields, at.indent)
            }
            Shape::Map { rest } => {
                let fields: Vec<String> = rest.nodes().map(|other| self.named(other, at)).collect();
                enclosed('{', '}', &fields, at.indent)
            }
            Shape::Tuple { members, rest } => {
                let mut forms: Vec<String> =
                    members.iter().map(|each| self.form(each.node, &at.item())).collect();
                forms.extend(rest.map(|rest| self.form(rest, &at.item())));
                enclosed('[', ']', &forms, at.indent)
            }
            Shape::Union { branches, .. } => self.union(branches, at, &mut sentences),
        };
        self.rule(at, sentences);
        text
    }

    fn fields(&mut self, members: &[Member], at: &At) -> Vec<String> {
        let mut fields = Vec::with_capacity(members.len());
        for member in members {
            let below = at.field(&member.name);
            let form = self.form(member.node, &below);
            if !member.required {
                self.rule(
                    &below,
                    vec!["Optional: leave the field out if there is nothing to say.".to_owned()],
                );
            }
            fields.push(format!("{}: {form}", Value::from(member.name.as_str())));
        }
        fields
    }

    /// A field whose name the answer chooses.
    fn named(&mut self, node: NodeId, at: &At) -> String {
        let name = self.placeholder("name");
        format!("{name}: {}", self.form(node, &at.field("<name>")))
    }

    fn scalar(
        &mut self,
        node: &Node,
        types: &[&str],
        values: Option<&[Value]>,
        at: &At,
        sentences: &mut Vec<String>,
    ) -> String {
        if let Some(values) = values {
            if let Some(text) = self.short_choice(values) {
                return text;
            }
            return one_of(values, sentences);
        }
        let main = types.iter().find(|name| **name != "null").copied().unwrap_or("null");
        let others: Vec<&str> = types.iter().filter(|name| **name != main).copied().collect();
        if !others.is_empty() {
            sentences.push(format!("May also be {}.", others.join(" or ")));
        }
        match main {
            "string" => {
                let format = node.demands.iter().find(|demand| demand.keyword == "format");
                let text = match format.and_then(|demand| demand.value.as_str()) {
                    Some("date") => "YYYY-MM-DD",
                    Some("time") => "hh:mm:ssZ",
                    Some("date-time") => "YYYY-MM-DDThh:mm:ssZ",
                    _ => at.label.as_str(),
                };
                self.placeholder(text)
            }
            "boolean" => "<true or false>".to_owned(),
            "null" => "null".to_owned(),
            other => format!("<{other}>"),
        }
    }

    /// A few values, in the placeholder itself.
    fn short_choice(&mut self, values: &[Value]) -> Option<String> {
        if let [only] = values {
            return Some(only.to_string());
        }
        if values.len() > MAX_VALUES_INLINE {
            return None;
        }
        let names: Option<Vec<&str>> = values.iter().map(Value::as_str).collect();
        Some(match names {
            Some(names) => self.placeholder(&names.join(" | ")),
            None => format!("<{}>", values.iter().map(Value::to_string).collect::<Vec<_>>().join(" | ")),
        })
    }

    fn union(&mut self, branches: &[Branch], at: &At, sentences: &mut Vec<String>) -> String {
        let mut forms = distinct(branches.iter().map(|branch| self.form(branch.node, at)));
        // Null says least about the form.
        forms.sort_by_key(|form| form == "null");
        let mut forms = forms.into_iter();
        let first = forms.next().unwrap_or_default();
        sentences.extend(forms.map(|other| format!("Or in this form: {}", on_one_line(&other))));
        first
    }

    /// A string to be replaced, in quotes.
    fn placeholder(&mut self, text: &str) -> String {
        let text = format!("<{text}>");
        let quoted = Value::from(text.as_str()).to_string();
        self.result.placeholders.insert(text);
        quoted
    }

    fn say(&mut self, demand: &Demand, sentences: &mut Vec<String>) {
        match sentences::sentence(demand) {
            Some(sentence) => sentences.push(sentence),
            None => self.result.complete = false,
        }
    }

    fn rule(&mut self, at: &At, sentences: Vec<String>) {
        if sentences.is_empty() {
            return;
        }
        let text = sentences.join(" ");
        let rule = if at.path.is_empty() { text } else { format!("`{}`: {text}", at.path) };
        if !self.result.rules.contains(&rule) {
            self.result.rules.push(rule);
        }
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
    use serde_json::json;

    use super::*;

    fn of(schema: Value) -> Skeleton {
        skeleton(&Schema::compile(&schema).unwrap()).unwrap()
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
        let schema = Schema::compile(&json!({"$ref": "#/$defs/d0", "$defs": definitions}));
        if let Ok(schema) = schema {
            assert_eq!(skeleton(&schema), None);
        }
    }
}
