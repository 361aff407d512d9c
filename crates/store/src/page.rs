//! Pages of long lists, newest first, by cursor.

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageRequest {
    pub limit: u32,
    /// After this one: the `next` of the page before.
    pub cursor: Option<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Page<T> {
    pub items: Vec<T>,
    /// The cursor of the page after it, if there is one. Opaque to everybody but the store.
    pub next: Option<String>,
}
