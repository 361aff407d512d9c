//! The neutral model between JSON Schema and the languages.

use std::collections::HashSet;

use accord_json::{Exceeded, Meter};
use serde_json::{Value, json};

use crate::agent::Agent;
use crate::comment;
use crate::names::{Names, pascal};
use crate::order;
use crate::read::Reader;

/// What a type says about a value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Shape {
    Any,
    Null,
    Boolean,
    Integer,
    Number,
    String,
    /// A string, an integer or a boolean.
    Literal(Value),
    List(Box<Self>),
    Map(Box<Self>),
    /// At least two. Unnamed ones are a shape or null; all others have a definition of their own.
    Union(Vec<Self>),
    /// A definition, by its number.
    Named(usize),
}

impl Shape {
    /// One of several shapes, without repetitions.
    pub(crate) fn one_of(shapes: impl IntoIterator<Item = Self>) -> Self {
        let mut distinct: Vec<Self> = Vec::new();
        // Some enums have thousands of values.
        let mut literals: HashSet<String> = HashSet::new();
        for shape in shapes {
            let parts = match shape {
                Self::Union(parts) => parts,
                other => vec![other],
            };
            for part in parts {
                if part == Self::Any {
                    return Self::Any;
                }
                let is_new = match &part {
                    Self::Literal(value) => literals.insert(value.to_string()),
                    other => !distinct.contains(other),
                };
                if is_new {
                    distinct.push(part);
                }
            }
        }
        if distinct.contains(&Self::Number) {
            distinct.retain(|shape| *shape != Self::Integer);
        }
        match distinct.len() {
            0 => Self::Any,
            1 => distinct.remove(0),
            _ => Self::Union(distinct),
        }
    }

    /// The shape without null, if null is one of its alternatives.
    pub(crate) fn without_null(&self) -> Option<Self> {
        let Self::Union(parts) = self else { return None };
        let others: Vec<Self> = parts.iter().filter(|part| **part != Self::Null).cloned().collect();
        (others.len() < parts.len()).then(|| Self::one_of(others))
    }
}

/// A type with a name.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Definition {
    pub(crate) name: String,
    pub(crate) comment: Vec<String>,
    pub(crate) body: Body,
    /// Whether it contains itself, directly or through others.
    pub(crate) is_recursive: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Body {
    Record(Record),
    Alias(Shape),
}

/// An object with known properties.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Record {
    pub(crate) fields: Vec<Field>,
    /// Whether other properties are rejected.
    pub(crate) is_closed: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Field {
    /// As in JSON.
    pub(crate) name: String,
    pub(crate) shape: Shape,
    pub(crate) is_required: bool,
    pub(crate) comment: Vec<String>,
}

/// An agent with the definitions of its input and output.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Typed {
    pub(crate) name: String,
    pub(crate) comment: Vec<String>,
    pub(crate) contract_hash: String,
    pub(crate) input: usize,
    pub(crate) output: usize,
}

/// All types of a file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Types {
    pub(crate) agents: Vec<Typed>,
    pub(crate) definitions: Vec<Definition>,
    /// The order to print definitions in: what a definition uses comes first, unless they use each other.
    pub(crate) order: Vec<usize>,
}

impl Types {
    pub(crate) fn of(agents: &[Agent], meter: &Meter) -> Result<Self, Exceeded> {
        let text = json!({"type": "string"});
        let (mut names, mut definitions) = (Names::default(), Vec::new());
        let mut typed = Vec::new();
        for agent in agents {
            let base = pascal(&agent.name);
            let mut root = |schema: &Value, suffix: &str| {
                Reader::new(schema, &mut names, &mut definitions, meter).root(&format!("{base}{suffix}"))
            };
            typed.push(Typed {
                name: agent.name.clone(),
                comment: comment::lines(&agent.description),
                contract_hash: agent.contract_hash.clone(),
                input: root(&agent.input, "Input")?,
                output: root(agent.output.as_ref().unwrap_or(&text), "Output")?,
            });
        }
        let order = order::sort(&mut definitions, meter)?;
        Ok(Self { agents: typed, definitions, order })
    }

    /// The definitions in the order to print them.
    pub(crate) fn ordered(&self) -> impl Iterator<Item = (usize, &Definition)> {
        self.order.iter().filter_map(|index| Some((*index, self.definitions.get(*index)?)))
    }

    /// The name of a definition.
    pub(crate) fn name(&self, index: usize) -> &str {
        self.definitions.get(index).map_or("", |definition| &definition.name)
    }
}
