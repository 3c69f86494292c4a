//! A crate whose functions have the names that are hard to write: of closures, traits, constants and other alphabets.

pub trait Shape {
    fn area(&self, scale: u64) -> u64;
    fn name(&self) -> &'static str {
        "shape"
    }
}

pub struct Square(pub u64);
pub struct Round<const MARK: char>(pub u64);
pub struct Grid<T, const N: usize>(pub [T; N]);

impl Shape for Square {
    fn area(&self, scale: u64) -> u64 {
        (0..self.0 % 50).map(|side| side * scale).filter(|area| area % 3 != 1).sum()
    }
}

impl<const MARK: char> Shape for Round<MARK> {
    #[inline(never)]
    fn area(&self, scale: u64) -> u64 {
        let mut sum = self.0;
        for step in 0..scale % 40 {
            sum = if sum % 5 == 0 { sum / 5 + MARK as u64 } else { sum.rotate_left(3) ^ step };
        }
        sum
    }
    fn name(&self) -> &'static str {
        "round"
    }
}

impl<T: Copy + Into<u64>, const N: usize> Shape for Grid<T, N> {
    fn area(&self, scale: u64) -> u64 {
        self.0.iter().fold(0, |sum: u64, &one| sum.wrapping_mul(31) + one.into() * scale)
    }
}

impl Shape for (u32, &'static str) {
    #[inline(never)]
    fn area(&self, scale: u64) -> u64 {
        self.1.bytes().map(|byte| größe(byte as u64, scale)).sum::<u64>() + self.0 as u64
    }
}

#[inline(never)]
fn größe(x: u64, scale: u64) -> u64 {
    if x > 100 { x * scale } else { x + scale }
}

/// Inlined into other crates.
#[inline]
pub fn fold<F: Fn(u64, u64) -> u64>(count: u64, first: u64, f: F) -> u64 {
    (0..count).fold(first, |sum, i| f(sum, i))
}

pub fn all() -> Vec<Box<dyn Shape>> {
    vec![
        Box::new(Square(17)),
        Box::new(Round::<';'>(3)),
        Box::new(Round::<'\n'>(4)),
        Box::new(Round::<'"'>(5)),
        Box::new(Round::<' '>(6)),
        Box::new(Grid([3u8, 1, 4, 1, 5])),
        Box::new(Grid([2u32, 7])),
        Box::new((9, "quadratisch")),
    ]
}
