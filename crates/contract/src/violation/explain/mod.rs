//! A walk over a schema and a value side by side that finds why the one does not hold for the other.
//!
//! It has two modes. Collecting produces the errors. Counting only measures how far a value is from a schema,
//! to compare alternatives and to decide conditions. Counts are remembered for
//! each pair of schema and container, so nested alternatives cost their number and not their product.
//!
//! `$dynamicRef` and `$recursiveRef` are followed as if they were static, so under them an error may be missed or
//! reported in vain. If that (or a limit) hides all errors, the caller falls back on the validator's own
//! message. The verdict is the validator's and never depends on this.

mod array;
mod evaluated;
mod findings;
mod leaf;
mod object;
mod plain;
mod union;

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use serde_json::{Map, Value};

use findings::{Collector, Score, Trail};
pub(super) use findings::{Finding, Findings};
use leaf::Leaves;

use super::wording;
use crate::limits::{MAX_ERRORS, MAX_EXPLAIN_DEPTH, MAX_EXPLAIN_VISITS, MAX_VISITS_AFTER_ERRORS};
use crate::schema::reference::{KEYWORDS, Resolver, base_at, base_of};
use crate::schema::{Dialect, Schema, is_stopped};

/// How many visits are made between two looks at whether the work was asked to stop.
const VISITS_A_LOOK: u64 = 1_024;

pub(super) fn explain(schema: &Schema, value: &Value) -> Findings {
    let document = schema.document();
    let mut explainer = Explainer {
        document,
        dialect: schema.dialect(),
        resolver: Resolver::new(document),
        leaves: Leaves::new(schema.dialect()),
        scores: HashMap::new(),
        seen: HashSet::new(),
        visits: MAX_EXPLAIN_VISITS,
        depth: 0,
    };
    let mut found = Collector::collecting();
    let root = Node { schema: document, base: Rc::from("") };
    explainer.visit(&root, value, &Trail::root(), &mut found);
    found.into_findings()
}

/// A schema and the base address that its references are seen from (its own `$id` not yet counted in).
#[derive(Clone)]
struct Node<'a> {
    schema: &'a Value,
    base: Rc<str>,
}

/// The keyword with which a part of an `allOf` says whose contract it is: an agent's, or its caller's.
const OWNER: &str = "x-contract-of";

struct Explainer<'a> {
    document: &'a Value,
    dialect: Dialect,
    resolver: Resolver<'a>,
    leaves: Leaves,
    scores: HashMap<(usize, usize), Score>,
    /// Pairs that were collected from already: a second visit would say the same again.
    seen: HashSet<(usize, usize)>,
    visits: u64,
    depth: usize,
}

impl<'a> Explainer<'a> {
    /// Looks for what is wrong with a value at a place.
    fn visit(&mut self, node: &Node<'a>, value: &Value, trail: &Trail<'_>, found: &mut Collector) {
        if self.visits == 0 || self.depth >= MAX_EXPLAIN_DEPTH || found.is_full() {
            return;
        }
        self.visits -= 1;
        if self.visits.is_multiple_of(VISITS_A_LOOK) && is_stopped() {
            self.visits = 0;
            return;
        }
        if found.errors() >= MAX_ERRORS && found.is_collecting() {
            self.visits = self.visits.min(MAX_VISITS_AFTER_ERRORS);
        }
        let pair = pair_of(node.schema, value);
        if let (Some(pair), true) = (pair, found.is_collecting())
            && !self.seen.insert(pair)
        {
            return;
        }
        self.depth += 1;
        match (pair, found.is_collecting()) {
            (Some(pair), false) => {
                let score = match self.scores.get(&pair) {
                    Some(score) => *score,
                    None => {
                        let mut inner = Collector::counting();
                        self.look(node, value, trail, &mut inner);
                        self.scores.insert(pair, inner.score());
                        inner.score()
                    }
                };
                found.add(score);
            }
            _ => self.look(node, value, trail, found),
        }
        self.depth -= 1;
    }

    /// How far a value is from a schema.
    fn score(&mut self, node: &Node<'a>, value: &Value) -> Score {
        let mut found = Collector::counting();
        self.visit(node, value, &Trail::root(), &mut found);
        found.score()
    }

    fn holds(&mut self, node: &Node<'a>, value: &Value) -> bool {
        self.score(node, value).is_zero()
    }

    fn look(&mut self, node: &Node<'a>, value: &Value, trail: &Trail<'_>, found: &mut Collector) {
        match node.schema {
            Value::Bool(false) => {
                found.fail_fatally(trail, node.schema, "falseSchema", || wording::nothing_allowed(value));
            }
            Value::Object(keywords) => self.keywords(node, keywords, value, trail, found),
            _ => {}
        }
    }

    fn keywords(
        &mut self,
        node: &Node<'a>,
        keywords: &'a Map<String, Value>,
        value: &Value,
        trail: &Trail<'_>,
        found: &mut Collector,
    ) {
        for keyword in KEYWORDS {
            let Some(reference) = keywords.get(*keyword).and_then(Value::as_str) else { continue };
            match self.target(node, reference) {
                Some(target) => self.visit(&target, value, trail, found),
                None => self.leaves.check_reference(reference, node.schema, value, trail, found),
            }
            // Draft-07 ignores siblings of a reference.
            if *keyword == "$ref" && self.dialect == Dialect::Draft7 {
                return;
            }
        }
        let base: Rc<str> = base_of(&node.base, node.schema).into();
        let here = Level { node, keywords, base };
        self.leaves.check(node.schema, keywords, value, trail, found);
        if let Some(Value::Array(parts)) = keywords.get("allOf") {
            for part in parts {
                let before = found.kept();
                self.visit(&here.child(part), value, trail, found);
                if let Some(owner) = part.get(OWNER).and_then(Value::as_str) {
                    found.note_since(before, &format!("the {owner}'s schema"));
                }
            }
        }
        for keyword in ["anyOf", "oneOf"] {
            if let Some(Value::Array(branches)) = keywords.get(keyword) {
                self.union(&here, keyword, branches, value, trail, found);
            }
        }
        self.negation(&here, value, trail, found);
        self.condition(&here, value, trail, found);
        match value {
            Value::Object(members) => self.object(&here, value, members, trail, found),
            Value::Array(items) => self.array(&here, value, items, trail, found),
            _ => {}
        }
    }

    fn negation(&mut self, here: &Level<'a, '_>, value: &Value, trail: &Trail<'_>, found: &mut Collector) {
        let Some(ruled_out) = here.keywords.get("not") else { return };
        if self.holds(&here.child(ruled_out), value) {
            found.fail(trail, ruled_out, "not", || wording::ruled_out(value, ruled_out));
        }
    }

    fn condition(&mut self, here: &Level<'a, '_>, value: &Value, trail: &Trail<'_>, found: &mut Collector) {
        let Some(condition) = here.keywords.get("if") else { return };
        let holds = self.holds(&here.child(condition), value);
        let consequence = here.keywords.get(if holds { "then" } else { "else" });
        let Some(consequence) = consequence else { return };
        let before = found.kept();
        self.visit(&here.child(consequence), value, trail, found);
        if holds && let Some(reason) = wording::reason(condition, value) {
            found.note_since(before, &reason);
        }
    }

    /// The schema that a reference leads to, with its base.
    fn target(&self, node: &Node<'a>, reference: &str) -> Option<Node<'a>> {
        // Draft-07 ignores an `$id` next to a reference too.
        let base = match self.dialect {
            Dialect::Draft7 => node.base.to_string(),
            Dialect::Draft201909 | Dialect::Draft202012 => base_of(&node.base, node.schema),
        };
        let (place, schema) = self.resolver.resolve(&base, reference)?;
        Some(Node { schema, base: base_at(self.document, &place).into() })
    }

    /// The schema after a chain of references, for a look at its keywords.
    fn shape(&self, node: &Node<'a>) -> &'a Value {
        let mut node = node.clone();
        for _ in 0..MAX_EXPLAIN_DEPTH {
            let reference = node.schema.get("$ref").and_then(Value::as_str);
            match reference.and_then(|reference| self.target(&node, reference)) {
                Some(target) => node = target,
                None => break,
            }
        }
        node.schema
    }
}

/// One schema object while its keywords are looked at.
struct Level<'a, 'n> {
    node: &'n Node<'a>,
    keywords: &'a Map<String, Value>,
    base: Rc<str>,
}

impl<'a> Level<'a, '_> {
    fn child(&self, schema: &'a Value) -> Node<'a> {
        Node { schema, base: Rc::clone(&self.base) }
    }

    fn get(&self, keyword: &str) -> Option<&'a Value> {
        self.keywords.get(keyword)
    }
}

/// What identifies a schema and a container while both are borrowed. Scalars are cheap to look at again.
fn pair_of(schema: &Value, value: &Value) -> Option<(usize, usize)> {
    matches!(value, Value::Object(_) | Value::Array(_)).then(|| (address(schema), address(value)))
}

fn address(value: &Value) -> usize {
    std::ptr::from_ref(value).addr()
}
