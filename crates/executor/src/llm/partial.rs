//! The new part of a growing answer.

use super::wire::PartialText;

/// How much of an answer was reported.
#[derive(Debug, Default)]
pub(super) struct Partial {
    part: Option<u64>,
    told: usize,
}

impl Partial {
    /// Reports the new part of a growing text, as far as there is room; the rest is reported with the next part.
    pub(super) fn tell(&mut self, growing: Option<PartialText<'_>>, tell: impl FnOnce(String) -> bool) {
        let Some(PartialText { part, text }) = growing else { return };
        if self.part != Some(part) {
            *self = Self { part: Some(part), told: 0 };
        }
        // A part that is whole may be kept elsewhere by the reader, and is empty then.
        let Some(new) = text.get(self.told..).filter(|new| !new.is_empty()) else { return };
        if tell(new.to_owned()) {
            self.told = text.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_character_is_reported_once() {
        let mut partial = Partial::default();
        let mut told = Vec::new();
        for (part, text, has_room) in [
            (0, "", true),
            (0, "Hé", true),
            (0, "Hél", false),
            (0, "Héllo", true),
            (0, "Héllo", true),
            (1, "{", true),
            (1, "", true),
            (1, "{}", true),
        ] {
            partial.tell(Some(PartialText { part, text }), |new| {
                told.extend(has_room.then_some(new));
                has_room
            });
        }
        partial.tell(None, |_| panic!("there is nothing"));
        assert_eq!(told, ["Hé", "llo", "{", "}"]);
    }
}
