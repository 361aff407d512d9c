//! `accord runs diff`.

use accord_api::RunId;

use crate::call::CallArguments;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::id_prefix;
use crate::view::comparison::{Comparison, Side};

/// Compare two runs: input, contract, steps, result, usage
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The first step that differs is marked with '>'. What a step cost and the ids of tool calls are not
compared. The exit code is 0 whether the runs differ or not.

Examples:
  accord runs diff run_a… run_b…
  accord runs diff run_a… run_b… --json | jq .first_different_step")]
pub(crate) struct Arguments {
    /// Run id, or a unique prefix of it
    #[arg(value_name = "A")]
    a: RunId,
    /// Run id, or a unique prefix of it
    #[arg(value_name = "B")]
    b: RunId,
    #[command(flatten)]
    call: CallArguments,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let (a, b) = arguments.call.connection.ask(async |client| {
        let side = async |id: &RunId| -> Result<Side, Failure> {
            let run = id_prefix::run(client, id).await?;
            let steps = client.steps(&run.run_id).await?.items;
            Ok(Side { run, steps })
        };
        Ok((side(&arguments.a).await?, side(&arguments.b).await?))
    })?;
    let comparison = Comparison::of(&a, &b);
    arguments.call.print(&comparison, || comparison.text())
}
