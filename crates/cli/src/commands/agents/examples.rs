//! `accord agents examples`.

use std::path::PathBuf;

use accord_api::{FailureType, RunId, RunView};
use accord_client::Client;
use serde_json::{Value, json};

use crate::call::CallArguments;
use crate::document::Input;
use crate::exit::Exit;
use crate::failure::{Failure, Problem};
use crate::id_prefix;
use crate::view::text;

/// The field of an agent.
const EXAMPLES: &str = "examples";

/// Add examples to an agent, taken from its runs
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The input and the result of each run become an example: models that miss the contract, small ones
most of all, do better with one or two. For a run without a result, --answer gives the right one. An
example with the same input is replaced. The agent's file keeps its comments; nothing is changed if
an example does not conform to the agent's schemas.

Examples:
  accord agents examples ticket-triage --from run_…
  accord agents examples ticket-triage --from run_… --from run_…
  accord agents examples ticket-triage --from run_… --answer right.json")]
pub(super) struct Arguments {
    /// Agent name
    #[arg(add = crate::candidates::agents())]
    agent: String,
    /// Run id, or a unique prefix of it; can be repeated
    #[arg(long, value_name = "RUN", required = true)]
    from: Vec<RunId>,
    /// Use the JSON in this file as the output, instead of the run's result; - reads stdin
    #[arg(long, value_name = "FILE")]
    answer: Option<PathBuf>,
    #[command(flatten)]
    call: CallArguments,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let Arguments { agent: name, from, answer, call } = arguments;
    if answer.is_some() && from.len() > 1 {
        return Err(Problem::new("--answer is the output of one run, got several --from")
            .hint("run the command once for each run")
            .into());
    }
    let answer = answer.as_ref().map(|file| Input::of(Some(file)).read()?.json("answer")).transpose()?;
    let (added, agent) = call.connection.ask(async |client| {
        let agent = client.agent(name).await?;
        let old = agent.blueprint.get(EXAMPLES).and_then(Value::as_array).cloned().unwrap_or_default();
        let mut examples = old.clone();
        for id in from {
            add(&mut examples, example(&id_prefix::run(client, id).await?, name, answer.as_ref())?);
        }
        if examples == old {
            return Ok((0, agent));
        }
        let fields = json!({ (EXAMPLES): examples });
        Ok((from.len() as u64, client.patch_agent(name, &fields, Some(&agent.hash)).await?))
    })?;
    call.print(&agent, || {
        let to = agent.file.as_deref().unwrap_or(name);
        match added {
            0 => format!("{to} already has these examples\n"),
            _ => format!("{} added to {to}\n", text::counted(added, "example")),
        }
    })
}

/// What a run says about an agent: its input with the right output.
fn example(run: &RunView, agent: &str, answer: Option<&Value>) -> Result<Value, Problem> {
    let id = &run.run_id;
    if run.agent_name != agent {
        return Err(Problem::new(format!("{id} is a run of agent '{}', not of '{agent}'", run.agent_name)));
    }
    let result = run.result.as_ref().and_then(|result| result.result_data.as_deref());
    let read = |raw: &serde_json::value::RawValue| {
        serde_json::from_str::<Value>(raw.get()).map_err(|error| Problem::new(format!("{id}: {error}")))
    };
    let output = match (answer, result) {
        (Some(answer), _) => answer.clone(),
        (None, Some(result)) => read(result)?,
        (None, None) => {
            let problem = Problem::new(format!("{id} is {} and has no JSON result", run.status.as_str()));
            return Err(problem.hint("use a completed run, or pass the right output with --answer FILE"));
        }
    };
    let input = run.parameters.as_deref().map(read).transpose()?.unwrap_or_default();
    Ok(json!({"input": input, "output": output}))
}

/// Adds an example, in place of one with the same input.
fn add(examples: &mut Vec<Value>, example: Value) {
    match examples.iter_mut().find(|old| old.get("input") == example.get("input")) {
        Some(old) => *old = example,
        None => examples.push(example),
    }
}

/// What to do about a run that missed the contract of an agent without examples.
pub(crate) async fn suggestion(client: &Client, run: &RunView) -> Option<String> {
    let is_missed =
        run.error.as_ref().is_some_and(|error| error.kind == FailureType::OutputSchemaValidationFailed);
    if !is_missed {
        return None;
    }
    let agent = client.agent(&run.agent_name).await.ok()?;
    let has_model = agent.blueprint.pointer("/executor/type").is_some_and(|kind| kind != "replay");
    let has_none = agent.blueprint.get(EXAMPLES).and_then(Value::as_array).is_none_or(Vec::is_empty);
    (has_model && has_none).then(|| {
        format!(
            "agent '{0}' has no examples, which help a model to keep the contract. From a run that was completed: \
             `accord agents examples {0} --from RUN`; from this one, with the right answer: \
             `accord agents examples {0} --from {1} --answer FILE`",
            run.agent_name, run.run_id
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_example_replaces_the_one_of_the_same_input() {
        let pair = |input: &str, output: u32| json!({"input": {"prompt": input}, "output": output});
        let mut examples = Vec::new();
        for (input, output) in [("a", 1), ("b", 2), ("a", 3)] {
            add(&mut examples, pair(input, output));
        }
        assert_eq!(examples, [pair("a", 3), pair("b", 2)]);
    }
}
