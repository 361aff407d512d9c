//! Whether providers' keys are there. Whether, never what.

use std::collections::BTreeMap;

use accord_api::AgentSummary;

use super::Check;
use crate::config::{Provider, ProviderKind};

const NAME: &str = "providers";

/// The usual variables.
const USUAL: [(&str, &str); 2] = [("anthropic", "ANTHROPIC_API_KEY"), ("openai", "OPENAI_API_KEY")];

pub(super) fn checks(
    named: &BTreeMap<String, Provider>,
    agents: &[AgentSummary],
    is_set: impl Fn(&str) -> bool,
) -> Vec<Check> {
    let needed = agents.iter().any(|agent| agent.executor_type == "llm");
    let mut checks = Vec::new();
    let mut missing = Vec::new();
    for (provider, variable) in USUAL {
        if is_set(variable) {
            checks.push(Check::ok(NAME, format!("{provider}: {variable} is set")));
        } else {
            missing.push((provider, variable));
        }
    }
    for (provider, variable) in missing {
        let message = format!("{provider}: {variable} is not set");
        checks.push(match needed {
            true => Check::warn(NAME, message, format!("set it, if an agent uses {provider}")),
            false => Check::ok(NAME, format!("{message}, and no agent asks a model")),
        });
    }
    checks.extend(named.iter().map(|(name, provider)| of_named(name, provider, &is_set)));
    checks
}

fn of_named(name: &str, provider: &Provider, is_set: impl Fn(&str) -> bool) -> Check {
    match (&provider.api_key_env, provider.kind) {
        (Some(variable), _) if is_set(variable) => Check::ok(NAME, format!("{name}: {variable} is set")),
        (Some(variable), _) => {
            let message = format!("{name}: {variable} is not set");
            Check::fail(NAME, message, format!("set it, or take providers.{name}.api_key_env away"))
        }
        (None, ProviderKind::Ollama | ProviderKind::OpenaiCompatible) => {
            Check::ok(NAME, format!("{name}: needs no key"))
        }
        (None, _) => Check::ok(NAME, format!("{name}: no api_key_env, so no key is sent")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Status;
    use super::*;
    use crate::config::Auth;

    #[test]
    fn a_named_variable_must_be_there() {
        let provider = |variable: &str| Provider {
            kind: ProviderKind::OpenaiCompatible,
            base_url: None,
            api_key_env: Some(variable.to_owned()),
            auth: Auth::default(),
            api_version: None,
            headers: BTreeMap::new(),
            schema_profile: None,
            price_per_million_input: None,
            price_per_million_output: None,
        };
        let named = [("a".to_owned(), provider("A_KEY")), ("b".to_owned(), provider("B_KEY"))].into();
        let found = checks(&named, &[], |name| name == "A_KEY" || name == "OPENAI_API_KEY");
        let found: Vec<_> = found.iter().map(|check| (check.status, check.message.as_str())).collect();
        let expected = [
            (Status::Ok, "openai: OPENAI_API_KEY is set"),
            (Status::Ok, "anthropic: ANTHROPIC_API_KEY is not set, and no agent asks a model"),
            (Status::Ok, "a: A_KEY is set"),
            (Status::Fail, "b: B_KEY is not set"),
        ];
        assert_eq!(found, expected);
    }
}
