//! What an agent file says about tools: which calls need the approval of a person, and what tools may change.

use std::sync::Arc;

use accord_api::agent::{Approval, Blueprint, KnownTools};
use accord_contract::Condition;
use accord_executor::{ApprovalRule, ToolEntries};
use serde_json::Value;

use crate::metered::brief;

/// The variable of a rule.
const ARGUMENTS: &str = "arguments";

/// A rule of `approve`, compiled.
#[derive(Debug)]
struct Rule(Condition);

impl ApprovalRule for Rule {
    /// A rule that cannot be evaluated counts as true: a person decides what the rule could not.
    fn holds(&self, arguments: &Value) -> bool {
        self.0.holds(&[(ARGUMENTS, arguments)], &brief()).unwrap_or(true)
    }
}

/// The entries of a blueprint, of which none is known to mean no tool. Whether all mean one is known to the executor.
pub(crate) fn tool_entries(blueprint: &Blueprint) -> Result<ToolEntries, String> {
    let rule = |approval: &Approval| match approval {
        Approval::Tool(tool) => Ok((tool.clone(), None)),
        Approval::Rule(rule) => match Condition::compile(&rule.when, &[ARGUMENTS]) {
            Ok(condition) => {
                Ok((rule.tool.clone(), Some(Arc::new(Rule(condition)) as Arc<dyn ApprovalRule>)))
            }
            Err(error) => Err(format!("approve: the rule for '{}': {error}", rule.tool)),
        },
    };
    let approve = blueprint.approve.iter().map(rule).collect::<Result<_, _>>()?;
    let effects = blueprint.effects.iter().map(|(tool, effect)| (tool.clone(), *effect)).collect();
    let entries = ToolEntries { approve, effects };
    entries.clone().resolve(&KnownTools::of(blueprint)).map_err(|error| error.to_string())?;
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn rule(when: &str) -> Result<ToolEntries, String> {
        let blueprint = json!({
            "name": "payer", "executor": {"type": "llm", "provider": "openai", "model": "m"},
            "mcp_servers": {"bank": {"command": "bank"}}, "approve": [{"tool": "bank__pay", "when": when}],
        });
        tool_entries(&serde_json::from_value(blueprint).unwrap())
    }

    #[test]
    fn a_rule_that_cannot_be_evaluated_holds() {
        let entries = rule("arguments.amount > 100").unwrap();
        let [(_, Some(rule))] = entries.approve.as_slice() else { panic!("{entries:?}") };
        for (arguments, expected) in [
            (json!({"amount": 101}), true),
            (json!({"amount": 100}), false),
            (json!({"amount": "a lot"}), true),
            (json!({}), true),
        ] {
            assert_eq!(rule.holds(&arguments), expected, "{arguments}");
        }
    }

    #[test]
    fn broken_rules_are_named() {
        let error = rule("arguments.").unwrap_err();
        assert!(error.starts_with("approve: the rule for 'bank__pay':"), "{error}");
    }
}
