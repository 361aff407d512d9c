//! What is rendered, as far as it may go.

use std::io;

use crate::limits::MAX_RENDERED_BYTES;

/// A text that refuses to grow beyond its bound, so that a rendering ends there and not when the memory does.
#[derive(Debug, Default)]
pub(super) struct Bounded {
    bytes: Vec<u8>,
    full: bool,
}

impl Bounded {
    /// The text; none where there was more of it.
    pub(super) fn into_text(self) -> Option<String> {
        if self.full { None } else { String::from_utf8(self.bytes).ok() }
    }
}

impl io::Write for Bounded {
    fn write(&mut self, more: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + more.len() > MAX_RENDERED_BYTES {
            self.full = true;
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.bytes.extend_from_slice(more);
        Ok(more.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
