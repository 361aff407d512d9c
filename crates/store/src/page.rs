//! Pages of long lists, newest first, by cursor.

/// Which page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageRequest {
    /// Maximum number to return.
    pub limit: u32,
    /// After this one: the `next` of the page before.
    pub cursor: Option<String>,
}

/// One page.
#[derive(Debug, Clone, PartialEq)]
pub struct Page<T> {
    /// What is on it.
    pub items: Vec<T>,
    /// The cursor of the page after it, if there is one. Opaque to everybody but the store.
    pub next: Option<String>,
}
