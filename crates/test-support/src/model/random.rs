//! A small generator of pseudo-random numbers (splitmix64), so that a seed always gives the same
//! choices.

#[derive(Debug, Clone)]
pub struct Random {
    state: u64,
}

impl Random {
    /// A generator for a seed. Adjacent seeds give unrelated numbers.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// A generator for several numbers that belong together, such as a seed and an ordinal.
    pub fn keyed(keys: &[u64]) -> Self {
        let mut random = Self::new(0);
        for key in keys {
            random.state = random.number() ^ *key;
        }
        random
    }

    pub fn number(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below a bound; zero when the bound is zero.
    pub fn below(&mut self, bound: usize) -> usize {
        let number = self.number();
        let bound = u64::try_from(bound).unwrap_or(u64::MAX).max(1);
        usize::try_from(number % bound).unwrap_or_default()
    }

    /// True with a probability of `share` percent.
    pub fn percent(&mut self, share: u8) -> bool {
        self.below(100) < usize::from(share)
    }

    /// One of the choices; `None` if there are no choices.
    pub fn pick<'a, T>(&mut self, choices: &'a [T]) -> Option<&'a T> {
        let at = self.below(choices.len());
        choices.get(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_decides_the_numbers() {
        let numbers = |seed| {
            let mut random = Random::new(seed);
            [random.number(), random.number()]
        };
        // The first two numbers of the published algorithm for seed 1234567.
        assert_eq!(numbers(1_234_567), [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]);
        assert_ne!(numbers(1), numbers(2));
    }

    #[test]
    fn every_key_and_their_order_matter() {
        let first = |keys: &[u64]| Random::keyed(keys).number();
        assert_eq!(first(&[1, 2]), first(&[1, 2]));
        assert_ne!(first(&[1, 2]), first(&[2, 1]));
        assert_ne!(first(&[1, 2]), first(&[1, 3]));
    }

    #[test]
    fn bounds_hold() {
        let mut random = Random::new(7);
        assert!((0..1000).all(|_| random.below(3) < 3));
        assert_eq!(random.below(0), 0);
        assert_eq!(random.pick::<u8>(&[]), None);
        assert!(!random.percent(0) && random.percent(100));
    }
}
