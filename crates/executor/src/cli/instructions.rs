//! Instructions in the user's message, for CLIs that take none apart from it, or ignore new ones in an old conversation.

use sha2::{Digest as _, Sha256};

use crate::turn::Turn;

/// The hash of instructions: they are long, and only a change matters.
pub(super) fn hash(instructions: &str) -> String {
    Sha256::digest(instructions.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The prompt, preceded by the instructions if they are not the ones that the model has.
pub(super) fn prompt_with_changes(told: &mut String, turn: &Turn) -> String {
    let hash = hash(&turn.system_prompt);
    if hash == *told {
        return turn.prompt.clone();
    }
    *told = hash;
    prompt_with_instructions(turn)
}

pub(super) fn prompt_with_instructions(turn: &Turn) -> String {
    match turn.system_prompt.trim() {
        "" => turn.prompt.clone(),
        instructions => format!("<instructions>\n{instructions}\n</instructions>\n\n{}", turn.prompt),
    }
}
