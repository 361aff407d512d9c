use serde_json::json;

use super::{REVIEWER, loaded, problems, reviewer};

#[test]
fn yaml_and_json_give_the_same_agent() {
    let files = loaded(&[
        ("reviewer/agent.yaml", REVIEWER),
        ("short/agent.yml", &REVIEWER.replace("name: reviewer", "name: short")),
        ("other/agent.json", &reviewer("other").to_string()),
        ("other/notes.txt", "ignored"),
        (".git/agent.yaml", "ignored"),
        ("README.md", "ignored"),
        ("empty-like/notes.txt", "ignored"),
    ]);
    let names: Vec<&String> = files.definitions.keys().collect();
    assert_eq!(names, ["other", "reviewer", "short"]);
    for (name, agent) in &files.definitions {
        assert_eq!(problems(agent), [""; 0]);
        let expected = reviewer(name);
        assert_eq!(agent.parsed.value, expected);
        let sound = agent.parsed.valid.as_ref().unwrap();
        assert_eq!(sound.blueprint, serde_json::from_value(expected).unwrap());
    }
}

#[test]
fn a_prompt_may_have_its_own_file() {
    let files = loaded(&[
        ("reviewer/agent.yaml", REVIEWER),
        ("reviewer/system-prompt.md", "You review.\n"),
        ("twice/agent.yaml", &REVIEWER.replace("name: reviewer", "name: twice\nsystem_prompt: here")),
        ("twice/system-prompt.md", "and here"),
    ]);
    let sound = files.definitions["reviewer"].parsed.valid.as_ref().unwrap();
    assert_eq!(sound.blueprint.system_prompt.as_deref(), Some("You review.\n"));
    let expected =
        ["2:16 $.system_prompt: the system prompt is set here and in system-prompt.md; keep one of them"];
    assert_eq!(problems(&files.definitions["twice"]), expected);
}

#[test]
fn warns_about_fallback_models_without_a_retry() {
    let escalates = |models: &str, more: &str| {
        let text = format!("{REVIEWER}escalate_to: {models}\n{more}");
        problems(&loaded(&[("reviewer/agent.yaml", &text)]).definitions["reviewer"])
    };
    let problems = escalates("[m2, m3, m4]", "");
    let expected = "$.escalate_to[1]: 'm3' is used only if a model refuses or a provider fails: after an answer that does not conform, each fallback model needs a retry, and output_schema_options.max_retries is 1; raise it to 3, or remove models";
    assert!(problems.len() == 1 && problems[0].ends_with(expected), "{problems:?}");
    assert_eq!(escalates("[m2]", ""), [""; 0]);
    assert_eq!(escalates("[m2, m3]", "output_schema_options: { max_retries: 2 }\n"), [""; 0]);
}

const RESEARCHER: &str = "\
schema: 'kb.agent/1'
id: researcher
name: Code Researcher
description: Finds things in code
llm:
  tier: medium
  escalationLadder: [medium, large]
  temperature: 0.2
  maxTokens: 4096
tools:
  - fs:read
  - name: fs:search
  - mind:rag-query
limits:
  maxSteps: 12
  timeoutMs: 90500
  retries: 3
context:
  static:
    system: You look for facts.
    examples: []
  dynamic: true
policies: {}
output:
  schema:
    type: object
    required: [summary]
    properties:
      summary: { type: string, minLength: 50 }
";

#[test]
fn converts_kb_files() {
    let files = loaded(&[("researcher/agent.yml", RESEARCHER)]);
    let agent = &files.definitions["researcher"];
    let expected = json!({
        "name": "researcher",
        "description": "Code Researcher: Finds things in code",
        "executor": {
            "type": "llm", "provider": "tier", "model": "medium",
            "temperature": 0.2, "max_tokens": 4096,
        },
        "escalate_to": [{"provider": "tier", "model": "large"}],
        "system_prompt": "You look for facts.",
        "tools": ["read_file", "search_files"],
        "limits": {"max_steps": 12, "timeout_seconds": 91},
        "output_schema": {
            "type": "object",
            "required": ["summary"],
            "properties": {"summary": {"type": "string", "minLength": 50}},
        },
    });
    assert_eq!(agent.parsed.value, expected);
    assert!(agent.parsed.valid.is_some());
    let expected = [
        "13:5 warning: $.tools[2]: no built-in tool matches \"mind:rag-query\"; it is ignored",
        "17:12 warning: $.limits.retries: 'limits.retries' has no counterpart and is ignored",
        "21:15 warning: $.context.static.examples: 'context.static.examples' has no counterpart and is ignored",
        "22:12 warning: $.context.dynamic: 'context.dynamic' has no counterpart and is ignored",
    ];
    assert_eq!(problems(agent), expected);
}

#[test]
fn mistakes_in_kb_files_use_the_names_of_the_file() {
    let text = RESEARCHER
        .replace("maxSteps: 12", "maxSteps: many")
        .replace("type: string, minLength", "type: strin, minLength")
        .replace("id: researcher", "id: other");
    let files = loaded(&[("researcher/agent.yml", &text)]);
    let problems = problems(&files.definitions["researcher"]);
    let errors: Vec<&String> = problems.iter().filter(|line| !line.contains("warning")).collect();
    let expected = [
        "2:5 $.id: the agent is named 'other', but its folder is 'researcher'; use the same name",
        "15:13 $.limits.maxSteps: expected an integer, 0 or more, got the string \"many\"",
        "29:24 $.output.schema.properties.summary.type: unknown type \"strin\"; expected array, boolean, integer, null, number, object or string",
    ];
    assert_eq!(errors, expected);
}

#[test]
fn published_files_load() {
    let text = "\
schema: kb.agent/1
id: basic
name: Basic Agent
description: For general tasks
llm:
  tier: small
  temperature: 0.7
  maxTokens: 4000
prompt:
  systemPrompt: ./system-prompt.md
tools:
  filesystem:
    enabled: true
    permissions:
      read: [./]
      write: [./output/**]
  shell:
    enabled: false
input:
  schema: { type: object, properties: { task: { type: string } } }
policies:
  allowWrite: false
";
    let files = loaded(&[("basic/agent.yml", text), ("basic/system-prompt.md", "You help.\n")]);
    let agent = &files.definitions["basic"];
    let blueprint = &agent.parsed.valid.as_ref().unwrap().blueprint;
    assert_eq!(blueprint.system_prompt.as_deref(), Some("You help.\n"));
    assert_eq!(agent.parsed.value["tools"], json!(["read_file", "list_files", "search_files"]));
    assert_eq!(
        agent.parsed.value["parameters_schema"],
        json!({"type": "object", "properties": {"task": {"type": "string"}}})
    );
    let expected = [
        "16:14 warning: $.tools.filesystem.permissions.write: the agent does not get the tool write_file: it cannot be limited to paths or commands",
    ];
    assert_eq!(problems(agent), expected);
}

#[test]
fn an_impossible_policy_is_an_error() {
    let text = RESEARCHER.replace("policies: {}", "policies: { restrictedPaths: [secrets] }");
    let files = loaded(&[("researcher/agent.yml", &text)]);
    let problems = problems(&files.definitions["researcher"]);
    let expected = "$.policies.restrictedPaths: built-in tools cannot be kept away from paths; remove the policy, or the tools";
    assert!(
        problems.iter().any(|line| line.ends_with(expected) && !line.contains("warning")),
        "{problems:?}"
    );
}

#[test]
fn the_output_of_a_kb_agent_is_an_object_with_properties() {
    let errors = |schema: &str| {
        let text = format!("schema: 'kb.agent/1'\nid: a\nllm: {{ model: m }}\noutput:\n  schema: {schema}\n");
        let mut found = super::problems_of("agent.yml", &text);
        found.sort();
        let messages = found.into_iter().map(|problem| problem.split(": ").last().unwrap().to_owned());
        messages.filter(|message| message.starts_with("output.schema")).collect::<Vec<_>>()
    };
    let (kind, properties) = ("output.schema.type must be \"object\"", "output.schema must have properties");
    assert_eq!(errors("{ type: object, properties: { a: { type: string } } }"), [""; 0]);
    assert_eq!(errors("{ type: array, items: {} }"), [properties, kind]);
    assert_eq!(errors("{ properties: { a: { type: string } } }"), [kind]);
    assert_eq!(errors("{ type: object }"), [properties]);
}
