//! Naming a provider on the command line.

use accord_contract::lower::Profile;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// Takes the names of the profiles, and their aliases without listing them.
pub(super) fn parser() -> impl TypedValueParser<Value = &'static Profile> {
    let names = Profile::all().iter().map(|profile| {
        PossibleValue::new(profile.name.as_str()).aliases(profile.aliases.iter().map(String::as_str))
    });
    PossibleValuesParser::new(names)
        .try_map(|name| Profile::named(&name).ok_or_else(|| format!("there is no profile '{name}'")))
}
