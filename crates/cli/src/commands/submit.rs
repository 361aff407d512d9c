//! `accord submit`: the tool by which a CLI agent hands over its answer. For executors, not for people.

use std::path::PathBuf;
use std::sync::Arc;

use accord_mcp::Submit;

use crate::document::Input;
use crate::exit::Exit;
use crate::failure::{Failure, Problem};
use crate::runtime;

/// Serve the tool `submit_result` over MCP on stdin and stdout
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// JSON Schema of the result
    #[arg(long, value_name = "FILE")]
    schema: PathBuf,
    /// File to append results to, one line of JSON per call
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let source = Input::File(arguments.schema.clone()).read()?;
    let schema = source.json("schema")?;
    if !schema.is_object() {
        let problem = Problem::new(format!("expected the schema {} to be a JSON object", source.name));
        return Err(problem.hint("tool arguments are always an object").into());
    }
    runtime::block_on(async {
        let submit = Submit::new(schema, &arguments.out)
            .await
            .map_err(|error| Problem::new(format!("cannot write {}: {error}", arguments.out.display())))?;
        let (input, output) = runtime::streams()?;
        accord_mcp::serve(Arc::new(submit), input, output).await?;
        Ok(Exit::Success)
    })
}
