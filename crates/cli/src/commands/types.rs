//! `accord types`: types for callers.

use std::path::PathBuf;

use accord_api::PageQuery;
use accord_types::{Agent, Language, generate};

use crate::connection::{self, Access, ConnectionArguments};
use crate::exit::Exit;
use crate::failure::{Failure, Problem};
use crate::meter::{meter, too_much};
use crate::view::text::counted;
use crate::{output, project, runtime};

/// Write types for the input and output of agents: TypeScript, Python or Rust
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Writes TypeScript types with Zod 4 schemas, Pydantic 2 models or serde structs, and the hash of each
agent's contract. A call with the header Accord-Contract and this hash is rejected if the agent's
schemas have changed. What a type cannot express is a comment. Reads the files of the project if no
coordinator runs for it. With --check nothing is written, and the exit code is 1 if FILE is not what
would be written.

Examples:
  accord types --lang ts --output src/agents.ts
  accord types --lang python ticket-triage invoice-reader > agents.py
  accord types --lang rust --output src/agents.rs --check")]
pub(crate) struct Arguments {
    /// Agent names [default: all valid agents]
    #[arg(value_name = "AGENT", add = crate::candidates::agents())]
    agents: Vec<String>,
    /// Language
    #[arg(long, value_enum, value_name = "LANGUAGE")]
    lang: Lang,
    /// File to write [default: stdout]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Compare with the file instead of writing it
    #[arg(long, requires = "output")]
    check: bool,
    #[command(flatten)]
    connection: ConnectionArguments,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Lang {
    /// TypeScript types and Zod schemas
    #[value(alias = "typescript")]
    Ts,
    /// Pydantic models
    Python,
    /// Serde structs
    Rust,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let agents = runtime::block_on(agents(arguments))?;
    let language = match arguments.lang {
        Lang::Ts => Language::TypeScript,
        Lang::Python => Language::Python,
        Lang::Rust => Language::Rust,
    };
    let text = generate(language, &agents, &meter()).map_err(too_much("types cannot be generated"))?;
    let Some(file) = &arguments.output else {
        output::data(text.as_bytes())?;
        return Ok(Exit::Success);
    };
    let problem = |verb: &str, error: std::io::Error| {
        Problem::new(format!("cannot {verb} {}: {error}", file.display()))
    };
    if arguments.check {
        let current = std::fs::read_to_string(file).map_err(|error| problem("read", error))?;
        if current != text {
            let message = format!("{} does not match the agents", file.display());
            return Err(Problem::new(message).hint("run the command again without --check").into());
        }
        return Ok(Exit::Success);
    }
    std::fs::write(file, text).map_err(|error| problem("write", error))?;
    output::message(&format!("wrote {} ({})\n", file.display(), counted(agents.len() as u64, "agent")));
    Ok(Exit::Success)
}

/// The agents with their contracts, from the coordinator that runs or from the project.
async fn agents(arguments: &Arguments) -> Result<Vec<Agent>, Failure> {
    let config = arguments.connection.config(Vec::new())?;
    if let (None, Some(problem)) = (connection::running(&config).await?, project::missing(&config.project)) {
        return Err(problem.into());
    }
    let client = connection::reach(&config, Access::Look).await?;
    let listed = client.agents(&[], &PageQuery::default()).await?.items;
    let names: Vec<&String> = match arguments.agents.is_empty() {
        true => listed.iter().filter(|agent| agent.valid).map(|agent| &agent.name).collect(),
        false => arguments.agents.iter().collect(),
    };
    if names.is_empty() {
        return Err(Problem::new("there are no valid agents").hint("see `accord agents list`").into());
    }
    if arguments.agents.is_empty() && names.len() < listed.len() {
        let left_out = counted((listed.len() - names.len()) as u64, "invalid agent");
        output::message(&format!("warning: left out {left_out}; run `accord agents validate` for details\n"));
    }
    let mut agents = Vec::with_capacity(names.len());
    for name in names {
        let contract = client.agent_contract(name).await?;
        let described = listed.iter().find(|agent| agent.name == *name);
        agents.push(Agent {
            name: name.clone(),
            description: described.map(|agent| agent.description.clone()).unwrap_or_default(),
            contract_hash: contract.contract_hash,
            input: contract.parameters_schema,
            output: contract.output_schema,
        });
    }
    Ok(agents)
}
