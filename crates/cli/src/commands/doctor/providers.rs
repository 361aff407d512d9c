//! Whether providers' keys are set; their values are never shown.

use std::collections::BTreeMap;

use accord_api::AgentView;
use accord_domain::provider::ProviderKind;
use serde_json::Value;

use super::check::Check;
use crate::config::Provider;

const NAME: &str = "providers";

/// The providers that agents use or that are configured.
pub(super) fn checks(
    named: &BTreeMap<String, Provider>,
    agents: &[AgentView],
    is_set: impl Fn(&str) -> bool,
) -> Vec<Check> {
    let mut checks = Vec::new();
    for row in ProviderKind::ALL.map(ProviderKind::row) {
        let (provider, credentials) = (row.name, row.credentials());
        if credentials.is_empty() || named.contains_key(provider) {
            continue;
        }
        let mut users = agents.iter().filter(|agent| uses(agent, provider)).map(|agent| &agent.summary.name);
        let Some(user) = users.next() else { continue };
        let complete = credentials.iter().find(|variables| variables.iter().all(|name| is_set(name)));
        checks.push(match (complete, credentials.as_slice()) {
            (Some(variables), _) => Check::ok(NAME, format!("{provider}: {} set", are(variables))),
            (None, [usual, others @ ..]) => {
                let others: String =
                    others.iter().map(|variables| format!(", or {}", variables.join(" and "))).collect();
                let message = format!("{provider}: {} not set", are(usual));
                Check::warn(NAME, message, format!("set it{others}; agent '{user}' uses {provider}"))
            }
            (None, []) => continue,
        });
    }
    checks.extend(named.iter().map(|(name, provider)| of_named(name, provider, &is_set)));
    if checks.is_empty() {
        checks.push(Check::ok(NAME, "no agent uses a provider that needs a key, and none is configured"));
    }
    checks
}

fn are(variables: &[&str]) -> String {
    format!("{} {}", variables.join(" and "), if variables.len() == 1 { "is" } else { "are" })
}

/// Whether an agent, or a fallback model of it, asks a provider at its own address. A key is not sent to another one.
fn uses(agent: &AgentView, provider: &str) -> bool {
    let executor = agent.blueprint.get("executor").filter(|executor| is(executor, "type", "llm"));
    let fallbacks = agent.blueprint.get("escalate_to").and_then(|models| models.as_array());
    let mut models = executor.into_iter().chain(fallbacks.into_iter().flatten());
    models.any(|settings| is(settings, "provider", provider) && settings.get("base_url").is_none())
}

fn is(settings: &Value, field: &str, text: &str) -> bool {
    settings.get(field).is_some_and(|value| value == text)
}

fn of_named(name: &str, provider: &Provider, is_set: impl Fn(&str) -> bool) -> Check {
    match (&provider.api_key_env, provider.kind) {
        (Some(variable), _) if is_set(variable) => Check::ok(NAME, format!("{name}: {variable} is set")),
        (Some(variable), _) => {
            let message = format!("{name}: {variable} is not set");
            Check::fail(NAME, message, format!("set it, or remove providers.{name}.api_key_env"))
        }
        (None, kind) if kind.is_self_hosted() => Check::ok(NAME, format!("{name}: needs no key")),
        (None, _) => Check::ok(NAME, format!("{name}: no api_key_env, so no key is sent")),
    }
}

#[cfg(test)]
mod tests {
    use crate::meter::meter;
    use accord_executor::Auth;

    use super::super::check::Status;
    use super::*;

    #[test]
    fn a_named_variable_must_be_set() {
        let provider = |variable: &str| Provider {
            kind: ProviderKind::OpenAiCompatible,
            base_url: None,
            api_key_env: Some(variable.to_owned()),
            auth: Auth::default(),
            api_version: None,
            headers: BTreeMap::new(),
            schema_profile: None,
        };
        let named = [("a".to_owned(), provider("A_KEY")), ("b".to_owned(), provider("B_KEY"))].into();
        let expected = [(Status::Ok, "a: A_KEY is set"), (Status::Fail, "b: B_KEY is not set")];
        assert_eq!(told(&checks(&named, &[], |name| name == "A_KEY")), expected);
    }

    fn told(checks: &[Check]) -> Vec<(Status, &str)> {
        checks.iter().map(|check| (check.status, check.message.as_str())).collect()
    }

    #[test]
    fn only_providers_in_use_are_checked() {
        let folder = tempfile::tempdir().unwrap();
        let agent = |name: &str, executor: &str| {
            let place = folder.path().join(name);
            std::fs::create_dir(&place).unwrap();
            std::fs::write(place.join("agent.yaml"), format!("name: {name}\nexecutor: {executor}\n"))
                .unwrap();
        };
        agent("a", "{ type: llm, provider: anthropic, model: m }");
        agent("b", "{ type: llm, provider: ollama, model: m }");
        agent("c", "{ type: llm, provider: openai, model: m, base_url: 'http://127.0.0.1:1' }");
        let agents = accord_blueprint::agents_in(folder.path(), &[], &meter());
        let found = checks(&BTreeMap::new(), &agents, |_| false);
        let remedy = "set it, or ANTHROPIC_AUTH_TOKEN; agent 'a' uses anthropic";
        assert_eq!(found, [Check::warn(NAME, "anthropic: ANTHROPIC_API_KEY is not set", remedy)]);
        let found = checks(&BTreeMap::new(), &agents, |name| name == "ANTHROPIC_AUTH_TOKEN");
        assert_eq!(told(&found), [(Status::Ok, "anthropic: ANTHROPIC_AUTH_TOKEN is set")]);
        agent("d", "{ type: llm, provider: bedrock, model: m }");
        let agents = accord_blueprint::agents_in(folder.path(), &[], &meter());
        let found =
            checks(&BTreeMap::new(), &agents, |name| name.starts_with("AWS_") || name.starts_with("ANTH"));
        assert_eq!(told(&found)[1], (Status::Ok, "bedrock: AWS_BEARER_TOKEN_BEDROCK is set"));
        let found = checks(&BTreeMap::new(), &agents, |name| name.contains("ACCESS_KEY"));
        assert_eq!(
            told(&found)[1],
            (Status::Ok, "bedrock: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are set")
        );
        let found = checks(&BTreeMap::new(), &[], |_| true);
        let none = "no agent uses a provider that needs a key, and none is configured";
        assert_eq!(told(&found), [(Status::Ok, none)]);
    }
}
