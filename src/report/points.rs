//! The points of a polyline: fewer of them, and only those inside the frame.

/// A place, in the data's units or in pixels.
pub(super) type Point = (f64, f64);

/// More points than this on a curve cannot be seen, but make files large.
pub(super) const MOST: usize = 1000;

/// At most `most` of the points (never fewer than four): the ends, and the lowest and highest of
/// each stretch between. So peaks stay where they are and as high as they are.
pub(super) fn thin(x: &[f64], y: &[f64], most: usize) -> Vec<Point> {
    let n = x.len().min(y.len());
    let most = most.max(4);
    if n <= most {
        return x.iter().copied().zip(y.iter().copied()).collect();
    }
    let stretches = (most - 2) / 2;
    let start = |stretch: usize| 1 + stretch * (n - 2) / stretches;
    let mut kept = vec![0];
    for stretch in 0..stretches {
        let range = start(stretch)..start(stretch + 1);
        let lowest = range.clone().reduce(|a, b| if y[b] < y[a] { b } else { a });
        let highest = range.reduce(|a, b| if y[b] > y[a] { b } else { a });
        kept.extend(lowest.min(highest));
        kept.extend(lowest.max(highest));
    }
    kept.push(n - 1);
    kept.dedup();
    kept.into_iter().map(|i| (x[i], y[i])).collect()
}

/// The polyline with a further point wherever it crosses the height `low` or `high`.
fn crossed(points: &[Point], low: f64, high: f64) -> Vec<Point> {
    let mut all: Vec<Point> = points.first().copied().into_iter().collect();
    for pair in points.windows(2) {
        let [(x0, y0), (x1, y1)] = [pair[0], pair[1]];
        let crossing = |height: f64| {
            let between = (y0 < height && height < y1) || (y1 < height && height < y0);
            between.then(|| (x0 + (height - y0) / (y1 - y0) * (x1 - x0), height))
        };
        let (first, second) = if y0 < y1 { (low, high) } else { (high, low) };
        all.extend(crossing(first));
        all.extend(crossing(second));
        all.push((x1, y1));
    }
    all
}

/// The pieces of a polyline between two heights.
pub(super) fn inside(points: &[Point], low: f64, high: f64) -> Vec<Vec<Point>> {
    let within = |point: &Point| (low..=high).contains(&point.1);
    crossed(points, low, high)
        .chunk_by(|a, b| within(a) && within(b))
        .filter(|piece| piece.iter().all(within))
        .map(<[Point]>::to_vec)
        .collect()
}

/// A polyline with what is below `low` or above `high` moved there: an edge of a clipped band.
pub(super) fn clamped(points: &[Point], low: f64, high: f64) -> Vec<Point> {
    crossed(points, low, high).into_iter().map(|(x, y)| (x, y.clamp(low, high))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinning_keeps_the_ends_and_the_peaks() {
        let x: Vec<f64> = (0..5000).map(f64::from).collect();
        let mut y: Vec<f64> = x.iter().map(|x| (x / 400.0).sin()).collect();
        (y[1234], y[1235]) = (9.0, -9.0);
        let kept = thin(&x, &y, MOST);
        assert!(kept.len() <= MOST, "{}", kept.len());
        assert!(kept.windows(2).all(|pair| pair[0].0 < pair[1].0));
        for i in [0, 1234, 1235, 4999] {
            assert!(kept.contains(&(x[i], y[i])), "{i}");
        }
        assert_eq!(thin(&x[..1000], &y[..1000], MOST).len(), 1000);
    }

    #[test]
    fn a_flat_curve_stays_one() {
        let x: Vec<f64> = (0..2001).map(f64::from).collect();
        let kept = thin(&x, &[1.0; 2001], MOST);
        assert_eq!((kept.first(), kept.last()), (Some(&(0.0, 1.0)), Some(&(2000.0, 1.0))));
    }

    #[test]
    fn clipping_cuts_at_the_heights() {
        let zigzag = [(0.0, -1.0), (1.0, 1.0), (2.0, 3.0), (3.0, 1.0)];
        let pieces = inside(&zigzag, 0.0, 2.0);
        assert_eq!(
            pieces,
            [vec![(0.5, 0.0), (1.0, 1.0), (1.5, 2.0)], vec![(2.5, 2.0), (3.0, 1.0)]]
        );
        let edge = clamped(&zigzag[..2], 0.0, 2.0);
        assert_eq!(edge, [(0.0, 0.0), (0.5, 0.0), (1.0, 1.0)]);
        assert_eq!(inside(&[(0.0, -1.0), (1.0, 4.0)], 0.0, 2.0).len(), 1);
        assert!(inside(&[(0.0, 5.0)], 0.0, 2.0).is_empty());
    }
}
