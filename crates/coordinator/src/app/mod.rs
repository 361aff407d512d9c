//! The use cases. Each is a method of [`App`], in the file of its subject; nothing here knows of HTTP.

mod catalog;

use std::sync::Arc;

use accord_store::Store;

pub(crate) use catalog::{Agent, Catalog};

use crate::outside::Outside;
use crate::settings::Settings;

/// What the use cases work with.
pub struct App {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) catalog: Catalog,
    pub(crate) outside: Arc<dyn Outside>,
    pub(crate) settings: Settings,
}

impl App {
    /// An application on a store.
    pub fn new(store: Arc<dyn Store>, outside: Arc<dyn Outside>, settings: Settings) -> Self {
        let catalog = Catalog::new(Arc::clone(&store));
        Self { store, catalog, outside, settings }
    }
}
