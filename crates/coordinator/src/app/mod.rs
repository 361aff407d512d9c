//! The use cases. Each is a method of [`App`], in the file of its subject; nothing here knows of HTTP.

mod agents;
mod cache;
mod catalog;
mod keys;
mod page;
mod schemas;
mod stats;

use std::sync::Arc;

use accord_store::Store;

pub use agents::agents_in;
pub(crate) use agents::{Expected, Made, Promise, hex, watch as watch_agents};
pub(crate) use catalog::{Agent, Catalog};
pub(crate) use keys::{Caller, Keys};
pub use keys::{new_key, refuse_open_bind};

use crate::outside::Outside;
use crate::settings::Settings;

/// What the use cases work with.
pub struct App {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) catalog: Catalog,
    pub(crate) outside: Arc<dyn Outside>,
    pub(crate) settings: Settings,
    pub(crate) keys: Keys,
}

impl App {
    /// An application on a store.
    pub fn new(store: Arc<dyn Store>, outside: Arc<dyn Outside>, settings: Settings) -> Self {
        let catalog = Catalog::new(Arc::clone(&store), settings.agents_dir.clone());
        let keys = Keys::new(Arc::clone(&store), Arc::clone(&outside));
        Self { store, catalog, outside, settings, keys }
    }
}
