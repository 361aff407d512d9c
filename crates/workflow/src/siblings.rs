//! The outputs of the agents upstream of one node, which are compared before it starts.

use accord_contract::{Exceeded, Meter};
use accord_domain::comparison::Comparison;
use serde_json::{Map, Value};

use crate::advance::inputs;
use crate::compare::{CompareOptions, LINE_DISTANCE, Sibling, compare, texts_to_embed};
use crate::flow::Flow;
use crate::state::State;

/// Two or more upstream agents with structured outputs.
pub(crate) struct Siblings {
    agents: Vec<UpstreamAgent>,
}

struct UpstreamAgent {
    node: String,
    schema: Value,
    /// Whether the output is a list with one output for each item.
    is_per_item: bool,
}

impl Siblings {
    /// Whether a node has two upstream agents at all.
    pub(crate) fn can_be(flow: &Flow, node: usize) -> bool {
        let is_agent =
            |producer: &usize| flow.graph.nodes.get(*producer).is_some_and(|node| node.kind.work().is_some());
        flow.producers(node).filter(is_agent).count() >= 2
    }

    pub(crate) fn of(flow: &Flow, node: usize, inputs: &Map<String, Value>) -> Option<Self> {
        let agents: Vec<UpstreamAgent> = flow
            .producers(node)
            .filter_map(|producer| {
                let known = flow.graph.nodes.get(producer)?;
                let output = inputs.get(&known.id)?;
                known.kind.work()?;
                let is_per_item = known.kind.is_per_item();
                let is_compared = match output {
                    Value::Array(outputs) if is_per_item => outputs.iter().any(is_structured),
                    output => !is_per_item && is_structured(output),
                };
                let schema = || flow.gives(producer).unwrap_or(Value::Bool(true));
                is_compared.then(|| UpstreamAgent { node: known.id.clone(), schema: schema(), is_per_item })
            })
            .collect();
        (agents.len() >= 2).then_some(Self { agents })
    }

    fn outputs<'a>(&'a self, inputs: &'a Map<String, Value>) -> Vec<Sibling<'a>> {
        let sibling = |UpstreamAgent { node, schema, is_per_item }: &'a UpstreamAgent| {
            Some(Sibling { agent: node.as_str(), schema, output: inputs.get(node)?, is_map: *is_per_item })
        };
        self.agents.iter().filter_map(sibling).collect()
    }

    pub(crate) fn compare(
        &self,
        inputs: &Map<String, Value>,
        options: &CompareOptions,
        meter: &Meter,
    ) -> Result<Comparison, Exceeded> {
        compare(&self.outputs(inputs), options, meter)
    }
}

fn is_structured(output: &Value) -> bool {
    output.is_object() || output.is_array()
}

impl Flow {
    /// The texts whose embeddings the comparisons of the nodes that started between two states would use.
    pub fn texts_to_embed(
        &self,
        before: &State,
        after: &State,
        meter: &Meter,
    ) -> Result<Vec<String>, Exceeded> {
        let mut texts = Vec::new();
        for (node, (old, new)) in before.nodes.iter().zip(&after.nodes).enumerate() {
            if old.comparison.is_some() || new.comparison.is_none() {
                continue;
            }
            let inputs = inputs(self, after, node);
            if let Some(siblings) = Siblings::of(self, node, &inputs) {
                texts.extend(texts_to_embed(&siblings.outputs(&inputs), LINE_DISTANCE, &meter.anew())?);
            }
        }
        texts.sort();
        texts.dedup();
        Ok(texts)
    }
}
