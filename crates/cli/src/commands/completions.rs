//! `accord completions`: a script that teaches a shell to complete the commands.

use clap::CommandFactory as _;
use clap_complete::Shell;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output;

/// Print a shell completion script
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  accord completions bash > ~/.local/share/bash-completion/completions/accord
  accord completions zsh > \"${fpath[1]}/_accord\"
  accord completions fish > ~/.config/fish/completions/accord.fish")]
pub(crate) struct Arguments {
    /// Shell to generate the script for
    shell: Shell,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    let mut command = crate::arguments::Arguments::command();
    clap_complete::generate(arguments.shell, &mut command, "accord", &mut script);
    output::data(&script)?;
    Ok(Exit::Success)
}
