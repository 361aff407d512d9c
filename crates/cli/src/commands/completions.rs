//! `accord completions`: a script that teaches a shell to complete commands, options, and the names of agents and workflows.

use clap_complete::env::Shells;

use crate::candidates;
use crate::exit::Exit;
use crate::failure::{Failure, Problem};
use crate::output;

/// Print a shell completion script
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The script asks accord for what can be completed, so it also knows the agents and workflows of the
project in the current folder. Print it again after an upgrade.

Examples:
  accord completions bash > ~/.local/share/bash-completion/completions/accord
  accord completions zsh > \"${fpath[1]}/_accord\"
  accord completions fish > ~/.config/fish/completions/accord.fish")]
pub(crate) struct Arguments {
    /// Shell to generate the script for
    #[arg(value_parser = ["bash", "elvish", "fish", "powershell", "zsh"])]
    shell: String,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let shells = Shells::builtins();
    let shell = shells.completer(&arguments.shell);
    let shell = shell.ok_or_else(|| Problem::new(format!("unknown shell '{}'", arguments.shell)))?;
    let mut script = Vec::new();
    shell.write_registration(candidates::VARIABLE, "accord", "accord", "accord", &mut script)?;
    output::data(&script)?;
    Ok(Exit::Success)
}
