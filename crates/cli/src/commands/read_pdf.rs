//! `accord read-pdf`: the text of a PDF, read apart from everything else. For runners, not for people.

use std::io::{Read as _, Write as _};

use accord_executor::read_pdf;

use crate::exit::Exit;
use crate::failure::{Failure, Problem};

/// Write the text of the PDF on stdin to stdout
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {}

pub(crate) fn run(_arguments: &Arguments) -> Result<Exit, Failure> {
    let failed = |error: std::io::Error| Problem::new(format!("cannot read or write the PDF: {error}"));
    let mut content = Vec::new();
    std::io::stdin().read_to_end(&mut content).map_err(failed)?;
    let text = read_pdf(&content).map_err(Problem::new)?;
    std::io::stdout().write_all(text.as_bytes()).map_err(failed)?;
    Ok(Exit::Success)
}
