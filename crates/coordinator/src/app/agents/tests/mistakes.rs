use super::super::fixture::REVIEWER;
use super::{loaded, problems_of, told};

const HEAD: &str = "name: a\nexecutor: { type: llm, provider: anthropic, model: m }\n";

fn with(rest: &str) -> Vec<String> {
    problems_of("agent.yaml", &format!("{HEAD}{rest}"))
}

#[test]
fn mistakes_are_told_together_with_their_places() {
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
        "1:7 $.name: the agent is called 'b', and its folder 'a'; give both one name",
        "2:7 $.type: a procedural agent has an executor of type process, not llm; write 'type: autonomous' where a \
         model decides",
        "5:13 $.executor.provider: the provider cannot be empty",
        "7:3 $.executor.temperture: there is no field 'temperture'; did you mean 'temperature'?",
        "8:15 $.executor.max_tokens: 0 tokens leave no room for an answer",
        "9:20 $.tools[1]: there is no built-in tool 'red_file'; did you mean 'read_file'?",
        "9:30 $.tools[2]: there is no built-in tool 'browse'; use read_file, list_files, search_files, write_file, \
         run_command",
        "13:16 $.output_schema.properties.n.type: unknown type \"integr\"; expected array, boolean, integer, null, number, object or string",
        "14:39 $.output_schema_options.max_retries: 11 retries are too many; 10 is the most",
        "18:22 $.limits.max_steps: 0 would end every run at once; leave it out for no limit",
    ];
    let (rules, rest): (Vec<String>, Vec<String>) =
        problems_of("agent.yaml", text).into_iter().partition(|line| line.contains("$.invariants[0].rule"));
    assert_eq!(rest, expected);
    assert_eq!(rules.len(), 1);
    assert!(rules[0].starts_with("16:11 "), "{rules:?}");
}

#[test]
fn words_of_addresses_are_no_names() {
    let text = "name: validate\nexecutor: { type: llm, provider: anthropic, model: m }\n";
    let files = loaded(&[("validate/agent.yaml", text)]);
    let expected = "1:7 $.name: the name 'validate' has another meaning in addresses; use another name";
    assert_eq!(told(&files.agents["validate"]), [expected]);
}

#[test]
fn json_has_places_too() {
    let text = "{\n  \"name\": \"a\",\n  \"executor\": {\"type\": \"llm\", \"provider\": \"ollama\"},\n  \"tgas\": []\n}\n";
    let expected = [
        "3:3 $.executor.model: the field 'model' is missing",
        "4:3 $.tgas: there is no field 'tgas'; did you mean 'tags'?",
    ];
    let found: Vec<String> = problems_of("agent.json", text);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].ends_with(&expected[0][4..]), "{found:?}");
    assert_eq!(found[1], expected[1]);
    let cut = problems_of("agent.json", "{\"name\": \"a\",\n");
    assert_eq!(cut, ["2:1 $: not JSON: EOF while parsing a value"]);
    let twice = problems_of("agent.json", r#"{"name": "a", "name": "b"}"#);
    assert_eq!(twice.len(), 1);
    assert!(twice[0].contains("name"), "{twice:?}");
}

#[test]
fn what_a_schema_says_about_comparing_must_make_sense() {
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
        "8:19 warning: $.output_schema.properties.findings.x-key[1]: the items of the list cannot have a member 'file', so \
         nothing is compared by it",
        "9:19 warning: $.output_schema.properties.findings.x-conflict: {\"severity\":1} is no name: give the name of a member, or a \
         list of names",
    ];
    assert_eq!(with(text), expected);
}

#[test]
fn slips_in_schemas_are_warnings() {
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
        "3:83 warning: $.parameters_schema.properties.text.minlength: 'minlength' is not a keyword of draft-07 and is ignored; did you mean 'minLength'?",
        "6:13 warning: $.output_schema.required: 'aproval' is required but not in 'properties', and 'additionalProperties' is false, so no object conforms; add it to 'properties' or remove it from 'required'",
        "9:23 warning: $.output_schema.properties.approval.enun: 'enun' is not a keyword of draft-07 and is ignored; \
         did you mean 'enum'?",
    ];
    assert_eq!(with(text), expected);
    let files = loaded(&[("a/agent.yaml", &format!("{HEAD}{text}"))]);
    assert!(files.agents["a"].sound.is_some(), "it can be used all the same");
}

#[test]
fn fields_that_rules_misspell_are_warnings() {
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
        "10:11 warning: $.invariants[0].rule: the rule names 'output.aproval', and the schema of output does not speak of a \
         field 'aproval'; did you mean 'approval'?",
        "12:11 warning: $.invariants[1].rule: the rule names 'output.findings[…].lines', and output.findings[…] has no field \
         'lines'; did you mean 'line'?",
        "12:11 warning: $.invariants[1].rule: the rule names 'input.limt', and the schema of input does not speak of a field \
         'limt'; did you mean 'limit'?",
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
fn parts_must_fit_each_other() {
    let cases = [
        (
            "invariants: [{rule: 'true', message: m}]\n",
            "3:13 $.invariants: invariants speak of a structured output: give an 'output_schema' or a \
             'default_output_schema'",
        ),
        (
            "output_schema: { type: array }\noutput_schema_options: { strategy: tool }\n",
            "3:16 $.output_schema: the submit tool takes an object: give the root 'type: object' and 'properties', or \
             use another strategy",
        ),
        (
            "output_schema: { type: array }\n",
            "3:16 warning: $.output_schema: the root is not an object with properties: models are asked for it inside \
             a wrapper, and some endpoints cannot be held to it",
        ),
        (
            "default_output_schema_options: { max_retries: 1 }\n",
            "3:32 warning: $.default_output_schema_options: there is no 'default_output_schema' that these options \
             could be for",
        ),
        (
            "output_schema: 'no name'\n",
            "3:16 $.output_schema: a text here is the name of a registered schema: a name has letters, digits, '.', \
             '_' and '-' only, not ' '",
        ),
        (
            "parameters_schema: { type: object, required: nothing }\n",
            "3:46 $.parameters_schema.required: \"nothing\" is not of type \"array\"",
        ),
        ("escalate_to: ['']\n", "3:15 $.escalate_to[0]: the name of a model cannot be empty"),
        ("tags: ['a,b']\n", "3:8 $.tags[0]: the tag \"a,b\" cannot be asked for: it is empty or has a comma"),
        ("mcp_servers: { x: y }\n", "3:19 $.mcp_servers.x: this is the text \"y\"; it must be an object"),
        (
            "mcp_servers: { x: {} }\n",
            "3:19 $.mcp_servers.x: an MCP server has a 'command' to start or a 'url' to speak to",
        ),
        (
            "mcp_servers: { x: { comand: y } }\n",
            "3:21 $.mcp_servers.x.comand: there is no field 'comand'; did you mean 'command'?",
        ),
        (
            "mcp_servers: { x: { command: y, url: 'http://z' } }\n",
            "3:38 $.mcp_servers.x.url: a server is started or spoken to: give 'command' or 'url', not both",
        ),
        (
            "mcp_servers: { x: { command: y, headers: { a: b } } }\n",
            "3:42 $.mcp_servers.x.headers: a program gets no headers: give it 'env' or 'args'",
        ),
        (
            "mcp_servers: { x: { command: y, env: { KEY: '${a b}' } } }\n",
            "3:45 $.mcp_servers.x.env.KEY: '${a b}' is not a variable: write ${NAME}, with letters, digits and '_'",
        ),
        (
            "mcp_servers: { x: { command: y, args: ['${KEY}'] } }\n",
            "3:40 warning: $.mcp_servers.x.args[0]: '${…}' is replaced in 'env' and 'headers' only; here it stays as it is",
        ),
        (
            "mcp_servers: { x: { url: 'z' } }\n",
            "3:26 $.mcp_servers.x.url: the address must begin with http:// or https://",
        ),
        (
            "mcp_servers: { x: { url: 'http://z', env: { A: b } } }\n",
            "3:43 $.mcp_servers.x.env: a server with a 'url' is not started by Accord: it gets 'headers' only",
        ),
        (
            "mcp_servers: { 'a b': { command: y } }\n",
            "3:23 $.mcp_servers[\"a b\"]: the name of a server has 1 to 32 letters, digits, '-' and '_'",
        ),
        (
            "mcp_servers: { accord: { command: y } }\n",
            "3:24 $.mcp_servers.accord: 'accord' is the coordinator itself and takes no settings: write 'accord: {}', \
             or use another name for a server of your own",
        ),
    ];
    for (rest, expected) in cases {
        assert_eq!(with(rest), [expected]);
    }
}

#[test]
fn both_output_schemas_are_one_too_many() {
    let schema = "{ type: object, properties: { a: {} } }";
    let found = with(&format!("output_schema: {schema}\ndefault_output_schema: {schema}\n"));
    let expected = [
        "4:24 warning: $.default_output_schema: 'output_schema' always decides, so this default is never used",
    ];
    assert_eq!(found, expected);
}

#[test]
fn executors_have_settings_in_their_ranges() {
    let cases = [
        (
            "type: procedural\nexecutor: { type: process, command: ' ' }",
            "$.executor.command: the command cannot be empty",
        ),
        (
            "executor: { type: process, command: x }",
            "$.type: a process computes and does not decide: write 'type: procedural'",
        ),
        (
            "type: procedural\nexecutor: { type: external, command: x }",
            "$.type: a procedural agent has an executor of type process, not external; write 'type: autonomous' where a model decides",
        ),
        (
            "type: procedural\nexecutor: { type: process, command: x, args: text }",
            "$.executor.args: 'text' is not one of json, flags, both",
        ),
        (
            "type: procedural\nexecutor: { type: process, command: x, working_dir: ../y }",
            "$.executor.working_dir: '../y' must be a folder inside the project, without '..'",
        ),
        (
            "type: procedural\nexecutor: { type: process, command: x }\nescalate_to: [m]",
            "$.escalate_to: an executor of type process has no models to escalate to",
        ),
        (
            "executor: { type: llm, provider: ollama, model: ' ' }",
            "$.executor.model: the model cannot be empty",
        ),
        (
            "executor: { type: llm, provider: ollama, model: m, temperature: 2.5 }",
            "$.executor.temperature: this is 2.5; the temperature must be from 0 to 2",
        ),
        (
            "executor: { typ: llm, provider: ollama, model: m }",
            "$.executor.typ: there is no field 'typ'; did you mean 'type'?",
        ),
        (
            "executor: { type: llm, provider: ollama, model: m, schema_profile: gpt }",
            "$.executor.schema_profile: 'gpt' is not one of openai, anthropic, ollama, claude-code",
        ),
        (
            "executor: { type: llm, provider: ollama, model: m, base_url: localhost }",
            "$.executor.base_url: the address must begin with http:// or https://",
        ),
        (
            "executor: { type: llm, provider: ollama, model: m, timeout_seconds: 0 }",
            "$.executor.timeout_seconds: 0 seconds leave no time to work; leave it out for no limit",
        ),
        (
            "executor: { type: replay, cassette: c, match: some }",
            "$.executor.match: 'some' is not one of exact, order",
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
fn what_a_runner_would_refuse_is_told_at_once() {
    let llm = |rest: &str| format!("executor: {{ type: llm, provider: ollama, model: m, {rest} }}");
    let process = |rest: &str| format!("type: procedural\nexecutor: {{ type: process, command: x, {rest} }}");
    let reasoning =
        "it must be off, low, medium, high, true, false, or a number of tokens from 1 to 4294967295";
    let nul = "a NUL character cannot be handed to a program: leave it out";
    let cases = [
        (llm("reasoning: much"), format!("$.executor.reasoning: this is the text \"much\"; {reasoning}")),
        (llm("reasoning: -1"), format!("$.executor.reasoning: this is -1; {reasoning}")),
        (llm("reasoning: 0"), format!("$.executor.reasoning: this is 0; {reasoning}")),
        (
            llm("reasoning: 18446744073709551616"),
            format!("$.executor.reasoning: this is 18446744073709551616; {reasoning}"),
        ),
        (llm("reasoning: { effort: low }"), format!("$.executor.reasoning: this is an object; {reasoning}")),
        (
            llm("reasoning: low, temperature: 1").replace("ollama", "anthropic"),
            "$.executor.temperature: this provider takes no 'temperature' where 'reasoning' is on: leave one out"
                .to_owned(),
        ),
        (
            llm("base_url: 'http://'"),
            "$.executor.base_url: the address has no host: write it like https://host/path".to_owned(),
        ),
        (
            llm("").replace("ollama", "openai-compatible"),
            "warning: $.executor.base_url: 'openai-compatible' has no address of its own: give a 'base_url' here, or in \
             [providers.openai-compatible] where the runner is configured"
                .to_owned(),
        ),
        (
            llm("").replace("ollama", "antropic"),
            "warning: $.executor.provider: 'antropic' is not a built-in provider: only a runner with [providers.antropic] in \
             its configuration knows it; did you mean 'anthropic'?"
                .to_owned(),
        ),
        (
            process("timeout_seconds: 86401"),
            "$.executor.timeout_seconds: the time is 1 to 86400 seconds, not 86401".to_owned(),
        ),
        (process("env: { A=B: c }"), "$.executor.env[\"A=B\"]: this cannot be the name of a variable".to_owned()),
        (process("env: { A: \"c\\0\" }"), format!("$.executor.env.A: {nul}")),
        (process("args: [a, \"b\\0\"]"), format!("$.executor.args[1]: {nul}")),
        (
            format!("{}\ntools: [read_file]", process("")),
            "$.tools: an executor of type process does not take built-in tools: leave them out".to_owned(),
        ),
        (
            "executor: { type: external, command: \"x\\0\" }".to_owned(),
            format!("$.executor.command: {nul}"),
        ),
        (
            "executor: { type: codex, timeout_seconds: 0 }".to_owned(),
            "$.executor.timeout_seconds: the time is 1 to 86400 seconds, not 0".to_owned(),
        ),
        (
            "executor: { type: claude-code, model: -m }".to_owned(),
            "$.executor.model: '-m' would be taken for an option: it cannot begin with '-'".to_owned(),
        ),
        (
            "executor: { type: claude-code, allowed_tools: [Read, ''] }".to_owned(),
            "$.executor.allowed_tools[1]: the name of a tool cannot be empty".to_owned(),
        ),
        (
            "executor: { type: replay, cassette: /etc/passwd }".to_owned(),
            "$.executor.cassette: \"/etc/passwd\" must be a file inside the project folder, relative to it and without '..'"
                .to_owned(),
        ),
        (
            format!("{}\nretry: {{ for_seconds: 86401 }}", llm("")),
            "$.retry.for_seconds: expected 0 to 86400 seconds, got 86401".to_owned(),
        ),
        (
            format!("{}\nretry: {{ max_attempts: 0 }}", llm("")),
            "$.retry.max_attempts: expected 1 or more, got 0; 1 makes every request once".to_owned(),
        ),
        (
            "executor: { type: replay, cassette: a/../../x.json }".to_owned(),
            "$.executor.cassette: \"a/../../x.json\" must be a file inside the project folder, relative to it and without '..'"
                .to_owned(),
        ),
        (
            format!("{}\ndemands: {{ executor_type: process }}", llm("")),
            "$.demands.executor_type: the agent's own executor is of type llm, so no runner can take it where 'process' is \
             demanded; leave this out"
                .to_owned(),
        ),
        (
            format!("{}\ndemands: {{ tags: [gpu, ''] }}", llm("")),
            "$.demands.tags: \"\" can be no name: it is empty; leave it out or give it a value".to_owned(),
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
    assert!(found[0].ends_with(": this cannot be the name of a variable"), "{found:?}");
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
fn folders_that_are_no_agents_say_so() {
    let files = loaded(&[
        ("reviewer/agent.yaml", REVIEWER),
        ("both/agent.yaml", REVIEWER),
        ("both/agent.json", "{}"),
        ("none/agents.yaml", REVIEWER),
        ("loose.yaml", REVIEWER),
        ("bad name/agent.yaml", &REVIEWER.replace("reviewer", "bad name")),
    ]);
    let all: Vec<(&str, Vec<String>)> =
        files.agents.iter().map(|(name, agent)| (name.as_str(), told(agent))).collect();
    let said = |text: &str| vec![text.to_owned()];
    let expected = [
        ("bad name", said("1:7 $.name: a name has letters, digits, '.', '_' and '-' only, not ' '")),
        ("both", said("$: there are agent.yaml and agent.json; keep one of them")),
        ("loose", said("$: an agent has a folder of its own: move this file to loose/agent.yaml")),
        ("none", said("$: there is no agent.yaml, agent.yml or agent.json in it")),
        ("reviewer", Vec::new()),
    ];
    assert_eq!(all, expected);
}

#[test]
fn money_is_not_limited_where_nobody_tells_costs() {
    let agent = |executor: &str| format!("name: a\nexecutor: {executor}\nlimits: {{ max_cost_usd: 0.5 }}\n");
    let found = problems_of("agent.yaml", &agent("{ type: codex }"));
    let expected = "3:25 $.limits.max_cost_usd: Codex does not tell what it costs, so money cannot be limited; use max_tokens_total";
    assert_eq!(found, [expected]);
    assert!(problems_of("agent.yaml", &agent("{ type: claude-code }")).is_empty());
}

#[test]
fn what_the_tools_of_a_cli_reach_is_said() {
    let found = |executor: &str, tools: &str| {
        problems_of("agent.yaml", &format!("name: a\nexecutor: {executor}\ntools: [{tools}]\n"))
    };
    let claude = "3:20 warning: $.tools[1]: run_command is Claude Code's Bash here: it is not confined to the project folder, \
                  and sees the runner's variables; to allow some commands only, list them in allowed_tools";
    assert_eq!(found("{ type: claude-code }", "read_file, run_command"), [claude]);
    assert_eq!(found("{ type: claude-code }", "read_file, write_file"), [""; 0]);
    let codex = |reach: &str| {
        format!(
            "3:8 warning: $.tools: Codex has its own shell in the place of these tools: it reads every file that the \
             runner's user may, and {reach}"
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
fn options_that_nobody_declared_are_warned_of() {
    let found = |settings: &str, schema: &str| {
        let executor = format!("executor: {{ type: process, command: sort, {settings} }}");
        let schema = format!("parameters_schema: {{ type: object, {schema} }}");
        problems_of("agent.yaml", &format!("name: a\ntype: procedural\n{executor}\n{schema}\n"))
    };
    let warning = "4:20 warning: $.parameters_schema: parameters become options of the command, and this lets through names \
                   that it does not declare, so that a caller can give any option: write 'additionalProperties: false'";
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
