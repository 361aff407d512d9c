//! How much one step of a run may hold and copy.
//!
//! Each template, condition and comparison has limits of its own, but a graph has thousands of nodes: five thousand that get the
//! same input of 8 MiB would make 40 GiB of it in one step. So what nodes put out and what new tasks get is counted together,
//! and so is what is copied for templates and conditions.

use std::cell::Cell;

use accord_contract::Meter;
use accord_domain::workflow::WorkflowFailure;
use serde_json::Value;

use crate::limits::{MOST_COPIED, MOST_HELD_BYTES, MOST_HELD_VALUES};
use crate::state::{NodeState, State, Task};

/// The copies of its inputs that are made for a node or a task: by their names, all together, and to look through them.
const COPIES: u64 = 4;

/// This many bytes of a text take as long to copy as a value.
const BYTES_A_VALUE: u64 = 64;

/// What values take.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Size {
    values: u64,
    bytes: u64,
}

impl Size {
    pub(crate) fn of(value: &Value) -> Self {
        match value {
            Value::Null | Value::Bool(_) | Value::Number(_) => Self { values: 1, bytes: 0 },
            Value::String(text) => Self { values: 1, bytes: text.len() as u64 },
            Value::Array(items) => items.iter().map(Self::of).fold(Self { values: 1, bytes: 0 }, Self::and),
            Value::Object(members) => {
                members.iter().fold(Self { values: 1, bytes: 0 }, |all, (name, value)| {
                    all.and(Self::of(value)).and(Self { values: 0, bytes: name.len() as u64 })
                })
            }
        }
    }

    pub(crate) fn and(self, other: Self) -> Self {
        Self { values: self.values + other.values, bytes: self.bytes + other.bytes }
    }

    pub(crate) fn is_held(self) -> bool {
        self.values <= MOST_HELD_VALUES && self.bytes <= MOST_HELD_BYTES
    }
}

/// What a run holds, and what the step has copied.
#[derive(Debug)]
pub(super) struct Held {
    all: Size,
    /// Of the outputs, by node.
    outputs: Vec<Size>,
    input: Size,
    copied: Cell<u64>,
    /// A task was refused.
    is_full: bool,
}

impl Held {
    pub(super) fn of(state: &State) -> Self {
        let size = |output: &Option<Value>| output.as_ref().map(Size::of).unwrap_or_default();
        let outputs: Vec<Size> = state.nodes.iter().map(|node| size(&node.output)).collect();
        let kept = |node: &NodeState| {
            let outputs = node.tasks.iter().map(|task| size(&task.output)).fold(Size::default(), Size::and);
            // Those of a node that goes on will be put together.
            if node.output.is_none() { outputs.and(outputs) } else { outputs }
        };
        let all =
            state.nodes.iter().map(kept).chain(outputs.iter().copied()).fold(Size::default(), Size::and);
        let input = Size::of(&state.head.input);
        Self { all, outputs, input, copied: Cell::new(0), is_full: false }
    }

    /// Counts the output of a task that its node keeps and will put out with those of its other tasks.
    pub(super) fn keep(&mut self, value: &Value) -> Result<(), WorkflowFailure> {
        let size = Size::of(value);
        self.add(size.and(size))
    }

    /// Counts the output of a node, unless it was counted with the tasks that it comes from.
    pub(super) fn keep_output(
        &mut self,
        node: usize,
        tasks: &[Task],
        value: &Value,
    ) -> Result<(), WorkflowFailure> {
        let size = Size::of(value);
        if tasks.iter().all(|task| task.output.is_none()) {
            self.add(size)?;
        }
        if let Some(output) = self.outputs.get_mut(node) {
            *output = size;
        }
        Ok(())
    }

    /// Counts what a new task gets.
    pub(super) fn keep_parameters(&mut self, value: &Value) -> Result<(), WorkflowFailure> {
        let kept = self.add(Size::of(value));
        self.is_full |= kept.is_err();
        kept
    }

    /// Whether another task can get something. Once one was refused, the others are not prepared in vain.
    pub(super) fn has_room(&self) -> Result<(), WorkflowFailure> {
        if self.is_full { Err(too_large()) } else { Ok(()) }
    }

    fn add(&mut self, size: Size) -> Result<(), WorkflowFailure> {
        let all = self.all.and(size);
        if !all.is_held() {
            return Err(too_large());
        }
        self.all = all;
        Ok(())
    }

    /// Counts the copies of the inputs of a node or a task, before they are made.
    pub(super) fn copy_inputs(
        &self,
        producers: impl Iterator<Item = usize>,
        meter: &Meter,
    ) -> Result<(), WorkflowFailure> {
        let sizes = producers.filter_map(|producer| self.outputs.get(producer)).copied();
        self.copy(sizes.fold(Size::default(), Size::and), COPIES, meter)
    }

    /// Counts what the condition of an edge reads: the output in front of it, and the input of the run.
    pub(super) fn copy_for_edge(&self, node: usize, meter: &Meter) -> Result<(), WorkflowFailure> {
        self.copy(self.outputs.get(node).copied().unwrap_or_default().and(self.input), 1, meter)
    }

    fn copy(&self, size: Size, times: u64, meter: &Meter) -> Result<(), WorkflowFailure> {
        let cost = (size.values + size.bytes / BYTES_A_VALUE) * times;
        let copied = self.copied.get() + cost;
        if copied > MOST_COPIED || meter.check_stop().is_err() {
            let message = "the inputs of the nodes that start at the same time are too large to be copied for each of them; give them smaller ones";
            return Err(WorkflowFailure::new("inputs_too_large", message));
        }
        self.copied.set(copied);
        Ok(())
    }
}

fn too_large() -> WorkflowFailure {
    let message = format!(
        "the outputs of a run, and what the tasks that start at the same time get, have at most {} MiB of text and {MOST_HELD_VALUES} values together; make them smaller",
        MOST_HELD_BYTES >> 20
    );
    WorkflowFailure::new("outputs_too_large", message)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_value_is_measured_with_its_names() {
        assert_eq!(Size::of(&json!({"ab": ["cde", 1, null]})), Size { values: 5, bytes: 5 });
    }
}
