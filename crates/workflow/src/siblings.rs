//! What several agents say that feed one node.

use accord_domain::comparison::Comparison;
use serde_json::{Map, Value};

use crate::advance::inputs;
use crate::compare::{CompareOptions, LINE_DISTANCE, Sibling, compare, texts_to_embed};
use crate::flow::Flow;
use crate::graph::Kind;
use crate::state::State;

/// The outputs of agents that feed a node, each with its schema; none, where fewer than two are structured.
pub(crate) struct Siblings {
    schemas: Vec<(String, Value)>,
}

impl Siblings {
    pub(crate) fn of(flow: &Flow, node: usize, inputs: &Map<String, Value>) -> Option<Self> {
        let schemas: Vec<(String, Value)> = flow
            .producers(node)
            .filter_map(|producer| {
                let known = flow.graph.nodes.get(producer)?;
                let speaks = matches!(known.kind, Kind::Agent(_) | Kind::Planner { .. });
                let structured = speaks
                    && inputs.get(&known.id).is_some_and(|value| value.is_object() || value.is_array());
                structured.then(|| (known.id.clone(), flow.gives(producer).unwrap_or(Value::Bool(true))))
            })
            .collect();
        (schemas.len() >= 2).then_some(Self { schemas })
    }

    fn said<'a>(&'a self, inputs: &'a Map<String, Value>) -> Vec<Sibling<'a>> {
        let sibling = |(node, schema): &'a (String, Value)| {
            Some(Sibling { agent: node.as_str(), schema, output: inputs.get(node)? })
        };
        self.schemas.iter().filter_map(sibling).collect()
    }

    pub(crate) fn compare(&self, inputs: &Map<String, Value>, options: &CompareOptions) -> Comparison {
        compare(&self.said(inputs), options)
    }
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
