//! Pages of long lists, newest first, by cursor.

/// How many bytes a page of documents has before it ends, and the rest is on the next one.
pub const MOST_PAGE_BYTES: usize = 8 * 1024 * 1024;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageRequest {
    /// How many items it has at most; fewer if they reach [`MOST_PAGE_BYTES`].
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
