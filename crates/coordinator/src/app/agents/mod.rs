//! Agents: their editing and their views.

mod edit;
#[cfg(test)]
pub(crate) mod fixture;
#[cfg(test)]
mod tests;
mod view;

pub(crate) use view::schema_report;
