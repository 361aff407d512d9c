//! Agents: their files, what is wrong with them, and their editing.
//!
//! A document goes through four rooms: `document` reads the text and remembers where each part stands, `kb` maps files
//! of another kind onto ours, `read` makes a blueprint of the value, and `check` looks at what types cannot say. Each
//! notes all mistakes that it finds and goes on, so that one look at the list of problems is enough.
//!
//! Absent on purpose: the store. Whether a registered schema is there is asked where an agent is used or shown.

mod check;
mod current;
mod document;
mod edit;
mod examine;
mod files;
mod finding;
#[cfg(test)]
pub(crate) mod fixture;
mod kb;
pub(crate) mod name;
pub(in crate::app) mod providers;
mod read;
mod splice;
mod stamp;
#[cfg(test)]
mod tests;
mod view;
mod watch;
mod write;
mod yaml;

pub(crate) use check::Declared;
pub(in crate::app) use document::{Document, Format};
pub(in crate::app) use examine::hash_of;
pub(crate) use examine::{Examined, Sound, examine_value, hex};
pub(in crate::app) use files::read_text;
pub(crate) use files::{FileAgent, Files, load};
pub(in crate::app) use finding::{Finding, Mark};
pub(crate) use read::plain as plain_kind;
pub use view::agents_in;
pub(crate) use view::{implicit_parameters, looked_at};
pub(crate) use watch::watch;
pub(in crate::app) use watch::watch_folder;
pub(in crate::app) use write::replace;
pub(in crate::app) use yaml::write as write_yaml;
