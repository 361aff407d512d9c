//! What several agents say that feed one node.

use accord_domain::comparison::Comparison;
use serde_json::{Map, Value};

use crate::advance::inputs;
use crate::compare::{CompareOptions, LINE_DISTANCE, Sibling, compare, texts_to_embed};
use crate::flow::Flow;
use crate::graph::Kind;
use crate::state::State;

/// The outputs of agents that feed a node; none, where fewer than two are structured.
pub(crate) struct Siblings {
    known: Vec<Speaker>,
}

/// Who says something.
struct Speaker {
    node: String,
    schema: Value,
    is_map: bool,
}

impl Siblings {
    pub(crate) fn of(flow: &Flow, node: usize, inputs: &Map<String, Value>) -> Option<Self> {
        let known: Vec<Speaker> = flow
            .producers(node)
            .filter_map(|producer| {
                let known = flow.graph.nodes.get(producer)?;
                let output = inputs.get(&known.id)?;
                let is_map = matches!(known.kind, Kind::Map { .. });
                let speaks = match (&known.kind, output) {
                    (Kind::Agent(_) | Kind::Planner { .. }, output) => is_structured(output),
                    // One output for each item.
                    (Kind::Map { .. }, Value::Array(outputs)) => outputs.iter().any(is_structured),
                    _ => false,
                };
                let schema = || flow.gives(producer).unwrap_or(Value::Bool(true));
                speaks.then(|| Speaker { node: known.id.clone(), schema: schema(), is_map })
            })
            .collect();
        (known.len() >= 2).then_some(Self { known })
    }

    fn said<'a>(&'a self, inputs: &'a Map<String, Value>) -> Vec<Sibling<'a>> {
        let sibling = |Speaker { node, schema, is_map }: &'a Speaker| {
            Some(Sibling { agent: node.as_str(), schema, output: inputs.get(node)?, is_map: *is_map })
        };
        self.known.iter().filter_map(sibling).collect()
    }

    pub(crate) fn compare(&self, inputs: &Map<String, Value>, options: &CompareOptions) -> Comparison {
        compare(&self.said(inputs), options)
    }
}

fn is_structured(output: &Value) -> bool {
    output.is_object() || output.is_array()
}

impl Flow {
    /// The texts whose vectors would have helped to compare what feeds the nodes that began between two states.
    pub fn texts_to_embed(&self, before: &State, after: &State) -> Vec<String> {
        let mut texts = Vec::new();
        for (node, (old, new)) in before.nodes.iter().zip(&after.nodes).enumerate() {
            if old.comparison.is_some() || new.comparison.is_none() {
                continue;
            }
            let inputs = inputs(self, after, node);
            if let Some(siblings) = Siblings::of(self, node, &inputs) {
                texts.extend(texts_to_embed(&siblings.said(&inputs), LINE_DISTANCE));
            }
        }
        texts.sort();
        texts.dedup();
        texts
    }
}
