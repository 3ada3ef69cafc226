//! Text in pictures and pages: its width, and the characters that markup reserves.

/// The text without control characters, which XML does not allow, and on one line.
pub(super) fn clean(text: &str) -> String {
    let allowed = |c: char| !c.is_control() && c != '\u{FFFE}' && c != '\u{FFFF}';
    text.chars().map(|c| if allowed(c) { c } else { ' ' }).collect()
}

/// The text as it is written in HTML and XML, in elements and in quoted attributes.
pub(super) fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\n' | '\t' => safe.push(c),
            c if c.is_control() => safe.push(' '),
            c => safe.push(c),
        }
    }
    safe
}

/// About how wide the text is, in a font of this size. Which font it will be nobody knows; DejaVu
/// and Verdana, which come first, are among the widest.
pub(super) fn width(text: &str, size: f64) -> f64 {
    let advance = |c: char| match c {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | ' ' | 'I' => 0.32,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '-' | '/' => 0.40,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 0.97,
        '=' | '+' | '\u{2212}' | '<' | '>' | '~' => 0.84,
        c if c.is_uppercase() => 0.70,
        c if c.is_ascii() || c.is_lowercase() => 0.62,
        _ => 1.0,
    };
    size * text.chars().map(advance).sum::<f64>()
}

/// The text, cut short with an ellipsis if it is wider than `room`.
pub(super) fn fit(text: &str, size: f64, room: f64) -> String {
    let text = clean(text);
    if width(&text, size) <= room {
        return text;
    }
    let mut short = text;
    while !short.is_empty() && width(&short, size) + size > room {
        short.pop();
    }
    short.truncate(short.trim_end().len());
    short + "…"
}

/// Moves heights apart until no two are closer than `gap`, each as little as possible, all within
/// `low` and `high`; closer than `gap` only if there is no room for all. Answers in their order.
pub(super) fn spread(wanted: &[f64], gap: f64, low: f64, high: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|&a, &b| wanted[a].total_cmp(&wanted[b]));
    let gap = gap.min((high - low) / wanted.len().max(2).saturating_sub(1) as f64);
    // Neighbours that touch form a block, centred where its members would like it on average.
    let mut blocks: Vec<(f64, usize)> = Vec::new();
    let top = |&(centre, members): &(f64, usize)| {
        let height = gap * members.saturating_sub(1) as f64;
        (centre - height / 2.0).clamp(low, (high - height).max(low))
    };
    for &i in &order {
        let mut block = (wanted[i], 1);
        while let Some(last) = blocks.pop() {
            if top(&last) + gap * last.1 as f64 <= top(&block) {
                blocks.push(last);
                break;
            }
            let members = last.1 + block.1;
            let sum = last.0 * last.1 as f64 + block.0 * block.1 as f64;
            block = (sum / members as f64, members);
        }
        blocks.push(block);
    }
    let places = blocks.iter().flat_map(|block| {
        let first = top(block);
        (0..block.1).map(move |k| first + gap * k as f64)
    });
    let mut placed = vec![0.0; wanted.len()];
    for (&i, place) in order.iter().zip(places) {
        placed[i] = place;
    }
    placed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_escaped_and_control_characters_go() {
        assert_eq!(escape("a<b & \"c\" 'd'\u{1}"), "a&lt;b &amp; &quot;c&quot; &#39;d&#39; ");
        assert_eq!(clean("two\nlines\u{0}"), "two lines ");
    }

    #[test]
    fn long_text_is_cut() {
        assert_eq!(fit("short", 10.0, 100.0), "short");
        let cut = fit("a label that is far too long", 10.0, 60.0);
        assert!(cut.ends_with('…') && width(&cut, 10.0) <= 60.0, "{cut}");
    }

    #[test]
    fn labels_move_apart_and_stay_inside() {
        assert_eq!(spread(&[50.0, 10.0], 10.0, 0.0, 100.0), [50.0, 10.0]);
        assert_eq!(spread(&[50.0, 50.0], 10.0, 0.0, 100.0), [45.0, 55.0]);
        assert_eq!(spread(&[99.0, 97.0, 98.0], 10.0, 0.0, 100.0), [100.0, 80.0, 90.0]);
        assert_eq!(spread(&[0.0; 5], 100.0, 0.0, 100.0), [0.0, 25.0, 50.0, 75.0, 100.0]);
        assert!(spread(&[], 10.0, 0.0, 100.0).is_empty());
    }
}
