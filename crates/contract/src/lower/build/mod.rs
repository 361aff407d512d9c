//! From the source to the graph. A node is asked for by the schemas that judge a place; the same schemas give
//! the same node, which is how recursion closes its circle. Nodes are filled from a queue, never by recursion,
//! so that no chain of references is too long for the stack.

mod array;
mod conditional;
mod object;
mod scalar;
mod types;
mod union;

pub(crate) use scalar::has_type;

use std::collections::{HashMap, VecDeque};

use accord_json::{Exceeded, Meter};

use super::graph::{Demand, Graph, Matcher, Node, NodeId, Shape};
use super::profile::Profile;
use super::source::{At, Conjunction, Source};
use super::{EnforcedBy, Loss};
use crate::json_path::JsonPath;
use crate::limits::MAX_LOWERED_PARTS;
use crate::schema::Schema;

/// Reads a schema into a graph, with what was lost on the way.
pub(super) fn build<'a>(
    schema: &'a Schema,
    profile: &'a Profile,
    meter: &'a Meter,
) -> Result<(Graph, Vec<Loss>), Exceeded> {
    let mut builder = Builder {
        source: Source::new(schema),
        profile,
        graph: Graph::new(),
        known: HashMap::new(),
        queue: VecDeque::new(),
        patterns: HashMap::new(),
        spent: 0,
        losses: Vec::new(),
        meter,
    };
    let root = builder.source.root();
    let root = builder.node(vec![root]);
    builder.graph.set_root(root);
    while let Some((id, request)) = builder.queue.pop_front() {
        meter.steps(1 + request.schemas.len() as u64)?;
        let before = builder.spent;
        builder.fill(id, &request);
        meter.steps((builder.spent - before) as u64)?;
    }
    Ok((builder.graph, builder.losses))
}

/// The schemas that judge one place, and the unions of theirs that are decided already.
#[derive(Debug, Clone)]
struct Request<'a> {
    schemas: Vec<At<'a>>,
    resolved: Vec<usize>,
}

type Key = (Vec<usize>, Vec<usize>);

struct Builder<'a> {
    source: Source<'a>,
    profile: &'a Profile,
    graph: Graph,
    known: HashMap<Key, NodeId>,
    queue: VecDeque<(NodeId, Request<'a>)>,
    patterns: HashMap<&'a str, Matcher>,
    /// Nodes and members made so far.
    spent: usize,
    losses: Vec<Loss>,
    meter: &'a Meter,
}

impl<'a> Builder<'a> {
    /// The node for a place that all these schemas judge.
    fn node(&mut self, schemas: Vec<At<'a>>) -> NodeId {
        self.request(Request { schemas, resolved: Vec::new() })
    }

    fn request(&mut self, request: Request<'a>) -> NodeId {
        let mut name = None;
        let mut schemas: Vec<At<'a>> = Vec::with_capacity(request.schemas.len());
        for at in request.schemas {
            let (at, followed) = self.source.follow(at);
            name = name.or(followed);
            if !schemas.iter().any(|other| other.identity() == at.identity()) {
                schemas.push(at);
            }
        }
        let key = (schemas.iter().map(At::identity).collect(), request.resolved.clone());
        let id = match self.known.get(&key) {
            Some(id) => *id,
            None => {
                let place = schemas.first().map_or_else(JsonPath::root, |at| at.place.clone());
                let id = self.add(place, Shape::Any);
                self.known.insert(key, id);
                self.queue.push_back((id, Request { schemas, resolved: request.resolved }));
                id
            }
        };
        if name.is_some() {
            self.graph.get_mut(id).name = name;
        }
        id
    }

    fn add(&mut self, place: JsonPath, shape: Shape) -> NodeId {
        self.spent += 1;
        self.graph.add(Node::new(place, shape))
    }

    fn fill(&mut self, id: NodeId, request: &Request<'a>) {
        let conjunction = self.source.open(&request.schemas, &request.resolved);
        let place = self.graph.get(id).place.clone();
        self.spent += conjunction.parts.len();
        let shape = if self.spent > MAX_LOWERED_PARTS {
            self.lose(&place, "$ref", "the schema is too large with references expanded");
            Shape::Any
        } else {
            self.shape(id, request, &conjunction)
        };
        let node = self.graph.get_mut(id);
        node.shape = shape;
        node.title = conjunction.title.map(str::to_owned);
        node.description = conjunction.description.map(str::to_owned);
        if node.name.is_none() {
            node.name = conjunction.name;
        }
    }

    fn shape(&mut self, id: NodeId, request: &Request<'a>, conjunction: &Conjunction<'a>) -> Shape {
        let place = self.graph.get(id).place.clone();
        if conjunction.never {
            return Shape::Never;
        }
        if conjunction.opaque {
            self.lose(&place, "$ref", "the reference points to a meta-schema");
            return Shape::Any;
        }
        if let Some(shape) = self.literals(conjunction) {
            return shape;
        }
        let (unions, refinements) = union::split(&conjunction.unions);
        let mut demands = refinements;
        demands.extend(conditional::demands(conjunction));
        self.graph.get_mut(id).demands = demands;
        if unions.is_empty() {
            self.typed(id, conjunction)
        } else {
            self.union(id, request, conjunction, &unions)
        }
    }

    fn demand(&mut self, id: NodeId, demands: impl IntoIterator<Item = Demand>) {
        self.graph.get_mut(id).demands.extend(demands);
    }

    fn lose(&mut self, place: &JsonPath, keyword: &str, detail: &str) {
        self.losses.push(Loss {
            pointer: place.pointer(),
            keyword: keyword.to_owned(),
            enforced_by: EnforcedBy::Validator,
            detail: Some(detail.to_owned()),
        });
    }

    /// Whether a name matches a pattern; each pattern is compiled once.
    fn matcher(&mut self, pattern: &'a str) -> &Matcher {
        self.patterns.entry(pattern).or_insert_with(|| Matcher::new(pattern, self.meter))
    }
}
