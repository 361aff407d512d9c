//! Where damaged containers end.

use super::{QUOTES, quote_at};

/// The search for the ends of damaged containers, from the first to the last.
pub(crate) struct Ends<'a> {
    bytes: &'a [u8],
    /// The kinds of quotes that close nowhere any more. To look for each once keeps the search linear.
    unclosed: [bool; QUOTES.len()],
    /// The brackets in a string did not come in pairs, so that they say nothing any more.
    unpaired: bool,
}

impl<'a> Ends<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, unclosed: [false; QUOTES.len()], unpaired: false }
    }

    /// The byte behind the container that begins at a place.
    pub(crate) fn end(&mut self, start: usize) -> Option<usize> {
        let mut open = Open::default();
        let mut token_may_begin = false;
        let mut at = start;
        while let Some(byte) = self.bytes.get(at) {
            let string = if token_may_begin { self.string(at) } else { None };
            if let Some(behind) = string.or_else(|| self.comment(at)) {
                at = behind;
                continue;
            }
            open.pass(*byte);
            at += 1;
            if open.brackets.is_empty() {
                return Some(at);
            }
            token_may_begin = match byte {
                b'{' | b'[' | b'}' | b']' | b',' | b':' | b'\n' => true,
                _ => token_may_begin && byte.is_ascii_whitespace(),
            };
        }
        None
    }

    /// The byte behind the comment that begins here. One that never ends takes the rest of the text.
    fn comment(&self, at: usize) -> Option<usize> {
        let before = at.checked_sub(1).and_then(|before| self.bytes.get(before))?;
        if !before.is_ascii_whitespace() && !matches!(before, b'{' | b'[' | b'}' | b']' | b',') {
            return None;
        }
        let rest = self.bytes.get(at..)?;
        let length = if rest.starts_with(b"//") || rest.starts_with(b"# ") {
            rest.iter().position(|byte| *byte == b'\n')
        } else if rest.starts_with(b"/*") {
            rest.windows(2).skip(2).position(|pair| pair == b"*/").map(|inside| inside + 4)
        } else {
            return None;
        };
        Some(length.map_or(self.bytes.len(), |length| at + length))
    }

    /// The byte behind the string that begins here: behind a mark that closes it and is followed as a string is. A mark
    /// between brackets that the string opens is one of what it quotes, if they close again.
    fn string(&mut self, at: usize) -> Option<usize> {
        let (kind, length) = quote_at(self.bytes.get(at..)?)?;
        let closers = QUOTES
            .get(kind)
            .map(|(_, closers)| *closers)
            .filter(|_| self.unclosed.get(kind) == Some(&false))?;
        let mut inside = at + length;
        let mut brackets = 0_usize;
        let mut first = None;
        while let Some(byte) = self.bytes.get(inside) {
            let rest = self.bytes.get(inside..).unwrap_or_default();
            let mark = closers.iter().find(|mark| rest.starts_with(mark.as_bytes()));
            inside += match mark {
                Some(mark) => mark.len(),
                None if *byte == b'\\' => 2,
                None => 1,
            };
            match byte {
                b'{' | b'[' => brackets += 1,
                b'}' | b']' => brackets = brackets.saturating_sub(1),
                _ if mark.is_some() && self.is_followed_as_a_string(inside) => {
                    if brackets == 0 || self.unpaired {
                        return Some(inside);
                    }
                    first = first.or(Some(inside));
                }
                _ => {}
            }
        }
        match first {
            Some(_) => self.unpaired = true,
            None => *self.unclosed.get_mut(kind)? = true,
        }
        first
    }

    fn is_followed_as_a_string(&self, behind: usize) -> bool {
        let rest = self.bytes.get(behind..).unwrap_or_default().trim_ascii_start();
        matches!(rest.first(), None | Some(b',' | b':' | b'}' | b']'))
    }
}

/// The brackets that are open.
#[derive(Default)]
struct Open {
    brackets: Vec<u8>,
    braces: usize,
}

impl Open {
    /// A closing bracket closes all that was opened behind its own and left open; without its own it is a stray.
    fn pass(&mut self, byte: u8) {
        let (opener, count) = match byte {
            b'{' | b'[' => {
                self.braces += usize::from(byte == b'{');
                return self.brackets.push(byte);
            }
            b'}' => (b'{', self.braces),
            b']' => (b'[', self.brackets.len() - self.braces),
            _ => return,
        };
        while let Some(closed) = self.brackets.pop_if(|_| count > 0) {
            self.braces -= usize::from(closed == b'{');
            if closed == opener {
                return;
            }
        }
    }
}
