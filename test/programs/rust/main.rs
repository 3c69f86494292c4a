use std::collections::{BTreeMap, HashMap};

#[inline(never)]
fn count_words(text: &str) -> BTreeMap<&str, u64> {
    let mut counts = HashMap::new();
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        *counts.entry(word).or_insert(0u64) += 1;
    }
    counts.into_iter().collect()
}

#[inline(never)]
fn recursive(n: u64, seen: &mut Vec<u64>) -> u64 {
    seen.push(n);
    if n < 2 { 1 } else { recursive(n / 2, seen) + recursive(n / 3, seen) }
}

fn main() {
    let times: u64 = std::env::args().nth(1).and_then(|word| word.parse().ok()).unwrap_or(2000);
    let shapes = shapes::all();
    let mut sum = 1u64;
    for i in 0..times {
        for shape in &shapes {
            sum = shapes::fold(3, sum, |a, b| a.rotate_left(7).wrapping_add(shape.area(i + b)));
            sum += shape.name().len() as u64;
        }
    }
    let text = "the quick brown fox jumps over the lazy dog and runs away, away; ".repeat(1 + times as usize / 50);
    let words = count_words(&text);
    sum ^= words.values().sum::<u64>() + recursive(times, &mut Vec::new());
    let caught = std::panic::catch_unwind(|| if sum % 2 == 7 { panic!() } else { sum });
    println!("{:?} {}", caught.ok(), words.len());
}
