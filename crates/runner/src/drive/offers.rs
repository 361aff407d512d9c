//! The rungs of the ladder: what can be sent to this endpoint to hold the model to this schema.

use std::sync::Arc;

use accord_api::Strategy;
use accord_contract::lower::{Lowered, Profile};
use accord_contract::prompt::Form;
use accord_contract::{Exceeded, Meter};
use accord_executor::Capabilities;
use serde_json::Value;

use super::facts::{Facts, Feature};
use crate::assignment::Terms;

/// One way to hold a model to a schema. In this order they are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rung {
    Native,
    Tool,
    Prompt,
}

const LADDER: [Rung; 3] = [Rung::Native, Rung::Tool, Rung::Prompt];

impl Rung {
    pub(super) fn strategy(self) -> Strategy {
        match self {
            Self::Native => Strategy::Native,
            Self::Tool => Strategy::Tool,
            Self::Prompt => Strategy::Prompt,
        }
    }

    fn name(self) -> &'static str {
        self.strategy().as_str()
    }
}

/// The schema that is sent with one strategy, and how its answer is lifted.
#[derive(Debug, Clone)]
pub(super) struct Offer {
    /// None: any object is asked for, in the provider's JSON mode and as it is.
    pub(super) lowered: Option<Arc<Lowered>>,
    /// Whether the provider can hold a tool's arguments to the schema.
    pub(super) strict: bool,
    /// The form that the model is shown. Where the provider writes values otherwise, it is the form of those: an answer to
    /// the one schema could be read as another answer to the other.
    form: Form,
}

/// What this endpoint can be offered for this schema. A rung that is not there says why.
#[derive(Debug, Clone)]
pub(super) struct Offers {
    native: Result<Offer, String>,
    tool: Result<Offer, String>,
    has_tools: bool,
    form: Form,
}

impl Offers {
    /// What can be offered. Each part may cost what the meter allows; the form of the answer has to be made.
    pub(super) fn new(
        terms: &Terms,
        capabilities: &Capabilities,
        has_tools: bool,
        meter: &Meter,
    ) -> Result<Self, Exceeded> {
        let profile = capabilities.native.as_ref().or(capabilities.tool.as_ref().map(|tool| &tool.profile));
        // Agents on the command line have no profile, and their models are large.
        let shows_schema =
            profile.and_then(|name| Profile::named(name)).is_none_or(|profile| profile.shows_schema);
        let form = terms.form(shows_schema, &meter.anew())?;
        let made = Self {
            native: native(terms, capabilities, has_tools, shows_schema, meter),
            tool: tool(terms, capabilities, shows_schema, meter),
            has_tools,
            form,
        };
        meter.check_stop()?;
        Ok(made)
    }

    /// Shows forms alone from now on, where there are forms.
    pub(super) fn hide_schema(&mut self) {
        let offers = [&mut self.native, &mut self.tool].into_iter().filter_map(|offer| offer.as_mut().ok());
        offers.map(|offer| &mut offer.form).chain([&mut self.form]).for_each(Form::hide_schema);
    }

    /// The form of the answer on a rung.
    pub(super) fn form(&self, rung: Rung) -> &Form {
        self.get(rung).map_or(&self.form, |offer| &offer.form)
    }

    /// The offer of a strategy; instructions need none.
    pub(super) fn get(&self, rung: Rung) -> Option<&Offer> {
        match rung {
            Rung::Native => self.native.as_ref().ok(),
            Rung::Tool => self.tool.as_ref().ok(),
            Rung::Prompt => None,
        }
    }

    /// The feature that is tested when the provider's schema field is used.
    pub(super) fn native_feature(&self) -> Feature {
        if self.has_tools { Feature::NativeBesideTools } else { Feature::Native }
    }

    /// The rungs to use with a model, the best first; or why the strategy that was asked for cannot be had.
    pub(super) fn rungs(&self, strategy: Strategy, facts: &Facts, model: &str) -> Result<Vec<Rung>, String> {
        let asked = match strategy {
            Strategy::Auto => {
                let usable = |rung: &Rung| self.why_not(*rung).is_none() && !self.barred(*rung, facts, model);
                return Ok(LADDER.into_iter().filter(usable).collect());
            }
            Strategy::Native => Rung::Native,
            Strategy::Tool => Rung::Tool,
            Strategy::Prompt => Rung::Prompt,
        };
        match self.why_not(asked) {
            None => Ok(vec![asked]),
            Some(reason) => Err(format!(
                "the strategy '{}' cannot be used here: {reason}; use {}",
                asked.name(),
                self.others(asked)
            )),
        }
    }

    /// The strategies that would work in the place of another, in words.
    pub(super) fn others(&self, but: Rung) -> String {
        let names = LADDER.into_iter().filter(|rung| *rung != but && self.why_not(*rung).is_none());
        let names: String = names.map(|rung| format!("'{}', ", rung.name())).collect();
        match names.strip_suffix(", ") {
            Some(names) => format!("{names} or 'auto'"),
            None => "'auto'".to_owned(),
        }
    }

    fn why_not(&self, rung: Rung) -> Option<&str> {
        match rung {
            Rung::Native => self.native.as_ref().err().map(String::as_str),
            Rung::Tool => self.tool.as_ref().err().map(String::as_str),
            Rung::Prompt => None,
        }
    }

    fn barred(&self, rung: Rung, facts: &Facts, model: &str) -> bool {
        match rung {
            Rung::Native => {
                facts.bars(model, Feature::Native)
                    || self.has_tools && facts.bars(model, Feature::NativeBesideTools)
            }
            Rung::Tool => facts.bars(model, Feature::Tool),
            Rung::Prompt => false,
        }
    }
}

fn native(
    terms: &Terms,
    capabilities: &Capabilities,
    has_tools: bool,
    shows_schema: bool,
    meter: &Meter,
) -> Result<Offer, String> {
    let Some(profile) = &capabilities.native else {
        return Err("the executor does not support schemas".to_owned());
    };
    if has_tools && !capabilities.native_beside_tools {
        return Err("the endpoint does not support a schema together with tools".to_owned());
    }
    if is_any_object(terms.compiled.schema()) {
        return match capabilities.json_mode {
            true => Ok(Offer { lowered: None, strict: false, form: form.clone() }),
            false => Err("the contract is any object, which needs no schema".to_owned()),
        };
    }
    let lowered = terms.lowered(profile, &meter.anew())?;
    match &lowered.refusal {
        Some(reason) => Err(format!("the schema cannot be sent: {reason}")),
        None => {
            let form = form_of(terms, profile, &lowered, shows_schema, meter)?;
            Ok(Offer { lowered: Some(lowered), strict: true, form })
        }
    }
}

fn tool(
    terms: &Terms,
    capabilities: &Capabilities,
    shows_schema: bool,
    meter: &Meter,
) -> Result<Offer, String> {
    let Some(tool) = &capabilities.tool else {
        return Err("the executor has no tools".to_owned());
    };
    // Providers want every property of a tool named: the object would have to be written as a list.
    if terms.contract.strategy == Strategy::Auto && is_any_object(terms.compiled.schema()) {
        return Err("the contract is any object, which needs no tool".to_owned());
    }
    let lowered = terms.lowered(&tool.profile, &meter.anew())?;
    if lowered.schema.get("type").and_then(Value::as_str) != Some("object") {
        return Err("tool arguments must be an object, and the schema's root is not one".to_owned());
    }
    // What the provider cannot enforce it can still show to the model.
    let strict = tool.strict && lowered.refusal.is_none();
    let form = form_of(terms, &tool.profile, &lowered, shows_schema, meter)?;
    Ok(Offer { lowered: Some(lowered), strict, form })
}

/// Whether a schema accepts every object: what clients ask for as JSON mode.
fn is_any_object(schema: &Schema) -> bool {
    let keywords = schema.document().as_object();
    keywords.is_some_and(|keywords| {
        keywords.get("type").is_some_and(|kind| kind == "object")
            && keywords
                .keys()
                .all(|keyword| ["type", "$schema", "title", "description"].contains(&keyword.as_str()))
    })
}

fn form_of(
    terms: &Terms,
    profile: &str,
    lowered: &Lowered,
    shows_schema: bool,
    meter: &Meter,
) -> Result<Form, String> {
    let form = terms.reshaped_form(profile, lowered, shows_schema, meter);
    form.map_err(|exceeded| format!("the form of the answer cannot be made: {exceeded}"))
}
