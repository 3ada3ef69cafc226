//! Changing texts at random.

use rand::Rng as _;
use rand_pcg::Pcg64;

/// What numbers are replaced by: ends of ranges, what is no number, and what is something else.
pub(super) const EXTREMES: [&str; 27] = [
    "0",
    "-0",
    "-0.0",
    "1",
    "-1",
    "2",
    "3",
    "0.5",
    "0.99999",
    "0.9999999999",
    "1e-320",
    "5e-324",
    "-1e-320",
    "1e99",
    "1e308",
    "-1e308",
    "1e400",
    "nan",
    "-nan",
    "inf",
    "-inf",
    "9223372036854775807",
    "18446744073709551615",
    "18446744073709551616",
    "-9223372036854775808",
    "\"\"",
    "[]",
];

/// Parts of the languages of our files, where they hurt.
const PARTS: [&str; 24] = [
    "{",
    "}",
    "[",
    "]",
    "[[",
    "]]",
    "(",
    ")",
    ",",
    ":",
    "=",
    "\"",
    "'",
    "\n",
    "\\",
    "\u{0}",
    "null",
    "true",
    "s1",
    "e",
    ".",
    "-",
    "\u{1f980}",
    "\\ud800",
];

/// A source of random changes, the same for the same seed and case.
pub(super) struct Mutator {
    rng: Pcg64,
}

impl Mutator {
    pub(super) fn new(seed: u64, case: u64) -> Self {
        Self { rng: Pcg64::new(u128::from(seed) << 64 | u128::from(case), 0xF422) }
    }

    /// A number below `n`, which is positive.
    #[allow(clippy::cast_possible_truncation)] // below n
    pub(super) fn below(&mut self, n: usize) -> usize {
        (self.rng.next_u64() % n as u64) as usize
    }

    pub(super) fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }

    /// The text after one to four changes. In half of the cases only numbers change, and often by little: a
    /// text with another structure is refused by the first parser it meets.
    pub(super) fn text(&mut self, text: &str) -> String {
        let mut text = text.to_owned();
        let kinds = if self.below(2) == 0 { 3 } else { 8 };
        for _ in 0..=self.below(4) {
            text = match self.below(kinds) {
                0..=2 => self.number(&text),
                3 => self.replace(&text, |_, _| String::new()),
                4 => self.replace(&text, |_, part| part.repeat(2)),
                5 => self.replace(&text, |m, _| m.pick(&PARTS).to_owned()),
                6 => self.replace(&text, |m, part| format!("{part}{}", m.pick(&PARTS))),
                _ => self.replace(&text, |m, _| {
                    let byte = u8::try_from(m.below(256)).unwrap_or(0);
                    char::from(byte).to_string()
                }),
            };
        }
        text
    }

    /// Another number in the place of one of the numbers.
    fn number(&mut self, text: &str) -> String {
        let is_part = |c: char| c.is_ascii_digit() || "+-.eE".contains(c);
        let mut spans: Vec<(usize, usize)> = Vec::new();
        for (i, c) in text.char_indices() {
            match spans.last_mut() {
                Some((_, end)) if is_part(c) && *end == i => *end = i + 1,
                _ if c.is_ascii_digit() || c == '-' => spans.push((i, i + 1)),
                _ => (),
            }
        }
        if spans.is_empty() {
            return text.to_owned();
        }
        let (start, end) = spans[self.below(spans.len())];
        let (from, to) = (spans[self.below(spans.len())], self.below(3));
        let other = match to {
            0 => &text[from.0..from.1], // a number from elsewhere
            1 => self.pick(&["0", "1", "2", "3", "0.25", "0.5", "0.75", "4", "-1"]),
            _ => self.pick(&EXTREMES),
        };
        format!("{}{other}{}", &text[..start], &text[end..])
    }

    /// Another text in the place of a part of up to 12 characters.
    fn replace(&mut self, text: &str, with: impl Fn(&mut Self, &str) -> String) -> String {
        let places: Vec<usize> = text.char_indices().map(|(i, _)| i).chain([text.len()]).collect();
        let from = self.below(places.len());
        let to = (from + self.below(13)).min(places.len() - 1);
        let (start, end) = (places[from], places[to]);
        format!("{}{}{}", &text[..start], with(self, &text[start..end]), &text[end..])
    }
}
