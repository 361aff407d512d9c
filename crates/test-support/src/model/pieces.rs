//! Cuts a body into chunks at arbitrary positions, to expose clients that decode each chunk as if
//! it ended at a line or character boundary.

use axum::body::Bytes;

use super::random::Random;

/// Approximate number of chunks. More would cost a system call each and reveal nothing new.
const PIECES: usize = 48;

/// The minimum average length of a chunk, so that a short body has few.
const SHORTEST_AVERAGE: usize = 5;

/// How many multi-byte characters are split.
const SPLIT_CHARACTERS: usize = 16;

/// How many bytes are searched for such characters.
const LOOKED_AT: usize = 64 * 1024;

/// Cuts a body at random positions and in the middle of its first multi-byte characters.
pub(super) fn cut(body: Vec<u8>, seed: u64) -> Vec<Bytes> {
    let mut random = Random::new(seed);
    let average = (body.len() / PIECES).max(SHORTEST_AVERAGE);
    let mut cuts: Vec<usize> = body
        .iter()
        .enumerate()
        .take(LOOKED_AT)
        .filter(|(_, byte)| **byte >= 0b1100_0000)
        .take(SPLIT_CHARACTERS)
        .map(|(at, _)| at + 1)
        .collect();
    let mut at = 0;
    while at < body.len() {
        at += 1 + random.below(2 * average);
        cuts.push(at.min(body.len()));
    }
    cuts.sort_unstable();
    cuts.dedup();
    let body = Bytes::from(body);
    let mut from = 0;
    let piece = |to: usize| {
        let piece = body.slice(from..to);
        from = to;
        piece
    };
    cuts.into_iter().map(piece).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_add_up_to_the_body_and_split_characters() {
        let body = "data: \u{1f600} stra\u{df}e \u{1f600}\n\n".repeat(20).into_bytes();
        let pieces = cut(body.clone(), 3);
        assert_eq!(pieces.concat(), body);
        assert!(pieces.iter().all(|piece| !piece.is_empty()));
        let broken = pieces.iter().filter(|piece| std::str::from_utf8(piece).is_err()).count();
        assert!(broken >= SPLIT_CHARACTERS, "{broken}");
    }

    #[test]
    fn a_large_body_has_no_more_pieces_than_a_small_one() {
        assert!(cut(vec![b'a'; 1 << 20], 1).len() < 3 * PIECES);
        assert_eq!(cut(Vec::new(), 1), [] as [Bytes; 0]);
    }
}
