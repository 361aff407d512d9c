//! The names that a model calls the tools of servers by: `server__tool`.
//!
//! Providers take letters, digits, `_` and `-`, 64 at most. What does not fit is changed, and then ends in a piece of a
//! hash of the whole name: the same tool has the same name in every run, and no two tools share one.

use std::collections::BTreeSet;

use sha2::{Digest, Sha256};

use super::limits::NAME_CHARACTERS;

/// Hexadecimal digits of the hash, which keeps names with the same start apart.
const HASH_DIGITS: usize = 8;

/// Reserves a name that is not in use.
pub(super) fn exposed(server: &str, tool: &str, taken: &mut BTreeSet<String>) -> String {
    let whole = format!("{server}__{tool}");
    let fits = |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '-');
    let plain: String =
        whole.chars().map(|character| if fits(character) { character } else { '_' }).collect();
    let mut name = match plain == whole && plain.len() <= NAME_CHARACTERS {
        true => plain.clone(),
        false => hashed(&plain, &whole),
    };
    let mut salt = whole;
    while taken.contains(&name) {
        salt.push('\'');
        name = hashed(&plain, &salt);
    }
    taken.insert(name.clone());
    name
}

fn hashed(plain: &str, whole: &str) -> String {
    let digest = Sha256::digest(whole.as_bytes());
    let hash: String = digest.iter().take(HASH_DIGITS / 2).map(|byte| format!("{byte:02x}")).collect();
    let kept: String = plain.chars().take(NAME_CHARACTERS - HASH_DIGITS - 1).collect();
    format!("{kept}_{hash}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_fits_stays() {
        let mut taken = BTreeSet::new();
        assert_eq!(exposed("files", "read-it", &mut taken), "files__read-it");
    }

    #[test]
    fn long_names_are_changed_and_unique() {
        let mut taken = BTreeSet::from(["a__b".to_owned()]);
        let long = "x".repeat(200);
        let names = [
            exposed("a", "b", &mut taken),
            exposed("a", "b.c", &mut taken),
            exposed("a", "b/c", &mut taken),
            exposed("a", "b_c", &mut taken),
            exposed("a", &long, &mut taken),
            exposed("a", &format!("{long}y"), &mut taken),
            exposed("ä", "ö", &mut taken),
        ];
        assert_eq!(taken.len(), names.len() + 1);
        for name in &names {
            assert!(name.len() <= NAME_CHARACTERS, "{name}");
            assert!(name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte)), "{name}");
        }
        assert_eq!(exposed("a", "b.c", &mut BTreeSet::new()), names[1]);
    }
}
