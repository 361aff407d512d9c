use super::{REVIEWER, loaded, problems, problems_of};

const HEAD: &str = "name: a\nexecutor: { type: llm, provider: anthropic, model: m }\n";

fn with(rest: &str) -> Vec<String> {
    problems_of("agent.yaml", &format!("{HEAD}{rest}"))
}

#[test]
fn reports_all_mistakes_with_their_positions() {
    let text = "\
name: b
type: procedural
executor:
  type: llm
  provider: ''
  model: m
  temperture: 3
  max_tokens: 0
tools: [read_file, red_file, browse]
output_schema:
  type: object
  properties:
    n: { type: integr }
output_schema_options: { max_retries: 11 }
invariants:
  - rule: 'output.n =='
    message: wrong
limits: { max_steps: 0 }
";
    let expected = [
        "1:7 $.name: the agent is named 'b', but its folder is 'a'; use the same name",
        "2:7 $.type: a procedural agent requires an executor of type process, got llm; use 'type: autonomous' for a model",
        "5:13 $.executor.provider: the provider is empty",
        "7:3 $.executor.temperture: unknown field 'temperture'; did you mean 'temperature'?",
        "8:15 $.executor.max_tokens: expected at least 1 token, got 0",
        "9:20 $.tools[1]: unknown built-in tool 'red_file'; did you mean 'read_file'?",
        "9:30 $.tools[2]: unknown built-in tool 'browse'; expected read_file, list_files, search_files, write_file, \
         run_command, ask_human",
        "13:16 $.output_schema.properties.n.type: unknown type \"integr\"; expected array, boolean, integer, null, number, object or string",
        "14:39 $.output_schema_options.max_retries: expected at most 10 retries, got 11",
        "18:22 $.limits.max_steps: expected more than 0; omit it for no limit",
    ];
    let (rules, rest): (Vec<String>, Vec<String>) =
        problems_of("agent.yaml", text).into_iter().partition(|line| line.contains("$.invariants[0].rule"));
    assert_eq!(rest, expected);
    assert_eq!(rules.len(), 1);
    assert!(rules[0].starts_with("16:11 "), "{rules:?}");
}

#[test]
fn rejects_reserved_names() {
    let text = "name: validate\nexecutor: { type: llm, provider: anthropic, model: m }\n";
    let files = loaded(&[("validate/agent.yaml", text)]);
    let expected = "1:7 $.name: the name 'validate' is reserved in URLs; use another name";
    assert_eq!(problems(&files.definitions["validate"]), [expected]);
}

#[test]
fn mistakes_in_json_have_positions() {
    let text = "{\n  \"name\": \"a\",\n  \"executor\": {\"type\": \"llm\", \"provider\": \"ollama\"},\n  \"tgas\": []\n}\n";
    let expected = [
        "3:3 $.executor.model: missing field 'model'",
        "4:3 $.tgas: unknown field 'tgas'; did you mean 'tags'?",
    ];
    let found: Vec<String> = problems_of("agent.json", text);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].ends_with(&expected[0][4..]), "{found:?}");
    assert_eq!(found[1], expected[1]);
    let cut = problems_of("agent.json", "{\"name\": \"a\",\n");
    assert_eq!(cut, ["2:1 $: invalid JSON: EOF while parsing a value"]);
    let twice = problems_of("agent.json", r#"{"name": "a", "name": "b"}"#);
    assert_eq!(twice.len(), 1);
    assert!(twice[0].contains("name"), "{twice:?}");
}

#[test]
fn warns_about_wrong_comparison_annotations() {
    let text = "\
output_schema:
  type: object
  properties:
    findings:
      type: array
      x-key: [id, file]
      x-conflict: { severity: 1 }
      items:
        type: object
        properties: { id: { type: string } }
        additionalProperties: false
";
    let expected = [
        "8:19 warning: $.output_schema.properties.findings.x-key[1]: the items of the list cannot have a property 'file', so it has no effect",
        "9:19 warning: $.output_schema.properties.findings.x-conflict: expected a property name or a list of names, got {\"severity\":1}",
    ];
    assert_eq!(with(text), expected);
}

#[test]
fn warns_about_doubtful_schemas() {
    let text = "\
parameters_schema: { type: object, properties: { text: { type: string, minlength: 1 } } }
output_schema:
  type: object
  required: [summary, aproval]
  properties:
    summary: { type: string }
    approval: { enun: [approve, reject] }
  additionalProperties: false
";
    let expected = [
        "3:83 warning: $.parameters_schema.properties.text.minlength: 'minlength' is not a keyword of 2020-12 and is ignored; did you mean 'minLength'?",
        "6:13 warning: $.output_schema.required: 'aproval' is required but not in 'properties', and 'additionalProperties' is false, so no object conforms; add it to 'properties' or remove it from 'required'",
        "9:23 warning: $.output_schema.properties.approval.enun: 'enun' is not a keyword of 2020-12 and is ignored; \
         did you mean 'enum'?",
    ];
    assert_eq!(with(text), expected);
    let files = loaded(&[("a/agent.yaml", &format!("{HEAD}{text}"))]);
    assert!(files.definitions["a"].parsed.valid.is_some(), "it can be used all the same");
}

#[test]
fn warns_about_unknown_fields_in_rules() {
    let text = "\
parameters_schema: { type: object, properties: { limit: { type: integer } } }
output_schema:
  type: object
  properties:
    approval: { enum: [approve, reject] }
    findings: { type: array, items: { type: object, properties: { line: {} }, additionalProperties: false } }
invariants:
  - rule: output.aproval != 'reject'
    message: m
  - rule: output.findings.all(f, f.lines > 0) && output.findings.size() < input.limt
    message: m
  - rule: \"has(output.aproval) || output.other == 1 || input.prompt == 'x'\"
    message: m
";
    let expected = [
        "10:11 warning: $.invariants[0].rule: the rule uses 'output.aproval', but the schema of output does not declare a field 'aproval'; did you mean 'approval'?",
        "12:11 warning: $.invariants[1].rule: the rule uses 'output.findings[…].lines', but output.findings[…] has no field 'lines'; did you mean 'line'?",
        "12:11 warning: $.invariants[1].rule: the rule uses 'input.limt', but the schema of input does not declare a field 'limt'; did you mean 'limit'?",
    ];
    assert_eq!(with(text), expected);
}

#[test]
fn many_warnings_do_not_hide_a_mistake() {
    let properties: String = (0..200).map(|number| format!("    p{number}: {{ enun: [x] }}\n")).collect();
    let text = format!(
        "output_schema:\n  type: object\n  properties:\n{properties}invariants: [{{rule: 'nobody', message: m}}]\n"
    );
    let found = with(&text);
    assert_eq!(found.len(), 101);
    assert!(found[0].contains("$.invariants[0].rule: "), "{found:?}");
}

#[test]
fn rejects_contradictory_fields() {
    let cases = [
        (
            "invariants: [{rule: 'true', message: m}]\n",
            "3:13 $.invariants: invariants require a structured output: set 'output_schema' or 'default_output_schema'",
        ),
        (
            "output_schema: { type: array }\noutput_schema_options: { strategy: tool }\n",
            "3:16 $.output_schema: the submit tool requires an object: set 'type: object' and 'properties' at the root, or use another strategy",
        ),
        (
            "output_schema: { type: array }\n",
            "3:16 warning: $.output_schema: the root is not an object with properties: models are asked for it inside a wrapper, and some endpoints cannot enforce it",
        ),
        (
            "default_output_schema_options: { max_retries: 1 }\n",
            "3:32 warning: $.default_output_schema_options: these options have no effect without 'default_output_schema'",
        ),
        (
            "output_schema: 'no name'\n",
            "3:16 $.output_schema: a string here is the name of a registered schema: a name can contain only letters, digits, '.', '_' and '-', not ' '",
        ),
        (
            "parameters_schema: { type: object, required: nothing }\n",
            "3:46 $.parameters_schema.required: \"nothing\" is not of type \"array\"",
        ),
        ("escalate_to: ['']\n", "3:15 $.escalate_to[0]: model name is empty"),
        ("tags: ['a,b']\n", "3:8 $.tags[0]: invalid tag \"a,b\": it is empty or contains a comma"),
        ("mcp_servers: { x: y }\n", "3:19 $.mcp_servers.x: expected an object, got the string \"y\""),
        ("mcp_servers: { x: {} }\n", "3:19 $.mcp_servers.x: an MCP server requires a 'command' or a 'url'"),
        (
            "mcp_servers: { x: { comand: y } }\n",
            "3:21 $.mcp_servers.x.comand: unknown field 'comand'; did you mean 'command'?",
        ),
        (
            "mcp_servers: { x: { command: y, url: 'http://z' } }\n",
            "3:38 $.mcp_servers.x.url: set 'command' or 'url', not both",
        ),
        (
            "mcp_servers: { x: { command: y, headers: { a: b } } }\n",
            "3:42 $.mcp_servers.x.headers: a server with a 'command' has no headers; use 'env' or 'args'",
        ),
        (
            "mcp_servers: { x: { command: y, env: { KEY: '${a b}' } } }\n",
            "3:45 $.mcp_servers.x.env.KEY: '${a b}' is not a variable reference; expected ${NAME} with letters, digits and '_'",
        ),
        (
            "mcp_servers: { x: { command: y, args: ['${KEY}'] } }\n",
            "3:40 warning: $.mcp_servers.x.args[0]: '${…}' is expanded only in 'env' and 'headers', not here",
        ),
        (
            "mcp_servers: { x: { url: 'z' } }\n",
            "3:26 $.mcp_servers.x.url: the URL must start with http:// or https://",
        ),
        (
            "mcp_servers: { x: { url: 'http://z', env: { A: b } } }\n",
            "3:43 $.mcp_servers.x.env: a server with a 'url' is not started by Accord; it supports only 'headers'",
        ),
        (
            "mcp_servers: { 'a b': { command: y } }\n",
            "3:23 $.mcp_servers[\"a b\"]: expected a server name of 1 to 32 letters, digits, '-' and '_'",
        ),
        (
            "mcp_servers: { accord: { command: y } }\n",
            "3:24 $.mcp_servers.accord: 'accord' is the coordinator itself and has no settings: write 'accord: {}', or use another name for your own server",
        ),
    ];
    for (rest, expected) in cases {
        assert_eq!(with(rest), [expected]);
    }
}

#[test]
fn warns_about_two_output_schemas() {
    let schema = "{ type: object, properties: { a: {} } }";
    let found = with(&format!("output_schema: {schema}\ndefault_output_schema: {schema}\n"));
    let expected = [
        "4:24 warning: $.default_output_schema: 'output_schema' takes precedence, so this default is never used",
    ];
    assert_eq!(found, expected);
}

#[test]
fn executors_have_settings_in_their_ranges() {
    let cases = [
        (
            "type: procedural\nexecutor: { type: process, command: ' ' }",
            "$.executor.command: the command is empty",
        ),
        ("executor: { type: process, command: x }", "$.type: a process executor requires 'type: procedural'"),
        (
            "type: procedural\nexecutor: { type: external, command: x }",
            "$.type: a procedural agent requires an executor of type process, got external; use 'type: autonomous' for a model",
        ),
        (
            "type: procedural\nexecutor: { type: process, command: x, args: text }",
            "$.executor.args: expected one of json, flags, both, got 'text'",
        ),
        (
            "type: procedural\nexecutor: { type: process, command: x, working_dir: ../y }",
            "$.executor.working_dir: expected a folder inside the project, without '..'; got '../y'",
        ),
        (
            "type: procedural\nexecutor: { type: process, command: x }\nescalate_to: [m]",
            "$.escalate_to: an executor of type process has no fallback models",
        ),
        ("executor: { type: llm, provider: ollama, model: ' ' }", "$.executor.model: the model is empty"),
        (
            "executor: { type: llm, provider: ollama, model: m, temperature: 2.5 }",
            "$.executor.temperature: expected a temperature from 0 to 2, got 2.5",
        ),
        (
            "executor: { typ: llm, provider: ollama, model: m }",
            "$.executor.typ: unknown field 'typ'; did you mean 'type'?",
        ),
        (
            "executor: { type: llm, provider: ollama, model: m, schema_profile: gpt }",
            "$.executor.schema_profile: expected one of openai, anthropic, ollama, claude-code, gemini, bedrock, mistral, cohere, deepseek, vllm, got 'gpt'",
        ),
        (
            "executor: { type: llm, provider: ollama, model: m, base_url: localhost }",
            "$.executor.base_url: the URL must start with http:// or https://",
        ),
        (
            "executor: { type: llm, provider: ollama, model: m, timeout_seconds: 0 }",
            "$.executor.timeout_seconds: expected more than 0 seconds; omit it for no limit",
        ),
        (
            "executor: { type: replay, cassette: c, match: some }",
            "$.executor.match: expected exact or order, got 'some'",
        ),
    ];
    for (rest, expected) in cases {
        let found = problems_of("agent.yaml", &format!("name: a\n{rest}\n"));
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].ends_with(expected), "{found:?}");
    }
    let sound = [
        "{ type: claude-code }",
        "{ type: replay, cassette: c, match: order }",
        "{ type: external, command: x }",
    ];
    for executor in sound {
        assert_eq!(problems_of("agent.yaml", &format!("name: a\nexecutor: {executor}\n")), [""; 0]);
    }
}

#[test]
fn reports_what_a_runner_would_reject() {
    let llm = |rest: &str| format!("executor: {{ type: llm, provider: ollama, model: m, {rest} }}");
    let process = |rest: &str| format!("type: procedural\nexecutor: {{ type: process, command: x, {rest} }}");
    let reasoning =
        "expected off, low, medium, high, true, false, or a number of tokens from 1 to 4294967295; got";
    let nul = "a NUL character cannot be passed to a program; remove it";
    let cases = [
        (llm("reasoning: much"), format!("$.executor.reasoning: {reasoning} the string \"much\"")),
        (llm("reasoning: -1"), format!("$.executor.reasoning: {reasoning} -1")),
        (llm("reasoning: 0"), format!("$.executor.reasoning: {reasoning} 0")),
        (
            llm("reasoning: 18446744073709551616"),
            format!("$.executor.reasoning: {reasoning} 18446744073709551616"),
        ),
        (llm("reasoning: { effort: low }"), format!("$.executor.reasoning: {reasoning} an object")),
        (
            llm("reasoning: low, temperature: 1").replace("ollama", "anthropic"),
            "$.executor.temperature: this provider does not support 'temperature' together with 'reasoning'; remove one"
                .to_owned(),
        ),
        (
            llm("base_url: 'http://'"),
            "$.executor.base_url: the URL has no host; expected the form https://host/path".to_owned(),
        ),
        (
            llm("").replace("ollama", "openai-compatible"),
            "warning: $.executor.base_url: 'openai-compatible' has no default URL: set 'base_url' here, or in [providers.openai-compatible] of the runner's configuration"
                .to_owned(),
        ),
        (
            llm("").replace("ollama", "antropic"),
            "warning: $.executor.provider: 'antropic' is not a built-in provider: it requires a runner with [providers.antropic] in its configuration; did you mean 'anthropic'?"
                .to_owned(),
        ),
        (
            process("timeout_seconds: 86401"),
            "$.executor.timeout_seconds: expected 1 to 86400 seconds, got 86401".to_owned(),
        ),
        (process("env: { A=B: c }"), "$.executor.env[\"A=B\"]: invalid environment variable name".to_owned()),
        (process("env: { A: \"c\\0\" }"), format!("$.executor.env.A: {nul}")),
        (process("args: [a, \"b\\0\"]"), format!("$.executor.args[1]: {nul}")),
        (
            format!("{}\ntools: [read_file]", process("")),
            "$.tools: an executor of type process does not support built-in tools; remove them".to_owned(),
        ),
        (
            "executor: { type: external, command: \"x\\0\" }".to_owned(),
            format!("$.executor.command: {nul}"),
        ),
        (
            "executor: { type: codex, timeout_seconds: 0 }".to_owned(),
            "$.executor.timeout_seconds: expected 1 to 86400 seconds, got 0".to_owned(),
        ),
        (
            "executor: { type: claude-code, model: -m }".to_owned(),
            "$.executor.model: '-m' would be parsed as an option: it cannot start with '-'".to_owned(),
        ),
        (
            "executor: { type: claude-code, allowed_tools: [Read, ''] }".to_owned(),
            "$.executor.allowed_tools[1]: tool name is empty".to_owned(),
        ),
        (
            "executor: { type: replay, cassette: /etc/passwd }".to_owned(),
            "$.executor.cassette: expected a file path inside the project folder, relative to it and without '..'; got \"/etc/passwd\""
                .to_owned(),
        ),
        (
            format!("{}\nretry: {{ for_seconds: 86401 }}", llm("")),
            "$.retry.for_seconds: expected 0 to 86400 seconds, got 86401".to_owned(),
        ),
        (
            format!("{}\nretry: {{ max_attempts: 0 }}", llm("")),
            "$.retry.max_attempts: expected 1 or more, got 0; 1 means no repeats".to_owned(),
        ),
        (
            "executor: { type: replay, cassette: a/../../x.json }".to_owned(),
            "$.executor.cassette: expected a file path inside the project folder, relative to it and without '..'; got \"a/../../x.json\""
                .to_owned(),
        ),
        (
            format!("{}\ndemands: {{ executor_type: process }}", llm("")),
            "$.demands.executor_type: the agent's executor is of type llm, so no runner matches a requirement of 'process'; remove this"
                .to_owned(),
        ),
        (
            format!("{}\ndemands: {{ tags: [gpu, ''] }}", llm("")),
            "$.demands.tags: invalid name \"\": it is empty; omit it or set a value".to_owned(),
        ),
    ];
    for (rest, expected) in cases {
        let found = problems_of("agent.yaml", &format!("name: a\n{rest}\n"));
        assert_eq!(found.len(), 1, "{rest}: {found:?}");
        assert!(found[0].ends_with(&expected), "{rest}: {found:?}");
    }
    let text = r#"{"name": "a", "type": "procedural", "executor": {"type": "process", "command": "x", "env": {"A\u0000": "b"}}}"#;
    let found = problems_of("agent.json", text);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].ends_with(": invalid environment variable name"), "{found:?}");
    for sound in [
        llm("reasoning: high, temperature: 1"),
        llm("reasoning: false").replace("ollama", "anthropic"),
        llm("reasoning: 2048"),
        llm("base_url: 'http://127.0.0.1:1/v1'").replace("ollama", "openai-compatible"),
        process("timeout_seconds: 86400, env: { A: b }, args: [c]"),
        format!("{}\ndemands: {{ executor_type: llm }}", llm("")),
    ] {
        assert_eq!(problems_of("agent.yaml", &format!("name: a\n{sound}\n")), [""; 0], "{sound}");
    }
}

#[test]
fn reports_folders_that_are_not_agents() {
    let files = loaded(&[
        ("reviewer/agent.yaml", REVIEWER),
        ("both/agent.yaml", REVIEWER),
        ("both/agent.json", "{}"),
        ("none/agents.yaml", REVIEWER),
        ("loose.yaml", REVIEWER),
        ("bad name/agent.yaml", &REVIEWER.replace("reviewer", "bad name")),
    ]);
    let all: Vec<(&str, Vec<String>)> =
        files.definitions.iter().map(|(name, agent)| (name.as_str(), problems(agent))).collect();
    let said = |text: &str| vec![text.to_owned()];
    let expected = [
        ("bad name", said("1:7 $.name: a name can contain only letters, digits, '.', '_' and '-', not ' '")),
        ("both", said("$: found both agent.yaml and agent.json; keep one of them")),
        ("loose", said("$: each agent needs its own folder: move this file to loose/agent.yaml")),
        ("none", said("$: no agent.yaml, agent.yml or agent.json found")),
        ("reviewer", Vec::new()),
    ];
    assert_eq!(all, expected);
}

#[test]
fn rejects_a_cost_limit_for_codex() {
    let agent = |executor: &str| format!("name: a\nexecutor: {executor}\nlimits: {{ max_cost_usd: 0.5 }}\n");
    let found = problems_of("agent.yaml", &agent("{ type: codex }"));
    let expected = "3:25 $.limits.max_cost_usd: Codex does not report its cost, so it cannot be limited; use max_tokens_total";
    assert_eq!(found, [expected]);
    assert!(problems_of("agent.yaml", &agent("{ type: claude-code }")).is_empty());
}

#[test]
fn warns_about_the_tools_of_a_cli() {
    let found = |executor: &str, tools: &str| {
        problems_of("agent.yaml", &format!("name: a\nexecutor: {executor}\ntools: [{tools}]\n"))
    };
    let claude = "3:20 warning: $.tools[1]: run_command is Claude Code's Bash here: it is not confined to the project folder and sees the runner's environment variables; to allow only some commands, list them in allowed_tools";
    assert_eq!(found("{ type: claude-code }", "read_file, run_command"), [claude]);
    assert_eq!(found("{ type: claude-code }", "read_file, write_file"), [""; 0]);
    let codex = |reach: &str| {
        format!(
            "3:8 warning: $.tools: Codex uses its own shell instead of these tools: it can read every file that the runner's user can, and {reach}"
        )
    };
    let writes = codex("writes to the project folder, '.accord' too, and to temporary ones");
    for tool in ["run_command", "write_file"] {
        assert_eq!(found("{ type: codex }", tool), std::slice::from_ref(&writes));
    }
    assert_eq!(found("{ type: codex }", "read_file"), [codex("writes nothing")]);
    assert_eq!(found("{ type: replay, cassette: a.json }", "read_file"), [""; 0]);
}

#[test]
fn warns_if_callers_can_pass_any_option() {
    let found = |settings: &str, schema: &str| {
        let executor = format!("executor: {{ type: process, command: sort, {settings} }}");
        let schema = format!("parameters_schema: {{ type: object, {schema} }}");
        problems_of("agent.yaml", &format!("name: a\ntype: procedural\n{executor}\n{schema}\n"))
    };
    let warning = "4:20 warning: $.parameters_schema: parameters become command-line options, and this schema accepts undeclared names, so a caller could pass any option: set 'additionalProperties: false'";
    for settings in ["parameters_as: flags", "parameters_as: both", "args: flags"] {
        assert_eq!(found(settings, "properties: { key: { type: string } }"), [warning], "{settings}");
        assert_eq!(found(settings, "additionalProperties: false"), [""; 0], "{settings}");
    }
    assert_eq!(found("parameters_as: json", "properties: { key: { type: string } }"), [""; 0]);
    for closed in [
        "$schema: 'https://json-schema.org/draft/2020-12/schema', unevaluatedProperties: false",
        "propertyNames: { enum: [key] }",
        "allOf: [{ additionalProperties: false }]",
        "anyOf: [{ additionalProperties: false }, { maxProperties: 0, additionalProperties: false }]",
        "allOf: [{ $ref: '#/$defs/a' }], $defs: { a: { additionalProperties: false } }",
    ] {
        assert_eq!(found("args: flags", closed), [""; 0], "{closed}");
    }
    for open in [
        "additionalProperties: { type: string }",
        "anyOf: [{ additionalProperties: false }, { required: [key] }]",
        "allOf: [{ $ref: '#/$defs/a' }], $defs: { a: { minProperties: 1 } }",
    ] {
        assert_eq!(found("args: flags", open), [warning], "{open}");
    }
}
