//! What a conversation has used. Claude Code counts from its beginning, over processes too; a turn is the difference.
//!
//! It does not count a message whose stream it did not read to the end, and it stops reading when its validator refuses the
//! value: those are the failed attempts. So the messages are counted too, and the larger figure is used. The cost and the
//! output tokens of such a message are not reported.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::answer::Usage;

use super::line::{Message, Tokens};

#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct Totals {
    pub(super) input_tokens: u64,
    pub(super) output_tokens: u64,
    pub(super) cost_usd: f64,
}

impl Totals {
    /// From a line of type `result`, all models together. Tokens of a cache were read too.
    pub(super) fn of_result(line: &Value) -> Self {
        let mut totals = Self::default();
        let models = line.get("modelUsage").and_then(Value::as_object);
        for model in models.into_iter().flat_map(|models| models.values()) {
            let count = |name: &str| model.get(name).and_then(Value::as_u64).unwrap_or_default();
            for name in ["inputTokens", "cacheReadInputTokens", "cacheCreationInputTokens"] {
                totals.input_tokens = totals.input_tokens.saturating_add(count(name));
            }
            totals.output_tokens = totals.output_tokens.saturating_add(count("outputTokens"));
        }
        totals.cost_usd = cost(line.get("total_cost_usd"));
        totals
    }

    /// The usage since earlier totals. Smaller totals mean that it started counting anew.
    pub(super) fn since(&self, before: &Self) -> Usage {
        let began_anew = self.input_tokens < before.input_tokens
            || self.output_tokens < before.output_tokens
            || self.cost_usd < before.cost_usd;
        let before = if began_anew { Self::default() } else { *before };
        Usage {
            input_tokens: self.input_tokens - before.input_tokens,
            output_tokens: self.output_tokens - before.output_tokens,
            cost_usd: Some(self.cost_usd - before.cost_usd),
        }
    }
}

/// The messages of one turn, by their ids: a message comes in parts, and each reports the tokens of the whole.
#[derive(Debug, Default)]
pub(super) struct Messages(HashMap<String, Tokens>);

impl Messages {
    pub(super) fn note(&mut self, message: &Message) {
        let counted = self.0.entry(message.id.clone()).or_default();
        counted.input = counted.input.max(message.tokens.input);
        counted.output = counted.output.max(message.tokens.output);
    }

    /// Usage that is no smaller than the sum of the messages.
    pub(super) fn at_least(&self, usage: Usage) -> Usage {
        let sum = |of: fn(&Tokens) -> u64| self.0.values().map(of).fold(0, u64::saturating_add);
        Usage {
            input_tokens: usage.input_tokens.max(sum(|tokens| tokens.input)),
            output_tokens: usage.output_tokens.max(sum(|tokens| tokens.output)),
            ..usage
        }
    }
}

fn cost(value: Option<&Value>) -> f64 {
    value.and_then(Value::as_f64).filter(|cost| cost.is_finite() && *cost >= 0.0).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_turn_is_the_difference() {
        let model = |input: u64, cached: u64, output: u64| {
            json!({"inputTokens": input, "cacheReadInputTokens": cached, "cacheCreationInputTokens": 1,
                   "outputTokens": output})
        };
        let line = |models: Value, cost: f64| json!({"modelUsage": models, "total_cost_usd": cost});
        let first = Totals::of_result(&line(json!({"a": model(10, 0, 5)}), 0.25));
        let second = Totals::of_result(&line(json!({"a": model(10, 0, 5), "b": model(20, 30, 7)}), 0.75));
        assert_eq!(first, Totals { input_tokens: 11, output_tokens: 5, cost_usd: 0.25 });
        let usage = Usage { input_tokens: 51, output_tokens: 7, cost_usd: Some(0.5) };
        assert_eq!(second.since(&first), usage);
        let all = Usage { input_tokens: 11, output_tokens: 5, cost_usd: Some(0.25) };
        assert_eq!(first.since(&second), all);
        assert_eq!(serde_json::from_value::<Totals>(json!(second)).unwrap(), second);
        assert_eq!(Totals::of_result(&json!({})), Totals::default());
    }

    #[test]
    fn messages_missing_in_the_totals_are_counted() {
        let mut messages = Messages::default();
        for (id, input, output) in [("1", 100, 1), ("1", 100, 3), ("2", 150, 1)] {
            let tokens = Tokens { input, output };
            messages.note(&Message { id: id.to_owned(), tokens, ..Message::default() });
        }
        let usage = |input_tokens, output_tokens| Usage { input_tokens, output_tokens, cost_usd: Some(0.5) };
        assert_eq!(messages.at_least(usage(150, 20)), usage(250, 20));
        assert_eq!(messages.at_least(usage(300, 2)), usage(300, 4));
    }
}
