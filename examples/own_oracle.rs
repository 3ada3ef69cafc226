//! An oracle of one's own, random shooting: `cargo run --example own_oracle`.

use rand::RngExt;
use rand_pcg::Pcg64;
use sporadic::features::TabularPsi;
use sporadic::model::gallery;
use sporadic::oracles::{Choice, FeatureObjective, OracleError, SequenceObjective, SequenceOracle};
use sporadic::sequence::ActionSequence;

struct RandomShooting {
    tries: usize,
    seed: u128,
}

impl SequenceOracle<f64> for RandomShooting {
    fn maximize(&mut self, k: &mut dyn SequenceObjective<f64>) -> Result<Choice<f64>, OracleError> {
        let (m, mut rng) = (k.num_actions(), Pcg64::new(self.seed, 0));
        let mut word = |n| (0..n).map(|_| rng.random_range(0..m)).collect::<Vec<_>>();
        let shots: Vec<_> =
            (0..self.tries).map(|_| ActionSequence::new(word(4), word(6))).collect();
        let values = k.values(&shots);
        // `reduce` keeps the first of equals.
        let best = (0..shots.len()).reduce(|i, j| if values[j] > values[i] { j } else { i });
        let i = best.ok_or(OracleError::EmptyFamily)?;
        let upper_bound = k.upper_bound(&[]).max(values[i]);
        let (sequence, value) = (shots[i].clone(), values[i]);
        Ok(Choice { sequence, value, upper_bound, evaluated: self.tries })
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let psi = TabularPsi::new(gallery::river_balance::<f64>(6, 0.2, 0.99)?);
    let mut k = FeatureObjective::planning(&psi, 0, &[55.0; 6])?;
    println!("{}", RandomShooting { tries: 1000, seed: 1 }.maximize(&mut k)?);
    Ok(())
}
