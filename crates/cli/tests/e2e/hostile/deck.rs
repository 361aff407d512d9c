//! Deals shapes to places.

use std::collections::BTreeMap;

use accord_test_support::hostile::{Shape, conditions, json_texts, schemas, templates, values};

use super::{quoted, seed};

/// How many members of each family a place gets. Zero is a sample: a few shapes for each place, of one family after the other.
fn rounds() -> usize {
    match std::env::var("HOSTILE_ROUNDS").as_deref() {
        Ok("all") => usize::MAX,
        Ok(rounds) => rounds.parse().unwrap(),
        Err(_) => 0,
    }
}

/// How many shapes a place gets in a sample.
const SAMPLE: usize = 2;

/// One in this many files of a project is in a sample.
const FILES: usize = 4;

/// Which files of a project are used, by their numbers.
pub(super) fn files() -> impl Fn(usize) -> bool {
    let (is_sample, first) = (rounds() == 0, usize::try_from(seed()).unwrap() % FILES);
    move |number| !is_sample || number % FILES == first
}

/// The members of one family, and how many of them were dealt.
struct Family {
    shapes: Vec<Shape>,
    first: usize,
    dealt: usize,
}

impl Family {
    fn next(&mut self) -> Shape {
        let shape = self.shapes[(self.first + self.dealt) % self.shapes.len()].clone();
        self.dealt += 1;
        shape
    }
}

/// Up to so many places get every family each.
const FEW: usize = 3;

pub(super) struct Deck {
    families: Vec<Family>,
    turn: usize,
    rounds: usize,
}

impl Deck {
    pub(super) fn new(shapes: Vec<Shape>) -> Self {
        Self::dealing(shapes, rounds())
    }

    fn dealing(shapes: Vec<Shape>, rounds: usize) -> Self {
        let mut families: BTreeMap<&str, Vec<Shape>> = BTreeMap::new();
        for shape in shapes {
            families.entry(shape.family).or_default().push(shape);
        }
        let first = usize::try_from(seed() % 1_000_000).unwrap();
        let families =
            families.into_values().map(|shapes| Family { shapes, first, dealt: 0 }).collect::<Vec<_>>();
        Self { turn: first % families.len(), families, rounds }
    }

    /// The shapes of one place: one of each family.
    pub(super) fn of_each(&mut self) -> Vec<Shape> {
        if self.rounds == 0 {
            return (0..SAMPLE).map(|_| self.next()).collect();
        }
        let rounds = self.rounds;
        let several = |family: &mut Family| -> Vec<Shape> {
            (0..rounds.min(family.shapes.len())).map(|_| family.next()).collect()
        };
        self.families.iter_mut().flat_map(several).collect()
    }

    /// The next shape of the next family.
    pub(super) fn next(&mut self) -> Shape {
        let family = self.turn % self.families.len();
        self.turn += 1;
        self.families[family].next()
    }

    /// The shapes of several places that are alike: at least one for each place, and one of each family among them.
    pub(super) fn among<T: Clone>(&mut self, places: &[T]) -> Vec<(T, Shape)> {
        if places.is_empty() {
            return Vec::new();
        }
        if self.rounds == usize::MAX {
            let all = |place: &T| {
                self.of_each().into_iter().map(|shape| (place.clone(), shape)).collect::<Vec<_>>()
            };
            return places.iter().flat_map(all).collect();
        }
        let count = match self.rounds {
            0 => places.len(),
            rounds => places.len().max(self.families.len()).saturating_mul(rounds),
        };
        places.iter().cycle().take(count).map(|place| (place.clone(), self.next())).collect()
    }

    /// The shapes of several places that take the same: one of each family for each place if they are few, else a few of
    /// each family among them.
    pub(super) fn for_all<T: Clone>(&mut self, places: &[T]) -> Vec<(T, Shape)> {
        if places.len() <= FEW {
            let each = |place: &T| {
                self.of_each().into_iter().map(|shape| (place.clone(), shape)).collect::<Vec<_>>()
            };
            return places.iter().flat_map(each).collect();
        }
        let times = if [0, usize::MAX].contains(&self.rounds) { 1 } else { FEW };
        (0..times).flat_map(|_| self.among(places)).collect()
    }

    /// What no place got so far. A sample leaves it out.
    pub(super) fn rest(&mut self) -> Vec<Shape> {
        if self.rounds == 0 {
            return Vec::new();
        }
        let left = |family: &mut Family| -> Vec<Shape> {
            (family.dealt..family.shapes.len()).map(|_| family.next()).collect()
        };
        self.families.iter_mut().flat_map(left).collect()
    }
}

/// For fields that take any JSON, as JSON. Those that nearly fill a request are in [`large`].
pub(super) fn for_any() -> Deck {
    Deck::new([schemas(seed()), values(), small()].concat())
}

/// JSON that does not fill a request, unless everything is to be sent everywhere.
pub(super) fn small() -> Vec<Shape> {
    let is_sent = |shape: &Shape| !shape.is_large || rounds() == usize::MAX;
    json_texts(seed()).into_iter().filter(is_sent).collect()
}

/// JSON that nearly fills a request: it takes seconds to read.
pub(super) fn large() -> Deck {
    Deck::new(json_texts(seed()).into_iter().filter(|shape| shape.is_large).collect())
}

/// For fields of another type than the shape, as JSON.
pub(super) fn for_typed() -> Deck {
    Deck::new(values())
}

/// For strings, as JSON.
pub(super) fn for_strings() -> Deck {
    let texts = [templates(), conditions()].concat().into_iter().map(|shape| shape.map(|text| quoted(&text)));
    Deck::new(texts.chain(values()).collect())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn shapes() -> Vec<Shape> {
        [schemas(1), templates(), values()].concat()
    }

    #[test]
    fn every_place_gets_every_family_and_every_shape_is_used() {
        let families: HashSet<&str> = shapes().iter().map(|shape| shape.family).collect();
        let mut deck = Deck::dealing(shapes(), 1);
        let mut used = HashSet::new();
        for place in 0..20 {
            let dealt = if place % 2 == 0 {
                deck.of_each()
            } else {
                deck.among(&[0, 1, 2]).into_iter().map(|(_, shape)| shape).collect()
            };
            assert_eq!(dealt.iter().map(|shape| shape.family).collect::<HashSet<_>>(), families);
            used.extend(dealt.into_iter().map(|shape| shape.name));
        }
        used.extend(deck.rest().into_iter().map(|shape| shape.name));
        assert_eq!(used.len(), shapes().len());
    }

    #[test]
    fn all_rounds_are_the_full_product() {
        let mut deck = Deck::dealing(shapes(), usize::MAX);
        assert_eq!(deck.of_each().len(), shapes().len());
        assert_eq!(deck.among(&[0, 1]).len(), 2 * shapes().len());
    }
}
