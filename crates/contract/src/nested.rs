//! Values inside other values: the arguments of a tool call, the one key around an answer.
//!
//! A value that does not conform may carry one that does. It is taken only where what is around it is a mere
//! wrapper: one foreign key, a tool call, an echoed schema, a list of one. An object that tries to be the answer
//! and fails is not a wrapper; a conforming part of it (the spouse of the person that was asked for) is not the answer.
//! Nor is one item of a list, or one entry of a map: the others would be dropped.

use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::number;
use crate::outline::{Outline, in_place};
use crate::read;
use crate::regions::MARKS;
use crate::schema::Schema;
use crate::schema::reference::Resolver;
use crate::schema::walk;

/// The keys of tool calls, in the dialects of the models that write them as text.
const TOOL_KEYS: &[&str] = &[
    "name",
    "type",
    "id",
    "index",
    "call_id",
    "tool_call_id",
    "tool",
    "tool_name",
    "function",
    "function_name",
    "function_call",
    "action",
    "arguments",
    "parameters",
    "args",
    "input",
    "tool_input",
    "action_input",
    "kwargs",
];

const ARGUMENT_KEYS: &[&str] =
    &["arguments", "parameters", "args", "input", "tool_input", "action_input", "kwargs"];

/// Those that say which tool is called.
const NAME_KEYS: &[&str] =
    &["name", "tool", "tool_name", "function", "function_name", "function_call", "action"];

/// The values of a call's `type`. With any other type it is something else, such as an error with
/// its input.
const CALL_TYPES: &[&str] = &["function", "function_call", "tool", "tool_call", "tool_use"];

/// The keys under which APIs hand out whole calls.
const ENVELOPE_KEYS: &[&str] = &[
    "function",
    "function_call",
    "functionCall",
    "function_calls",
    "tool_call",
    "toolCall",
    "tool_calls",
    "tool_uses",
];

/// The keys of schemas, in which models sometimes wrap their answer.
const SCHEMA_KEYS: &[&str] = &[
    "type",
    "properties",
    "items",
    "required",
    "additionalProperties",
    "$schema",
    "$id",
    "title",
    "description",
    "definitions",
    "$defs",
    "enum",
    "format",
    "anyOf",
    "oneOf",
    "allOf",
];

/// Those in whose place the members or the items of an answer are given.
const PLACES: &[&str] = &["properties", "items"];

/// What has to be known of a schema to tell an attempt at it from a wrapper.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    /// What the root looks like, whichever branch or reference says it.
    root: Outline,
    /// What the items look like where the root can be a list.
    items: Outline,
    /// Every member that is named anywhere in the schema.
    pub(crate) names: HashSet<String>,
    /// Whether the root can be a list.
    pub(crate) list: bool,
    /// Whether the root says which members it wants. An object that does not is a map: each key is its own.
    names_members: bool,
    /// The values that the root names one by one.
    values: Vec<Value>,
}

impl Facts {
    pub(crate) fn of(schema: &Schema) -> Self {
        let mut facts = Self::default();
        let resolver = Resolver::new(schema.document());
        let mut items = Vec::new();
        in_place(&resolver, "", schema.document(), &mut HashSet::new(), &mut |base, keywords| {
            facts.add(keywords);
            let several = keywords.get("prefixItems").or(keywords.get("items")).and_then(Value::as_array);
            let all = several.into_iter().flatten().chain(keywords.get("items"));
            items.extend(all.map(|schema| (base.to_owned(), schema)));
        });
        let mut seen = HashSet::new();
        for (base, item) in items {
            in_place(&resolver, &base, item, &mut seen, &mut |_, keywords| facts.items.add(keywords));
        }
        facts.list = facts.root.names("array");
        walk::each(schema.document(), &mut |_, inner| {
            let named = inner.get("properties").and_then(Value::as_object);
            facts.names.extend(named.into_iter().flat_map(|members| members.keys().cloned()));
        });
        facts
    }

    fn add(&mut self, keywords: &Map<String, Value>) {
        self.root.add(keywords);
        self.names_members |= ["properties", "required"].iter().any(|keyword| {
            let named = keywords.get(*keyword);
            named.and_then(Value::as_object).is_some_and(|members| !members.is_empty())
                || named.and_then(Value::as_array).is_some_and(|names| !names.is_empty())
        });
        self.values.extend(keywords.get("enum").and_then(Value::as_array).into_iter().flatten().cloned());
        self.values.extend(keywords.get("const").cloned());
    }

    /// The members that the root can have.
    pub(crate) fn properties(&self) -> &HashSet<String> {
        &self.root.keys
    }

    /// Whether a value could be meant as the answer: it is of the root's type and has one of its keys, or is an item of the
    /// list that is asked, or is a wrapper around one.
    pub(crate) fn resembles(&self, value: &Value) -> bool {
        let is_item = |value: &Value| self.list && self.items.fits(value);
        let is_written =
            |call| written_arguments(call, read::written).is_some_and(|inner| self.resembles(&inner));
        match value {
            Value::Object(members) if is_tool_call(members) || envelope(members).is_some() => {
                let mut inside = envelope(members).into_iter().chain(arguments(members));
                inside.any(|inner| self.resembles(inner)) || self.root.fits(value) || is_written(value)
            }
            Value::Object(members) => {
                let only = members.iter().next().filter(|_| members.len() == 1);
                let may_hold = |key: &str, inner: &Value| inner.is_object() || is_wrapper(key);
                let holds = || only.is_some_and(|(key, inner)| may_hold(key, inner) && self.resembles(inner));
                self.root.fits(value) || is_item(value) || holds() || is_written(value)
            }
            Value::Array(items) => {
                let is_list = self.list && items.first().is_none_or(|first| self.items.fits(first));
                let is_one = |item: &Value| item.is_object() || items.len() == 1 && !item.is_array();
                is_list || is_item(value) || items.iter().any(|item| is_one(item) && self.resembles(item))
            }
            scalar => self.root.fits(scalar) || is_item(scalar),
        }
    }

    /// Whether a value, or an item of it, may be a string, a number or a literal.
    pub(crate) fn has_scalars(&self) -> bool {
        self.root.has_scalars() || self.list && self.items.has_scalars()
    }

    /// Whether the text of a damaged value begins like one that could be meant as the answer.
    pub(crate) fn is_begun(&self, text: &str) -> bool {
        let inside = text.strip_prefix('[').map(str::trim_start);
        let is_item = |text: &str| self.items.is_begun(text);
        match inside {
            Some(inside) if self.list => is_item(inside),
            Some(inside) => inside.starts_with('{') && self.root.is_begun(inside),
            None => self.root.is_begun(text) || self.list && is_item(text),
        }
    }

    /// Whether a value looks like an attempt at the schema.
    pub(crate) fn attempts(&self, value: &Value) -> bool {
        match value {
            Value::Object(members) if is_tool_call(members) => {
                arguments(members).any(|arguments| self.attempts(arguments))
            }
            Value::Object(members) => members.keys().any(|key| self.properties().contains(key)),
            _ => false,
        }
    }

    /// Whether the root names its values one by one.
    pub(crate) fn is_listed(&self) -> bool {
        !self.values.is_empty()
    }

    /// Whether a value is one of those that the root names, but for letter case.
    pub(crate) fn lists(&self, value: &Value) -> bool {
        self.values.iter().any(|listed| match (listed, value) {
            (Value::String(listed), Value::String(word)) => listed.to_lowercase() == word.to_lowercase(),
            _ => number::same(listed, value),
        })
    }

    /// The value under the one key of an object, if the root names it. No other scalar is taken out of anything: it may
    /// be an error, or a count.
    fn listed_inside<'a>(&self, value: &'a Value) -> Option<&'a Value> {
        let members = value.as_object().filter(|members| members.len() == 1)?;
        let inside = self.wrapped(members, Wrappers::Any)?.into_iter().next()?;
        (!inside.is_object() && !inside.is_array() && self.lists(inside)).then_some(inside)
    }

    fn is_map(&self) -> bool {
        self.root.names("object") && !self.names_members
    }

    /// The possible content of a wrapper that names no tool.
    fn wrapped<'a>(&self, members: &'a Map<String, Value>, wrappers: Wrappers) -> Option<Vec<&'a Value>> {
        let places = || PLACES.iter().filter_map(|key| members.get(*key)).collect();
        match wrappers {
            _ if self.is_map() => None,
            Wrappers::ToolCalls => None,
            Wrappers::ToolCallsAndSchemas => (members.len() > 1 && self.is_schema(members)).then(places),
            Wrappers::Any
                if members.len() == 1
                    && members.keys().all(|key| is_wrapper(key) && !self.properties().contains(key)) =>
            {
                Some(members.values().collect())
            }
            Wrappers::Any if is_tool_call(members) => Some(arguments(members).collect()),
            Wrappers::Any => self.is_schema(members).then(places),
        }
    }

    /// The call, or the list of calls, in the envelope of an API.
    fn in_envelope<'a>(&self, members: &'a Map<String, Value>) -> Option<&'a Value> {
        let is_call = |value: &Value| value.as_object().is_some_and(is_named_call);
        let is_foreign = !members.keys().any(|key| self.properties().contains(key));
        envelope(members).filter(|inner| {
            let calls = inner.as_array().is_some_and(|items| !items.is_empty() && items.iter().all(is_call));
            is_foreign && (is_call(inner) || calls)
        })
    }

    /// Whether an object has only the keys of schemas, and none that is asked for.
    fn is_schema(&self, members: &Map<String, Value>) -> bool {
        members.keys().all(|key| SCHEMA_KEYS.contains(&key.as_str()) && !self.properties().contains(key))
    }

    /// Whether a list may be around a value: around one, or the calls of several tools of which one is meant.
    fn is_list_wrapper(&self, items: &[Value]) -> bool {
        let is_call = |item: &Value| item.as_object().is_some_and(is_named_call);
        let attempts = || items.iter().filter(|item| self.attempts(item)).count();
        items.len() == 1 || (!self.list && items.iter().all(is_call) && attempts() <= 1)
    }
}

/// Whether an object with this as its only key may be a wrapper around an answer: the name marks an answer, or an API gives it
/// to the arguments of a call. Any other key says that something else is inside (`error`, `example`).
pub(crate) fn is_wrapper(key: &str) -> bool {
    let is_known = |known: &[&str]| known.contains(&key);
    MARKS.answer.has_name(key) || is_known(ARGUMENT_KEYS) || is_known(ENVELOPE_KEYS) || is_known(PLACES)
}

/// Whether an object has only the keys of a call, and its type, if any, is that of a call.
fn has_call_keys(members: &Map<String, Value>) -> bool {
    let is_type = |kind: &Value| kind.as_str().is_some_and(|kind| CALL_TYPES.contains(&kind));
    members.keys().all(|key| TOOL_KEYS.contains(&key.as_str())) && members.get("type").is_none_or(is_type)
}

/// The arguments of a call; its function object may contain them.
fn arguments(members: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    let own = ARGUMENT_KEYS.iter().filter_map(|key| members.get(*key));
    let own = own.filter(|value| value.is_object() || value.is_array());
    own.chain(members.get("function").filter(|called| called.is_object()))
}

fn is_tool_call(members: &Map<String, Value>) -> bool {
    has_call_keys(members) && arguments(members).next().is_some()
}

/// A tool call that says which tool, or that it is one; its arguments alone are one key around a value.
fn is_named_call(members: &Map<String, Value>) -> bool {
    let named = || NAME_KEYS.iter().any(|key| members.get(*key).is_some_and(Value::is_string));
    match members.get("function") {
        Some(Value::Object(inner)) => has_call_keys(members) && is_named_call(inner),
        _ => is_tool_call(members) && (members.contains_key("type") || named()),
    }
}

/// Whether two values are calls of different tools.
pub(crate) fn are_calls_of_two(one: &Value, other: &Value) -> bool {
    let name = |value: &Value| {
        let members = value.as_object().filter(|members| is_named_call(members))?;
        NAME_KEYS.iter().find_map(|key| members.get(*key)?.as_str().map(str::to_owned))
    };
    name(one).zip(name(other)).is_some_and(|(one, other)| one != other)
}

/// The content of an envelope around calls. A message that carries calls also says whose it is, and that
/// it has nothing else.
fn envelope(members: &Map<String, Value>) -> Option<&Value> {
    let is_empty = |value: &Value| {
        value.is_null() || value.as_str() == Some("") || value.as_array().is_some_and(Vec::is_empty)
    };
    let is_message = |(key, value): &(&String, &Value)| match key.as_str() {
        "role" => value.is_string(),
        "content" | "refusal" | "audio" | "annotations" | "function_call" => is_empty(value),
        _ => false,
    };
    let mut others = members.iter().filter(|member| !is_message(member));
    let (key, inner) = others.next()?;
    (others.next().is_none() && ENVELOPE_KEYS.contains(&key.as_str())).then_some(inner)
}

/// The arguments of a tool call that carries them as JSON text, as some APIs do. `read` reads the text.
pub(crate) fn written_arguments(value: &Value, read: fn(&str) -> Option<Value>) -> Option<Value> {
    let members = match value {
        Value::Array(items) => match items.as_slice() {
            [only] => return written_arguments(only, read),
            _ => return None,
        },
        _ => value.as_object()?,
    };
    let function = || members.get("function").filter(|inner| has_call_keys(members) && inner.is_object());
    if let Some(inner) = envelope(members).filter(|inner| !inner.is_string()).or_else(function) {
        return written_arguments(inner, read);
    }
    let texts = ARGUMENT_KEYS.iter().filter_map(|key| members.get(*key)?.as_str());
    let mut written = texts.filter(|_| has_call_keys(members)).filter_map(read);
    let first = written.next()?;
    written.next().is_none().then_some(first)
}

/// The wrappers from which a value may be extracted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wrappers {
    /// A tool call that is written as text, alone, in a list or in the envelope of an API: it says itself that its
    /// arguments are what is meant.
    ToolCalls,
    /// Also an echoed schema with the answer in the place of its members.
    ToolCallsAndSchemas,
    /// Also one foreign key, a list of one. To take a value out of these changes its shape.
    Any,
}

/// The outermost conforming values inside wrappers, found with a test that says whether a value conforms.
pub(crate) fn inside<'a>(
    facts: &Facts,
    value: &'a Value,
    wrappers: Wrappers,
    passes: &mut dyn FnMut(&Value) -> bool,
) -> Vec<&'a Value> {
    if wrappers == Wrappers::Any
        && let Some(listed) = facts.listed_inside(value).filter(|listed| passes(listed))
    {
        return vec![listed];
    }
    let mut visit = Visit { facts, passes, found: Vec::new() };
    visit.value(value, wrappers, wrappers == Wrappers::Any);
    visit.found
}

struct Visit<'a, 'b> {
    facts: &'b Facts,
    passes: &'b mut dyn FnMut(&Value) -> bool,
    found: Vec<&'a Value>,
}

impl<'a> Visit<'a, '_> {
    /// `wrapped`: what is around the value, up to here, is enough of a wrapper.
    fn value(&mut self, value: &'a Value, wrappers: Wrappers, wrapped: bool) {
        let (children, wrapped): (Vec<&Value>, _) = match value {
            Value::Object(members) if is_named_call(members) => (arguments(members).collect(), true),
            Value::Object(members) => {
                let in_envelope = self.facts.in_envelope(members).map(|inner| vec![inner]);
                let children = in_envelope.or_else(|| self.facts.wrapped(members, wrappers));
                (children.unwrap_or_default(), true)
            }
            // Strictly, a list of one is around calls, but not around their arguments.
            Value::Array(items) if self.facts.is_list_wrapper(items) => {
                (items.iter().collect(), wrapped && wrappers == Wrappers::Any)
            }
            _ => return,
        };
        for child in children.into_iter().filter(|child| child.is_object() || child.is_array()) {
            if wrapped && (self.passes)(child) {
                self.found.push(child);
            } else {
                self.value(child, wrappers, wrapped);
            }
        }
    }
}
