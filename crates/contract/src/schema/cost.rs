//! The cost of validating a value, computed before the validation.
//!
//! The validator has no budget and cannot be stopped, and a small schema and a small value can keep
//! it busy for minutes: each of 20,000 items is compared with each of 20,000 values, or tried
//! against each of 5,000 branches. So schema and value are first walked in parallel, as the
//! validator would if nothing failed early, and the work is added up. Most values are so small that
//! the product of both sizes is a sufficient bound, and are not walked.
//!
//! The walk also bounds how deeply the validator recurses: the depth of the value times that of the schemas that apply
//! to one place of it.

mod budget;
mod size;

use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::{Map, Value};

use super::pattern;
use super::reference::{KEYWORDS, Resolver, base_at, base_of};
use crate::limits::{MAX_ERROR_STEPS, MAX_NUMBER_DIGITS, MAX_VALIDATION_LEVELS, MAX_VALIDATION_STEPS};
use budget::{Precision, pay, refuse};
pub(crate) use budget::{TooCostly, is_stopped, stop, within_one_budget};
use size::{Size, digits, division};

/// What the validator takes to test one value against one schema, in steps of ten nanoseconds.
const STEPS_A_SCHEMA: u64 = 3;

/// The cost of comparing one value with another.
const STEPS_A_COMPARISON: u64 = 2;

/// A format is checked like a pattern of this many positions. Measured with `email`: about a microsecond for 27 bytes.
const POSITIONS_A_FORMAT: u64 = 4;

/// Arrays up to this length are compared item by item with each other.
const PAIRWISE: u64 = 16;

/// Lists of strings that are longer are looked up, not compared.
const COMPARED_STRINGS: usize = 10;

/// How much more the validator may do than the product of sizes says: results of references are kept only from the
/// sixteenth visit on.
const REPEATED: u64 = 16;

/// Few enough to be taken on a thread that serves others: 50 milliseconds at the very worst, and one in practice.
const QUICK_STEPS: u64 = 5_000_000;

/// A schema, as far as its cost goes.
#[derive(Debug)]
pub(super) struct Plan {
    nodes: Vec<Node>,
    /// The steps of all schemas together, for a value that meets each of them.
    steps: u64,
    /// The positions of all patterns together.
    positions: u64,
    /// How many schemas have `multipleOf`, and the most digits of any of them.
    multiples: u64,
    longest_multiple: u64,
    /// Whether a schema looks again at what others have looked at.
    looks_again: bool,
    /// Whether there are references, whose results the validator may compute several times.
    refers: bool,
    /// How many schemas for one place of a value nest in each other.
    nesting: usize,
}

#[derive(Debug, Default)]
struct Node {
    /// Values to compare with, counted with their parts, and whether a value of a kind is compared at all.
    compared: u64,
    compared_kinds: [bool; 6],
    positions: u64,
    /// The digits of `multipleOf`; zero without it.
    multiple: u64,
    unique: bool,
    /// Schemas for the same value. The second is whether a reference leads there.
    in_place: Vec<(usize, bool)>,
    properties: BTreeMap<String, usize>,
    by_pattern: Vec<(u64, usize)>,
    names: Option<usize>,
    other_members: Vec<usize>,
    prefix: Vec<usize>,
    other_items: Option<usize>,
    all_items: Vec<usize>,
    looks_again: bool,
}

impl Plan {
    /// The plan of a document whose references are checked: none of them leads in a circle without going into a value.
    pub(super) fn of(document: &Value) -> Self {
        let mut builder = Builder {
            document,
            resolver: Resolver::new(document),
            indices: HashMap::new(),
            waiting: Vec::new(),
            nodes: Vec::new(),
        };
        builder.index("", document);
        while let Some((index, base, schema)) = builder.waiting.pop() {
            let node = builder.node(&base, schema);
            if let Some(place) = builder.nodes.get_mut(index) {
                *place = node;
            }
        }
        let nodes = builder.nodes;
        let steps = nodes.iter().map(|node| STEPS_A_SCHEMA + node.compared * STEPS_A_COMPARISON).sum();
        let positions = nodes
            .iter()
            .map(|node| node.positions + node.by_pattern.iter().map(|each| each.0).sum::<u64>())
            .sum();
        let looks_again = nodes.iter().any(|node| node.looks_again);
        let refers = nodes.iter().flat_map(|node| &node.in_place).any(|(_, is_reference)| *is_reference);
        let multiples = nodes.iter().filter(|node| node.multiple > 0).count() as u64;
        let longest_multiple = nodes.iter().map(|node| node.multiple).max().unwrap_or(0);
        let nesting = nesting(&nodes);
        Self { nodes, steps, positions, multiples, longest_multiple, looks_again, refers, nesting }
    }

    /// No value of this size takes more steps.
    fn bound(&self, size: &Size) -> u64 {
        let steps = size.values.saturating_mul(self.steps.saturating_add(PAIRWISE * STEPS_A_COMPARISON));
        let steps = steps.saturating_add(size.bytes.saturating_mul(self.positions));
        let divisions = size.values.saturating_mul(self.multiples);
        let steps =
            steps.saturating_add(divisions.saturating_mul(division(size.digits, self.longest_multiple)));
        match (self.looks_again, self.refers) {
            (true, _) => u64::MAX,
            (false, true) => steps.saturating_mul(REPEATED),
            (false, false) => steps,
        }
    }

    pub(super) fn is_quick(&self, value: &Value) -> bool {
        self.bound(&Size::of(value)) <= QUICK_STEPS
    }

    /// The same for any value of this many bytes: each value takes two at least, itself and what separates it.
    pub(super) fn is_quick_for(&self, bytes: usize) -> bool {
        let bytes = bytes as u64;
        let digits = bytes.min(2 * MAX_NUMBER_DIGITS as u64);
        self.bound(&Size { values: bytes / 2 + 1, bytes, digits, depth: 1 }) <= QUICK_STEPS
    }

    /// Refuses a value that would take too long to validate.
    pub(super) fn check(&self, value: &Value) -> Result<(), TooCostly> {
        if let Some(reason) = budget::used_up() {
            return Err(reason);
        }
        let size = Size::of(value);
        let bound = self.bound(&size);
        let is_shallow = size.depth.saturating_mul(self.nesting) <= MAX_VALIDATION_LEVELS;
        if is_shallow && bound <= MAX_VALIDATION_STEPS && pay(bound, Precision::Bound).is_ok() {
            return Ok(());
        }
        self.count(value, MAX_VALIDATION_STEPS, Some(HashSet::new()))
    }

    /// Whether the validator can list what is wrong with a value. It keeps no results then: an error of `anyOf` holds those of
    /// all its branches, each with all that is below.
    pub(super) fn affords_errors(&self, value: &Value) -> bool {
        self.count(value, MAX_ERROR_STEPS, None).is_ok()
    }

    fn count(
        &self,
        value: &Value,
        most: u64,
        seen: Option<HashSet<(usize, usize)>>,
    ) -> Result<(), TooCostly> {
        let mut walk = Walk { nodes: &self.nodes, visits: 0, most, seen };
        match walk.visit(0, value, 0) {
            Ok(cost) => pay(cost.validate, Precision::Counted),
            Err(reason) => Err(refuse(reason, most)),
        }
    }
}

fn kind(value: &Value) -> usize {
    match value {
        Value::Null => 0,
        Value::Bool(_) => 1,
        Value::Number(_) => 2,
        Value::String(_) => 3,
        Value::Array(_) => 4,
        Value::Object(_) => 5,
    }
}

struct Builder<'a> {
    document: &'a Value,
    resolver: Resolver<'a>,
    /// By the address of the schema in its document.
    indices: HashMap<usize, usize>,
    waiting: Vec<(usize, String, &'a Value)>,
    nodes: Vec<Node>,
}

impl<'a> Builder<'a> {
    /// The index of a schema, whose node is made later: references may lead in a circle.
    fn index(&mut self, base: &str, schema: &'a Value) -> usize {
        let next = self.nodes.len();
        let index = *self.indices.entry(std::ptr::from_ref(schema) as usize).or_insert(next);
        if index == next {
            self.nodes.push(Node::default());
            self.waiting.push((index, base.to_owned(), schema));
        }
        index
    }

    fn node(&mut self, parent: &str, schema: &'a Value) -> Node {
        let mut node = Node::default();
        let Value::Object(keywords) = schema else { return node };
        let base = base_of(parent, schema);
        assertions(keywords, &mut node);
        for reference in KEYWORDS.iter().filter_map(|keyword| keywords.get(*keyword)?.as_str()) {
            if let Some((place, target)) = self.resolver.resolve(&base, reference) {
                let base = base_at(self.document, &place);
                node.in_place.push((self.index(&base, target), true));
            }
        }
        let mut part = |schema: &'a Value| self.index(&base, schema);
        for keyword in ["not", "if", "then", "else"] {
            node.in_place.extend(keywords.get(keyword).map(|schema| (part(schema), false)));
        }
        for keyword in ["allOf", "anyOf", "oneOf"] {
            let branches = keywords.get(keyword).and_then(Value::as_array).into_iter().flatten();
            node.in_place.extend(branches.map(|schema| (part(schema), false)));
        }
        for keyword in ["dependentSchemas", "dependencies"] {
            let schemas = keywords.get(keyword).and_then(Value::as_object).into_iter().flat_map(Map::values);
            let schemas = schemas.filter(|schema| !schema.is_array());
            node.in_place.extend(schemas.map(|schema| (part(schema), false)));
        }
        let members = |keyword: &str| keywords.get(keyword).and_then(Value::as_object).into_iter().flatten();
        node.properties = members("properties").map(|(name, schema)| (name.clone(), part(schema))).collect();
        node.by_pattern = members("patternProperties")
            .map(|(name, schema)| (pattern::size_of(name).positions, part(schema)))
            .collect();
        node.names = keywords.get("propertyNames").map(&mut part);
        for keyword in ["additionalProperties", "unevaluatedProperties"] {
            node.other_members.extend(keywords.get(keyword).map(&mut part));
        }
        match keywords.get("items") {
            Some(Value::Array(items)) => node.prefix = items.iter().map(&mut part).collect(),
            Some(items) => node.other_items = Some(part(items)),
            None => {}
        }
        if let Some(Value::Array(items)) = keywords.get("prefixItems") {
            node.prefix = items.iter().map(&mut part).collect();
        }
        node.other_items = node.other_items.or_else(|| keywords.get("additionalItems").map(&mut part));
        for keyword in ["contains", "unevaluatedItems"] {
            node.all_items.extend(keywords.get(keyword).map(&mut part));
        }
        node
    }
}

fn assertions(keywords: &Map<String, Value>, node: &mut Node) {
    let listed = keywords.get("enum").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let looked_up = listed.len() > COMPARED_STRINGS && listed.iter().all(|value| value.is_string());
    if !looked_up {
        for value in listed.iter().chain(keywords.get("const")) {
            node.compared = node.compared.saturating_add(Size::of(value).values);
            if let Some(compared) = node.compared_kinds.get_mut(kind(value)) {
                *compared = true;
            }
        }
    }
    node.positions = keywords
        .get("pattern")
        .and_then(Value::as_str)
        .map_or(0, |pattern| pattern::size_of(pattern).positions);
    if keywords.contains_key("format") {
        node.positions = node.positions.saturating_add(POSITIONS_A_FORMAT);
    }
    if let Some(Value::Number(multiple)) = keywords.get("multipleOf") {
        node.multiple = digits(multiple);
    }
    node.unique = keywords.get("uniqueItems") == Some(&Value::Bool(true));
    node.looks_again =
        ["unevaluatedProperties", "unevaluatedItems"].iter().any(|name| keywords.contains_key(*name));
}

/// The longest way through schemas for one value. Ways that are longer than the limit are not followed to their end.
fn nesting(nodes: &[Node]) -> usize {
    let mut depths: Vec<Option<usize>> = vec![None; nodes.len()];
    let mut longest = 1;
    for start in 0..nodes.len() {
        // Depth first with an explicit stack: a path may be as long as the document.
        let mut stack = vec![(start, 0)];
        while let Some((index, next)) = stack.pop() {
            let children = nodes.get(index).map(|node| node.in_place.as_slice()).unwrap_or_default();
            match children.get(next) {
                Some((child, _)) => {
                    stack.push((index, next + 1));
                    if depths.get(*child).is_some_and(Option::is_none) && stack.len() <= nodes.len() {
                        stack.push((*child, 0));
                    }
                }
                None => {
                    let below = children.iter().filter_map(|(child, _)| *depths.get(*child)?).max();
                    let depth = 1 + below.unwrap_or_default();
                    longest = longest.max(depth);
                    if let Some(known) = depths.get_mut(index) {
                        *known = Some(depth);
                    }
                }
            }
        }
    }
    longest
}

struct Walk<'a> {
    nodes: &'a [Node],
    /// What the walk itself has done.
    visits: u64,
    /// The most that it may count.
    most: u64,
    /// Containers that a reference brought to a schema, where the validator keeps the result.
    seen: Option<HashSet<(usize, usize)>>,
}

/// What one schema costs for one value.
#[derive(Debug, Clone, Copy, Default)]
struct Cost {
    /// To say whether it conforms.
    validate: u64,
    /// To say once more which of its parts were looked at, for an `unevaluated…` around it: each branch is validated
    /// again, and asked the same.
    mark: u64,
}

impl Walk<'_> {
    /// Adds up what a schema costs for a value.
    fn visit(&mut self, index: usize, value: &Value, level: usize) -> Result<Cost, TooCostly> {
        if level > MAX_VALIDATION_LEVELS {
            return Err(TooCostly::Levels);
        }
        let Some(node) = self.nodes.get(index) else { return Ok(Cost::default()) };
        self.visits += STEPS_A_SCHEMA;
        let mut cost = Cost { validate: STEPS_A_SCHEMA, mark: 1 };
        if node.compared_kinds.get(kind(value)).is_some_and(|compared| *compared) {
            cost.validate = cost.validate.saturating_add(node.compared.saturating_mul(STEPS_A_COMPARISON));
        }
        cost.validate = cost.validate.saturating_add(match value {
            Value::String(text) => node.positions.saturating_mul(text.len() as u64 + 1),
            Value::Number(number) if node.multiple > 0 => division(digits(number), node.multiple),
            Value::Array(items) => self.items(node, value, items, level)?,
            Value::Object(members) => self.members(node, members, level)?,
            _ => 0,
        });
        for (child, is_reference) in &node.in_place {
            let is_container = value.is_array() || value.is_object();
            let pair = (*child, std::ptr::from_ref(value) as usize);
            let is_kept =
                self.seen.as_mut().is_some_and(|seen| *is_reference && is_container && !seen.insert(pair));
            if is_kept {
                cost.validate = cost.validate.saturating_add(1);
                continue;
            }
            let inner = self.visit(*child, value, level + 1)?;
            cost.validate = cost.validate.saturating_add(inner.validate);
            cost.mark = cost.mark.saturating_add(inner.validate).saturating_add(inner.mark);
            self.within(cost.validate)?;
        }
        if node.looks_again {
            cost.validate = cost.validate.saturating_add(cost.mark);
        }
        self.within(self.visits.max(cost.validate)).map(|()| cost)
    }

    fn items(&mut self, node: &Node, array: &Value, items: &[Value], level: usize) -> Result<u64, TooCostly> {
        let mut steps: u64 = 0;
        if node.unique {
            let values = Size::of(array).values;
            self.visits += values;
            steps = values.saturating_mul(PAIRWISE * STEPS_A_COMPARISON);
        }
        for (place, item) in items.iter().enumerate() {
            let own = node.prefix.get(place).or(node.other_items.as_ref());
            for child in own.into_iter().chain(&node.all_items) {
                steps = steps.saturating_add(self.visit(*child, item, level + 1)?.validate);
            }
            self.within(steps)?;
        }
        Ok(steps)
    }

    fn members(&mut self, node: &Node, members: &Map<String, Value>, level: usize) -> Result<u64, TooCostly> {
        let mut steps: u64 = 0;
        for (name, member) in members {
            let own = node.properties.get(name);
            let others = if own.is_none() || node.looks_again { node.other_members.as_slice() } else { &[] };
            for (positions, child) in &node.by_pattern {
                steps = steps.saturating_add(1 + positions.saturating_mul(name.len() as u64 + 1));
                steps = steps.saturating_add(self.visit(*child, member, level + 1)?.validate);
            }
            for child in own.into_iter().chain(others) {
                steps = steps.saturating_add(self.visit(*child, member, level + 1)?.validate);
            }
            if let Some(names) = node.names {
                let name = Value::from(name.as_str());
                steps = steps.saturating_add(self.visit(names, &name, level + 1)?.validate);
            }
            self.within(steps)?;
        }
        Ok(steps)
    }

    fn within(&self, steps: u64) -> Result<(), TooCostly> {
        if steps > self.most { Err(TooCostly::Steps) } else { Ok(()) }
    }
}
