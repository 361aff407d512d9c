//! The shape of a value as a graph. It is built from the source schema, and both the lowered schema
//! and the lifting are made from it. Because both come from the same nodes, an answer that has the
//! lowered shape always lifts.
//!
//! Nodes are numbered, so that a recursive schema is a cycle of numbers and not of pointers.

use std::sync::Arc;

use accord_json::Meter;
use serde_json::Value;

use super::kinds::Kinds;
use crate::json_path::JsonPath;
use crate::schema::Schema;

/// The number of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct NodeId(pub(super) usize);

/// Every node, and where to begin.
#[derive(Debug, Clone)]
pub(crate) struct Graph {
    nodes: Vec<Node>,
    root: NodeId,
    outside: Node,
}

impl Graph {
    pub(super) fn new() -> Self {
        Self { nodes: Vec::new(), root: NodeId(0), outside: Node::new(JsonPath::root(), Shape::Never) }
    }

    pub(super) fn add(&mut self, node: Node) -> NodeId {
        self.nodes.push(node);
        NodeId(self.nodes.len() - 1)
    }

    pub(super) fn get(&self, id: NodeId) -> &Node {
        self.nodes.get(id.0).unwrap_or(&self.outside)
    }

    pub(super) fn get_mut(&mut self, id: NodeId) -> &mut Node {
        self.nodes.get_mut(id.0).unwrap_or(&mut self.outside)
    }

    pub(super) fn root(&self) -> NodeId {
        self.root
    }

    pub(super) fn set_root(&mut self, root: NodeId) {
        self.root = root;
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn ids(&self) -> impl DoubleEndedIterator<Item = NodeId> + use<> {
        (0..self.nodes.len()).map(NodeId)
    }
}

/// One place of a value, and what may be there.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(super) shape: Shape,
    /// The schema in the source that this comes from.
    pub(super) place: JsonPath,
    pub(super) title: Option<String>,
    pub(super) description: Option<String>,
    /// What else the source asks for; emitted where the profile has the keyword, put into words elsewhere.
    pub(super) demands: Vec<Demand>,
    /// The name of the definition, when a reference leads here.
    pub(super) name: Option<String>,
    /// The source names no type, so that values of other kinds conform too. They are not offered.
    pub(super) untyped: bool,
}

impl Node {
    pub(super) fn new(place: JsonPath, shape: Shape) -> Self {
        Self { shape, place, title: None, description: None, demands: Vec::new(), name: None, untyped: false }
    }
}

/// A keyword that restricts a value without giving it shape.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Demand {
    pub(super) keyword: &'static str,
    pub(super) value: Value,
    pub(super) place: JsonPath,
}

/// The possible values at a place.
#[derive(Debug, Clone)]
pub(super) enum Shape {
    /// Nothing conforms.
    Never,
    /// Anything conforms, or what conforms cannot be said.
    Any,
    /// Strings, numbers, booleans, null; if values are listed, one of them.
    Scalar { types: Vec<&'static str>, values: Option<Vec<Value>> },
    /// One of these values, some of which are objects or arrays.
    Literals { values: Vec<Value> },
    /// An array of any length.
    List { items: NodeId },
    /// An object with named members and perhaps others.
    Object { members: Vec<Member>, rest: Option<Rest> },
    /// An object without named members.
    Map { rest: Rest },
    /// An array with a schema for each position, and perhaps more items.
    Tuple { members: Vec<Member>, rest: Option<NodeId> },
    /// One of several.
    Union { branches: Vec<Branch>, tagged: bool, exactly_one: bool },
}

/// A named member of an object, or a position of a tuple.
#[derive(Debug, Clone)]
pub(super) struct Member {
    /// Its name in the source.
    pub(super) name: String,
    /// Its name in the lowered schema.
    pub(super) wire: String,
    pub(super) node: NodeId,
    pub(super) required: bool,
    pub(super) presence: Presence,
}

impl Member {
    pub(super) fn new(name: &str, node: NodeId, required: bool) -> Self {
        Self { name: name.to_owned(), wire: name.to_owned(), node, required, presence: Presence::Plain }
    }

    /// Whether every lowered object has this member.
    pub(super) fn always_there(&self) -> bool {
        self.required || self.presence != Presence::Plain
    }
}

/// How the lowered schema says that a member is absent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Presence {
    /// By its absence.
    Plain,
    /// By null.
    Nullable,
    /// As the object `{"absent": true}`, because null is a valid value.
    MarkedByObject,
    /// As the string `absent`, because null and objects are valid values.
    MarkedByText,
    /// By null; a present value is in `{"value": …}`.
    Boxed,
}

/// The properties of an object that the schema does not name.
#[derive(Debug, Clone)]
pub(super) struct Rest {
    /// Names that match, and what their values are; the first that matches decides.
    pub(super) patterns: Vec<NamePattern>,
    /// The schema of all other properties; `None` if no others are allowed.
    pub(super) other: Option<NodeId>,
    /// The member that holds the pairs, where the object has named members too.
    pub(super) wire: String,
}

impl Rest {
    /// The node that decides about the member of this name.
    pub(super) fn node_of(&self, name: &str) -> Option<NodeId> {
        self.patterns.iter().find(|each| each.matches(name)).map(|each| each.node).or(self.other)
    }

    pub(super) fn nodes(&self) -> impl Iterator<Item = NodeId> {
        self.patterns.iter().map(|each| each.node).chain(self.other)
    }
}

/// A regular expression for names.
#[derive(Debug, Clone)]
pub(super) struct NamePattern {
    pub(super) pattern: String,
    pub(super) matcher: Matcher,
    pub(super) node: NodeId,
}

impl NamePattern {
    pub(super) fn matches(&self, name: &str) -> bool {
        self.matcher.matches(name)
    }
}

/// A compiled regular expression. It is the validator's own, so that lowering and judging read it alike.
#[derive(Debug, Clone)]
pub(super) struct Matcher(Option<Arc<Schema>>);

impl Matcher {
    pub(super) fn new(pattern: &str, meter: &Meter) -> Self {
        Self(Schema::compile(&serde_json::json!({ "pattern": pattern }), meter).ok().map(Arc::new))
    }

    pub(super) fn matches(&self, name: &str) -> bool {
        self.0.as_ref().is_some_and(|schema| schema.is_valid(&Value::from(name)))
    }
}

/// One alternative of a union.
#[derive(Debug, Clone)]
pub(super) struct Branch {
    pub(super) node: NodeId,
    pub(super) guard: Guard,
}

/// Which source values belong to a branch.
#[derive(Debug, Clone)]
pub(super) enum Guard {
    /// Those that conform to all of these schemas of the source.
    Schemas(Vec<JsonPath>),
    /// Those of these kinds.
    Kinds(Kinds),
    /// Those that no other branch takes: the source says of this place what holds only under a condition.
    Otherwise,
}

impl Shape {
    /// The nodes that this one leads to.
    pub(super) fn children(&self) -> Vec<NodeId> {
        match self {
            Self::Never | Self::Any | Self::Scalar { .. } | Self::Literals { .. } => Vec::new(),
            Self::List { items } => vec![*items],
            Self::Object { members, rest } => members
                .iter()
                .map(|member| member.node)
                .chain(rest.iter().flat_map(|rest| rest.nodes().collect::<Vec<_>>()))
                .collect(),
            Self::Map { rest } => rest.nodes().collect(),
            Self::Tuple { members, rest } => members.iter().map(|member| member.node).chain(*rest).collect(),
            Self::Union { branches, .. } => branches.iter().map(|branch| branch.node).collect(),
        }
    }
}
