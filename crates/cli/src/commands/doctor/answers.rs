//! Whether the providers that the user configured answer, take the key and have the models of the agents.

use std::collections::{BTreeMap, BTreeSet};

use accord_api::AgentView;
use accord_domain::provider::ProviderKind;
use accord_executor::{HttpTransport, OpenError, Probe, ProbeError, Probed};
use accord_json::nearest;
use futures_util::future::join_all;
use serde_json::Value;

use super::check::Check;
use crate::config::Config;
use crate::host;

const NAME: &str = "providers";

/// The provider of agents that name a tier of the configuration instead.
const TIER: &str = "tier";

/// How many models of a provider are named if it does not have the one that an agent uses.
const NAMED_MODELS: usize = 5;

/// A model, and the agents that use it.
type Users = BTreeMap<String, BTreeSet<String>>;

/// One check for each provider that an agent uses or that the configuration names.
pub(super) async fn checks(config: &Config, agents: &[AgentView]) -> Vec<Check> {
    // Settings that cannot be read are reported by another check.
    let (Ok(providers), Ok(network)) = (host::providers(config), HttpTransport::new()) else {
        return Vec::new();
    };
    let asked = asked(config, agents);
    let asking = asked.iter().map(async |(probe, users)| {
        // A provider without an agent is asked for its list, in which no model is missing.
        let model = users.keys().next().map_or("unknown", String::as_str);
        told(probe, probe.ask(&providers, &network, model).await, users)
    });
    join_all(asking).await.into_iter().flatten().collect()
}

/// Everything that is to be asked, each address once.
fn asked(config: &Config, agents: &[AgentView]) -> BTreeMap<Probe, Users> {
    let mut asked: BTreeMap<Probe, Users> = BTreeMap::new();
    for agent in agents {
        let user = format!("agent '{}'", agent.summary.name);
        for model in models(&agent.blueprint) {
            add(&mut asked, config, &model, &user);
        }
    }
    for (name, tier) in &config.values.tiers {
        if let Ok(settings) = serde_json::to_value(tier) {
            add(&mut asked, config, &settings, &format!("tiers.{name}"));
        }
    }
    let embedding = &config.values.workflows;
    if !embedding.embedding_provider.is_empty() {
        let settings = serde_json::json!({
            "provider": embedding.embedding_provider, "model": embedding.embedding_model,
        });
        add(&mut asked, config, &settings, "workflows.embedding_model");
    }
    for name in config.values.providers.keys() {
        let is_asked = |probe: &Probe| probe.provider == *name && probe.base_url.is_none();
        if !asked.keys().any(is_asked) {
            let probe = Probe { provider: name.clone(), base_url: None, schema_profile: None };
            asked.insert(probe, Users::new());
        }
    }
    asked
}

/// The models of an agent, with their provider, as settings.
fn models(blueprint: &Value) -> Vec<Value> {
    let Some(executor) = blueprint.get("executor") else { return Vec::new() };
    let is_llm = executor.get("type").is_some_and(|kind| kind == "llm");
    let own = |model: &Value| {
        let mut settings = executor.clone();
        settings.as_object_mut()?.insert("model".to_owned(), model.clone());
        is_llm.then_some(settings)
    };
    let fallbacks = blueprint.get("escalate_to").and_then(Value::as_array).into_iter().flatten();
    let fallbacks =
        fallbacks.filter_map(|model| if model.is_string() { own(model) } else { Some(model.clone()) });
    executor.get("model").and_then(own).into_iter().chain(fallbacks).collect()
}

fn add(asked: &mut BTreeMap<Probe, Users>, config: &Config, settings: &Value, user: &str) {
    let text = |name: &str| settings.get(name).and_then(Value::as_str).map(str::to_owned);
    let (Some(provider), Some(model)) = (text("provider"), text("model")) else { return };
    if provider == TIER {
        // Whether it exists is a matter of the agent's file.
        let tier = config.values.tiers.get(&model).and_then(|tier| serde_json::to_value(tier).ok());
        return tier.into_iter().for_each(|tier| add(asked, config, &tier, user));
    }
    let probe = Probe { provider, base_url: text("base_url"), schema_profile: text("schema_profile") };
    asked.entry(probe).or_default().entry(model).or_default().insert(user.to_owned());
}

fn told(probe: &Probe, answer: Result<Probed, ProbeError>, users: &Users) -> Vec<Check> {
    let probed = match answer {
        Ok(probed) => probed,
        // The key is missing: that is another check.
        Err(ProbeError::Settings(OpenError::Missing(_))) => return Vec::new(),
        Err(error) => return vec![Check::fail(NAME, error.to_string(), remedy(probe, &error))],
    };
    let missing: Vec<(&String, &BTreeSet<String>)> =
        users.iter().filter(|(model, _)| !probed.has(model)).collect();
    if missing.is_empty() {
        let has = match (&probed.models, users.len()) {
            (None, _) => "answers".to_owned(),
            (Some(models), 0) => format!("answers and has {} models", models.len()),
            (Some(_), _) => {
                format!("answers and has {}", users.keys().cloned().collect::<Vec<_>>().join(", "))
            }
        };
        return vec![Check::ok(NAME, format!("{}: {has}", probed.name))];
    }
    missing.into_iter().map(|(model, users)| without(&probed, model, users)).collect()
}

/// The check for a model that is not there.
fn without(probed: &Probed, model: &str, users: &BTreeSet<String>) -> Check {
    let models = probed.models.as_deref().unwrap_or_default();
    let users = users.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    let message = format!("{}: has no model '{model}', which {users} uses", probed.name);
    let names = models.iter().map(String::as_str);
    let known = match nearest(model, names.clone()) {
        Some(near) => format!("did you mean '{near}'?"),
        None if models.is_empty() => "it has none".to_owned(),
        None => format!("it has {}", names.take(NAMED_MODELS).collect::<Vec<_>>().join(", ")),
    };
    match probed.kind {
        ProviderKind::Ollama => Check::fail(NAME, message, format!("run `ollama pull {model}`; {known}")),
        // A service may have models that it does not list.
        _ => Check::warn(NAME, message, format!("change the model; {known}")),
    }
}

/// What to do about a provider that cannot be used.
fn remedy(probe: &Probe, error: &ProbeError) -> String {
    let named = &probe.provider;
    match error {
        ProbeError::Unreachable { kind, .. } if kind.is_self_hosted() => {
            "start the server, or correct its base_url".to_owned()
        }
        ProbeError::Unreachable { .. } => {
            "check the network, HTTPS_PROXY and the provider's base_url".to_owned()
        }
        ProbeError::Unauthorized { kind, .. } => {
            let variables: Vec<String> =
                kind.row().credentials().iter().map(|names| names.join(" and ")).collect();
            match variables.is_empty() || ProviderKind::named(named).is_none() {
                true => format!("put a valid key into the variable that providers.{named}.api_key_env names"),
                false => format!("set {} to a valid key", variables.join(" or ")),
            }
        }
        ProbeError::Failed { .. } | ProbeError::Settings(_) => {
            format!("check base_url and the kind of provider '{named}'")
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::check::Status;
    use super::*;

    #[test]
    fn the_models_of_an_agent_are_its_own_and_its_fallbacks() {
        let other = json!({"provider": "ollama", "model": "big"});
        let blueprint = json!({
            "executor": {"type": "llm", "provider": "lab", "model": "small", "base_url": "http://h"},
            "escalate_to": ["medium", other],
        });
        let names: Vec<String> =
            models(&blueprint).iter().map(|model| model["model"].as_str().unwrap().to_owned()).collect();
        assert_eq!(names, ["small", "medium", "big"]);
        assert_eq!(models(&blueprint)[1]["base_url"], json!("http://h"));
        let command = json!({"executor": {"type": "process", "command": "sh"}, "escalate_to": ["x"]});
        assert_eq!(models(&command), [] as [Value; 0]);
    }

    #[test]
    fn a_missing_model_is_an_error_with_a_remedy() {
        let probe = Probe { provider: "ollama".to_owned(), base_url: None, schema_profile: None };
        let users: Users = [("llama3.2".to_owned(), ["agent 'a'".to_owned()].into())].into();
        let probed = |kind, models: &[&str]| {
            let models = Some(models.iter().map(|name| (*name).to_owned()).collect());
            Ok(Probed { name: "x http://h".to_owned(), kind, models })
        };
        let check = |answer| told(&probe, answer, &users).remove(0);
        let ok = check(probed(ProviderKind::Ollama, &["llama3.2:latest"]));
        assert_eq!(ok, Check::ok(NAME, "x http://h: answers and has llama3.2"));
        let missing = "x http://h: has no model 'llama3.2', which agent 'a' uses";
        let pulled = check(probed(ProviderKind::Ollama, &["llama3.1"]));
        let remedy = "run `ollama pull llama3.2`; did you mean 'llama3.1'?";
        assert_eq!(pulled, Check::fail(NAME, missing, remedy));
        let other = check(probed(ProviderKind::OpenAi, &["gpt"]));
        assert_eq!(other, Check::warn(NAME, missing, "change the model; it has gpt"));
        let unauthorized = ProbeError::Unauthorized {
            name: "x http://h".to_owned(),
            kind: ProviderKind::OpenAi,
            status: 401,
        };
        let named = Probe { provider: "openai".to_owned(), ..probe.clone() };
        let refused = told(&named, Err(unauthorized), &users).remove(0);
        assert_eq!(refused.status, Status::Fail);
        assert_eq!(refused.remedy.as_deref(), Some("set OPENAI_API_KEY to a valid key"));
    }
}
