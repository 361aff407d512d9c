//! Which tool calls of an agent need the approval of a person.

use accord_api::agent::Approval;
use accord_contract::Condition;
use accord_executor::Approvals;
use serde_json::Value;

use crate::metered::brief;

/// The variable of a rule.
const ARGUMENTS: &str = "arguments";

/// The `approve` of a blueprint, compiled.
#[derive(Debug, Default)]
pub(crate) struct ApprovalRules(Vec<(Approval, Option<Condition>)>);

impl ApprovalRules {
    pub(crate) fn compile(approve: &[Approval]) -> Result<Self, String> {
        let rule = |approval: &Approval| match approval {
            Approval::Tool(_) => Ok((approval.clone(), None)),
            Approval::Rule(rule) => match Condition::compile(&rule.when, &[ARGUMENTS]) {
                Ok(condition) => Ok((approval.clone(), Some(condition))),
                Err(error) => Err(format!("approve: the rule for '{}': {error}", rule.tool)),
            },
        };
        approve.iter().map(rule).collect::<Result<_, _>>().map(Self)
    }
}

impl Approvals for ApprovalRules {
    /// A rule that cannot be evaluated counts as true: a person decides what the rule could not.
    fn are_needed(&self, tool: &str, arguments: &Value) -> bool {
        let needs =
            |condition: &Condition| condition.holds(&[(ARGUMENTS, arguments)], &brief()).unwrap_or(true);
        let rules = self.0.iter().filter(|(approval, _)| approval.is_about(tool));
        rules.into_iter().any(|(_, condition)| condition.as_ref().is_none_or(needs))
    }

    fn tools(&self) -> Vec<String> {
        self.0.iter().map(|(approval, _)| approval.tool().to_owned()).collect()
    }

    fn mention(&self, tool: &str) -> bool {
        self.0.iter().any(|(approval, _)| approval.is_about(tool))
    }
}

#[cfg(test)]
mod tests {
    use accord_api::agent::ApprovalRule;
    use serde_json::json;

    use super::*;

    fn rule(tool: &str, when: &str) -> Approval {
        Approval::Rule(ApprovalRule { tool: tool.into(), when: when.into() })
    }

    #[test]
    fn calls_are_matched_by_name_and_rule() {
        let approve = [
            Approval::Tool("run_command".into()),
            Approval::Tool("tracker__*".into()),
            rule("pay", "arguments.amount > 100"),
        ];
        let rules = ApprovalRules::compile(&approve).unwrap();
        let cases = [
            ("run_command", json!({}), true),
            ("run_commands", json!({}), false),
            ("tracker__delete", json!({"id": 1}), true),
            ("pay", json!({"amount": 101}), true),
            ("pay", json!({"amount": 100}), false),
            ("pay", json!({"amount": "a lot"}), true),
            ("pay", json!({}), true),
        ];
        for (tool, arguments, expected) in cases {
            assert_eq!(rules.are_needed(tool, &arguments), expected, "{tool} {arguments}");
        }
        assert_eq!(rules.tools(), ["run_command", "tracker__*", "pay"]);
        let mentioned = ["run_command", "run_commands", "tracker__delete", "pay"];
        assert_eq!(mentioned.map(|tool| rules.mention(tool)), [true, false, true, true]);
    }

    #[test]
    fn broken_rules_are_named() {
        let error = ApprovalRules::compile(&[rule("pay", "arguments.")]).unwrap_err();
        assert!(error.starts_with("approve: the rule for 'pay':"), "{error}");
    }
}
