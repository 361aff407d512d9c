//! Lowering a schema to the subset that a provider accepts, and lifting its answer back.
//!
//! [`lower`] reads the schema into a graph of shapes, decides on it what the provider needs (a wrapper around
//! the root, null for what may be absent, lists of pairs for free names, text for values of any kind), and
//! writes the lowered schema from it. [`Lift`] keeps the same graph: lifting undoes exactly what was decided.
//! For each conforming value that has a lowered form, `lift(encode(value))` is the value again.
//!
//! Constraints that the provider cannot enforce are written into a description and reported as a
//! [`Loss`]. The contract loses nothing: the answer is always validated against the full schema. In
//! two ways the lowered schema is narrower than the source: an object that names properties without
//! mentioning others, and a tuple without further items, are closed; and a schema without `type`
//! means the types that its keywords apply to. Lifting accepts such values anyway, except that in a
//! union it has to guess the branch of an object that has more members than its branch names.
//!
//! Names of providers do not appear here. What they support is in `profiles.toml`.

mod build;
mod discriminator;
mod emit;
mod encode;
mod facts;
mod fields;
mod fit;
mod fitting;
mod graph;
mod kinds;
mod lift;
mod loss;
mod measure;
mod names;
mod plan;
mod profile;
mod prune;
mod sentences;
mod skeleton;
mod source;
mod text;

use accord_json::{Exceeded, Meter};
use serde::Serialize;
use serde_json::Value;

pub(crate) use build::has_type;
pub(crate) use kinds::fingerprint;
pub use lift::{Lift, LiftError};
pub use loss::{EnforcedBy, Loss};
pub use measure::Counts;
pub use profile::{Anything, Limits, Literals, Maps, Optional, Pattern, Profile, References, Root, Tuples};
pub use skeleton::{Skeleton, skeleton};

use crate::schema::Schema;

/// A schema as a provider accepts it, and the way back.
#[derive(Debug, Clone, Serialize)]
pub struct Lowered {
    /// The schema to send.
    pub schema: Value,
    /// What turns an answer to it into an answer to the source.
    #[serde(skip)]
    pub lift: Lift,
    /// What the provider will not enforce.
    pub losses: Vec<Loss>,
    /// Why the provider cannot take this schema in its own field at all; `None` if it can.
    pub refusal: Option<String>,
    /// Optional properties and unions of the source after expansion; `None` if the schema is recursive.
    pub counts: Option<Counts>,
}

/// Lowers a schema to what a provider accepts.
pub fn lower(schema: &Schema, profile: &Profile, meter: &Meter) -> Result<Lowered, Exceeded> {
    let (mut graph, mut losses) = build::build(schema, profile, meter)?;
    let plan = plan::plan(&mut graph, profile, meter)?;
    let emitted = emit::emit(&graph, &plan.facts, profile, meter);
    meter.check()?;
    losses.extend(emitted.losses);
    loss::deduplicate(&mut losses);
    let refusal = fit::refusal(&graph, &plan, profile, &emitted.schema, emitted.too_deep);
    let lift = Lift::new(schema, graph, plan.facts, profile, emitted.wrapped);
    Ok(Lowered { schema: emitted.schema, lift, losses, refusal, counts: plan.counts })
}

#[cfg(test)]
mod tests;
