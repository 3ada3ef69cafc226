//! The few columns that a linear program tries before all others.

use std::collections::HashSet;

use super::columns::Columns;

/// The most columns kept, and the most that one look at all columns adds.
const MOST: usize = 1024;
const MOST_ADDED: usize = 128;

/// Copies of columns that were of use lately. The oldest make room for new ones.
#[derive(Debug, Default)]
pub(super) struct Near {
    /// Their identifiers are their numbers among all columns.
    columns: Option<Columns>,
    members: HashSet<usize>,
    /// The place of the next column once there are as many as may be.
    oldest: usize,
    scratch: Vec<f64>,
}

impl Near {
    pub(super) fn clear(&mut self) {
        self.columns = None;
        self.members.clear();
        self.oldest = 0;
    }

    /// The number of the one that is best at `belief`, and its value there.
    pub(super) fn best(&mut self, belief: &[f64]) -> Option<(usize, f64)> {
        let columns = self.columns.as_ref()?;
        let (k, value) = columns.best(belief, &mut self.scratch);
        Some((*columns.ids.get(k)?, value))
    }

    /// Adds the best of the columns of `set` whose values at some belief are above `least`.
    pub(super) fn add(&mut self, set: &Columns, values: &[f64], least: f64) {
        let mut good: Vec<usize> = (0..values.len()).filter(|&i| values[i] > least).collect();
        if good.len() > MOST_ADDED {
            let best_first =
                |&i: &usize, &j: &usize| values[j].total_cmp(&values[i]).then(i.cmp(&j));
            good.select_nth_unstable_by(MOST_ADDED, best_first);
            good.truncate(MOST_ADDED);
        }
        let columns = self.columns.get_or_insert_with(|| Columns::new(set.dim()));
        for i in good {
            if !self.members.insert(i) {
                continue;
            }
            if columns.len() < MOST {
                columns.push(i, &set.column(i));
            } else {
                let place = self.oldest;
                self.members.remove(&columns.ids[place]);
                columns.ids[place] = i;
                columns.set(place, &set.column(i));
                self.oldest = (place + 1) % MOST;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_are_added_and_the_oldest_give_way() {
        let mut set = Columns::new(1);
        for i in 0..5000_u32 {
            set.push(0, &[f64::from(i)]);
        }
        let mut near = Near::default();
        assert_eq!(near.best(&[1.0]), None);
        let values: Vec<f64> = (0..5000).map(f64::from).collect();
        near.add(&set, &values, 4990.0);
        assert_eq!(near.members, (4991..5000).collect());
        assert_eq!(near.best(&[1.0]), Some((4999, 4999.0)));
        near.add(&set, &values, f64::MIN);
        assert_eq!(near.members, (4872..5000).collect());
        for top in (0..40).map(|k| 100 * k) {
            near.add(&set, &values[..top], f64::MIN);
        }
        let columns = near.columns.as_ref().unwrap();
        assert_eq!((columns.len(), near.members.len()), (MOST, MOST));
        assert!((0..MOST).all(|k| columns.column(k) == [columns.ids[k] as f64]));
        assert_eq!(near.best(&[1.0]), Some((3899, 3899.0)));
        near.clear();
        assert_eq!(near.best(&[1.0]), None);
    }
}
