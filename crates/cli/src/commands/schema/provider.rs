//! Naming a provider on the command line.

use accord_contract::lower::Profile;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// A provider, by the name that was given, and the rules that it goes by.
#[derive(Debug, Clone)]
pub(super) struct Provider {
    pub(super) name: String,
    pub(super) profile: &'static Profile,
}

/// Takes the names of the profiles and their aliases. Of the spellings of an alias the first is listed.
pub(super) fn parser() -> impl TypedValueParser<Value = Provider> {
    let names = Profile::all().iter().flat_map(|profile| {
        let mut aliases = profile.aliases.iter().map(String::as_str);
        let alias = aliases.next().map(PossibleValue::new);
        std::iter::once(PossibleValue::new(profile.name.as_str()).aliases(aliases)).chain(alias)
    });
    PossibleValuesParser::new(names).try_map(|name| match Profile::named(&name) {
        Some(profile) => Ok(Provider { name, profile }),
        None => Err(format!("unknown provider '{name}'")),
    })
}
