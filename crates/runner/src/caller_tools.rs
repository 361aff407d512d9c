//! The tools of a run's caller: the arguments of each call are judged before the caller gets it.

use std::sync::Arc;

use accord_api::ToolChoice;
use accord_contract::{Meter, Schema};
use accord_executor::{ArgumentsRule, CallerTools};
use serde_json::Value;

use crate::assignment::{AssignmentError, refused};
use crate::metered::brief;

/// How many errors a model is told at once.
const SHOWN: usize = 5;

#[derive(Debug)]
struct Conforming(Schema);

impl ArgumentsRule for Conforming {
    fn complaint(&self, arguments: &Value) -> Option<String> {
        let violations = self.0.check(arguments, &brief()).err()?;
        let errors: Vec<String> = violations.errors.iter().take(SHOWN).map(ToString::to_string).collect();
        Some(format!("the arguments do not conform to the parameters of this tool: {}", errors.join("; ")))
    }
}

/// The tools, with their schemas compiled.
pub(crate) fn caller_tools(
    tools: &accord_api::CallerTools,
    meter: &Meter,
) -> Result<CallerTools, AssignmentError> {
    let tool = |tool: &accord_api::CallerTool| {
        let schema = Schema::compile(&tool.parameters, meter)
            .map_err(|error| refused("the tools of the caller", error))?;
        Ok((tool.clone(), Arc::new(Conforming(schema)) as Arc<dyn ArgumentsRule>))
    };
    let compiled = tools.tools.iter().map(tool).collect::<Result<_, AssignmentError>>()?;
    Ok(CallerTools::new(compiled, tools.choice == ToolChoice::Required))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn arguments_that_do_not_conform_are_named() {
        let parameters =
            json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
        let rule = Conforming(Schema::compile(&parameters, &brief()).unwrap());
        assert_eq!(rule.complaint(&json!({"n": 1})), None);
        for (arguments, named) in [(json!({}), "n"), (json!({"n": "one"}), "$.n")] {
            let complaint = rule.complaint(&arguments).unwrap();
            assert!(complaint.contains("do not conform") && complaint.contains(named), "{complaint}");
        }
    }

    #[test]
    fn a_schema_that_cannot_be_read_is_refused() {
        let tools = json!({"tools": [{"name": "a", "parameters": {"type": "integr"}}]});
        let tools: accord_api::CallerTools = serde_json::from_value(tools).unwrap();
        let error = caller_tools(&tools, &brief()).unwrap_err().to_string();
        assert!(error.contains("the tools of the caller"), "{error}");
    }
}
