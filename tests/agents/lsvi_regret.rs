//! The regret theorem and the lemmas of its proof, where they say a number.

use crate::common::learners::small;
use nalgebra::{DMatrix, DVector};
use sporadic::agents::{
    Agent, Candidates, EpsilonGreedy, LsviUcbParams, RegretBound, Replanning, Resume, Segment,
    TabularLsviUcb,
};
use sporadic::belief::AugmentedState;
use sporadic::features::{SequenceFeatures, TabularPsi};
use sporadic::model::{Action, Tabular, gallery};
use sporadic::planning::{Segments, class_optimum, sequence_values};
use sporadic::sequence::ActionSequence;
use sporadic::simulation::{Observer, Simulation, Streams};

/// psi of every state and candidate, in 2d dimensions: column `s * m + j`.
fn features(model: &Tabular<f64>, family: &[ActionSequence]) -> DMatrix<f64> {
    let psi = TabularPsi::new(model.clone());
    let batches: Vec<_> = (0..model.num_states()).map(|s| psi.batch(&s, family)).collect();
    let columns: Vec<_> = batches.iter().flat_map(|batch| batch.column_iter()).collect();
    DMatrix::from_columns(&columns)
}

/// R(s, a) and T(s, a, .) of every state and candidate, in the same order.
fn kernel(model: &Tabular<f64>, family: &[ActionSequence]) -> Vec<(f64, Vec<f64>)> {
    let mut segments = Segments::new(model);
    let mut rows = Vec::new();
    for s in 0..model.num_states() {
        for seq in family {
            let (reward, next) = segments.segment(s, seq).unwrap();
            rows.push((reward, next.to_vec()));
        }
    }
    rows
}

fn expect(next: &[f64], values: &[f64]) -> f64 {
    next.iter().zip(values).map(|(p, v)| p * v).sum()
}

/// What a history amounts to, by (state, first action): how often, the sum of min {R, H}, and how often each
/// state came next.
struct Counts {
    horizon: f64,
    rows: Vec<(f64, f64, Vec<f64>)>,
}

impl Observer<usize, f64> for Counts {
    fn segment(&mut self, _episode: u64, segment: &Segment<usize, f64>) {
        let (count, reward, next) = &mut self.rows[2 * segment.start() + segment.actions()[0]];
        *count += 1.0;
        *reward += segment.reward().min(self.horizon);
        if let Some(&s) = segment.next() {
            next[s] += 1.0;
        }
    }
}

/// `RiverSwim` with two states and rewards of at most .4, so that V* is far below 1/(1 - gamma).
fn poor_river(gamma: f64) -> Tabular<f64> {
    let rich = gallery::river_swim::<f64>(2, 0.5, gamma).unwrap();
    let builder = (0..2).fold(Tabular::builder(gamma), |builder, a| {
        let rewards: Vec<_> = (0..2).map(|s| 0.4 * rich.reward(s, a)).collect();
        let rows: Vec<Vec<_>> = (0..2).map(|s| rich.row(s, a).collect()).collect();
        builder.sparse_action(a.to_string(), 0.5, rewards, rows)
    });
    builder.build().unwrap()
}

/// Optimism with the theorem's own rho, where the clip is not what makes it true.
///
/// gamma is small and there are so many episodes that the bonus has fallen well below 1/(1 - gamma). The agent's
/// values are recomputed from the counts of the history, and K_u(s, a) is then compared with K* for every u, s
/// and candidate a (Lemma "UCB" with epsilon = 0); and what Lemma B.4 says of its error is checked as well.
#[test]
fn optimism_with_the_theorem_s_bonus() {
    let (gamma, episodes) = (0.2, 2_000_000);
    let model = poor_river(gamma);
    let family: Vec<_> = [0, 1].map(ActionSequence::constant).to_vec();
    let theory = LsviUcbParams::theory(episodes, 0.05, 1.0, 4, gamma);
    let params = theory.with_replanning(Replanning::DeterminantGrowth(2.0));
    let (h, rho, cap) = (params.horizon(), params.rho(), 1.0 / (1.0 - gamma));
    let candidates = Candidates::one_hot(&TabularPsi::new(model.clone()), family.clone()).unwrap();
    let mut random =
        EpsilonGreedy::new(candidates.clone(), params, 1.0, Streams::new(4).agent()).unwrap();
    let mut counts = Counts { horizon: h as f64, rows: vec![(0.0, 0.0, vec![0.0; 2]); 4] };
    let start = |k: u64| usize::from(!k.is_multiple_of(2));
    let world = Simulation::new(&model, Streams::new(4));
    world.run_from(0..episodes, start, &mut random, &mut counts).unwrap();
    let mut agent = TabularLsviUcb::new(candidates, theory).unwrap();
    agent.restore(random.greedy().state()).unwrap();
    agent.begin_episode(&0);

    let psi = features(&model, &family);
    let kernel = kernel(&model, &family);
    let mut gram = DMatrix::identity(8, 8);
    for (column, (count, ..)) in psi.column_iter().zip(&counts.rows) {
        gram += column * column.transpose() * *count;
    }
    let inverse = gram.try_inverse().unwrap();
    let norm = |c: usize| psi.column(c).dot(&(&inverse * psi.column(c))).sqrt();
    let best = class_optimum(&model, &family).unwrap();
    let exact: Vec<Vec<f64>> =
        family.iter().map(|seq| sequence_values(&model, seq, &best.values).unwrap()).collect();
    let (mut below, mut all) = (0, 0);
    let mut values = vec![cap; 2];
    for u in (1..h).rev() {
        let mut sum = DVector::zeros(8);
        for (column, (_, reward, next)) in psi.column_iter().zip(&counts.rows) {
            sum += column * (reward + expect(next, &values));
        }
        let w = &inverse * sum;
        // Lemma B.2.
        let bound = 4.0 * (4.0 * episodes as f64 * (h as f64).powi(3)).sqrt();
        assert!(w.norm() <= bound, "{} {bound}", w.norm());
        let mut now = vec![f64::NEG_INFINITY; 2];
        for c in 0..4 {
            let (s, j) = (c / 2, c % 2);
            let linear = psi.column(c).dot(&w);
            let ahead: Vec<f64> = values.iter().zip(&best.values).map(|(v, b)| v - b).collect();
            let error = linear - exact[j][s] - expect(&kernel[c].1, &ahead);
            assert!(error.abs() <= rho * norm(c), "Lemma B.4: {error} at u = {u}");
            let k = (linear + rho * norm(c)).min(cap);
            assert!(k >= exact[j][s], "{k} < {} at u = {u}, s = {s}, a = {j}", exact[j][s]);
            below += usize::from(k < cap - 1e-6);
            all += 1;
            now[s] = now[s].max(k);
        }
        values = now;
        for (ours, v) in agent.values_at(u).iter().zip(&values) {
            assert!((ours - v).abs() < 1e-6, "{ours} {v} at u = {u}");
        }
    }
    println!("rho {rho:.0}, V_1 {values:.4?}, V* {:.4?}, clip {cap}", best.values);
    assert!(10 * below >= 9 * all, "{below} of {all} values are below the clip");
}

/// Plays Algorithm 1 and keeps what it did: per episode the columns of psi, rewards and next states of its first
/// H segments, and V_u.
struct Recorder {
    agent: TabularLsviUcb<f64>,
    episodes: Vec<Vec<(usize, f64, Option<usize>)>>,
    rounds: Vec<usize>,
}

impl Agent<usize, f64> for Recorder {
    fn begin_episode(&mut self, start: &usize) {
        self.agent.begin_episode(start);
        self.episodes.push(Vec::new());
        self.rounds.push(0);
    }

    fn act(&mut self, x: &AugmentedState<usize>) -> Action {
        self.agent.act(x)
    }

    fn observe(&mut self, segment: &Segment<usize, f64>) {
        let u = self.agent.sighting();
        let m = self.agent.candidates().family().len();
        let column = segment.start() * m + self.agent.plan().index(u, *segment.start());
        *self.rounds.last_mut().unwrap() += segment.actions().len();
        if u <= self.agent.params().horizon() {
            let next = segment.next().copied();
            self.episodes.last_mut().unwrap().push((column, segment.reward(), next));
        }
        self.agent.observe(segment);
    }

    fn end_episode(&mut self) {
        self.agent.end_episode();
    }
}

/// The inequalities of the proof along a run of Algorithm 1 with the theorem's parameters.
#[test]
fn the_lemmas_behind_the_regret_bound() {
    let (model, family, candidates) = small();
    let (n, d, p, k) = (4, 8.0, 0.05, 300_u32);
    let gamma = model.gamma();
    let params = LsviUcbParams::theory(k.into(), p, 1.0, 8, gamma);
    let h = params.horizon() as f64;
    let agent = TabularLsviUcb::new(candidates, params).unwrap();
    let mut recorder = Recorder { agent, episodes: vec![], rounds: vec![] };
    Simulation::new(&model, Streams::new(5)).run(0..k.into(), &mut recorder, &mut ()).unwrap();
    recorder.agent.begin_episode(&0);
    let psi = features(&model, &family);
    let kernel = kernel(&model, &family);
    let k = f64::from(k);

    // The elliptical potential, with Lambda updated after every segment and after every episode.
    let (mut after_segment, mut log_det) = (DMatrix::<f64>::identity(16, 16), 0.0);
    let (mut potential, mut bonuses, mut doublings) = (0.0, 0.0, 0.0);
    for episode in &recorder.episodes {
        let (after_episode, before) = (after_segment.clone(), log_det);
        for &(c, ..) in episode {
            let x = psi.column(c);
            assert!(x.norm() <= 1.0);
            bonuses += x.dot(&(&after_episode * x)).sqrt();
            let y = &after_segment * x;
            let square = x.dot(&y);
            potential += square;
            log_det += square.ln_1p();
            after_segment -= &y * y.transpose() / (1.0 + square);
        }
        doublings += f64::from(u8::from(log_det > before + 2_f64.ln()));
    }
    let inverse = after_segment;
    // Fact D.2 and inequality (c).
    assert!(log_det <= potential && potential <= 2.0 * log_det, "{potential} {log_det}");
    let log = (2.0 * k * h).ln();
    assert!(log_det <= 2.0 * d * log && doublings <= log_det / 2_f64.ln());
    // The sum of the bonuses over rho: inequalities (b) and (c).
    let sharp = (4.0 * k * h * log_det).sqrt() + h * log_det / 2_f64.ln();
    let blunt = 4.0 * (k * h * d * log).sqrt() + 4.0 * h * d * log;
    assert!(bonuses <= sharp && sharp <= blunt, "{bonuses} {sharp} {blunt}");
    let bound = RegretBound::theory(300, p, 1.0, 8, gamma).unwrap();
    assert!((bound.bonus - 2.0 * params.rho() * blunt).abs() < 1e-6 * bound.bonus);

    // Fact D.1.
    let history: Vec<_> = recorder.episodes.iter().flatten().copied().collect();
    let trace: f64 =
        history.iter().map(|&(c, ..)| psi.column(c).dot(&(&inverse * psi.column(c)))).sum();
    assert!(trace <= 2.0 * d, "{trace}");
    assert!(history.len() as f64 <= k * h);

    // Episodes that reach the horizon: Chernoff.
    let long = recorder.rounds.iter().filter(|&&rounds| rounds as f64 >= h).count() as f64;
    assert!(long <= k * gamma.powf(h - 1.0) + 3.0 * (4.0 / p).ln(), "{long}");

    // The event E of Lemma B.3, with the right-hand sides of its proof: rewards, then values for every u.
    let weighted = |of: &dyn Fn(usize, f64, Option<usize>) -> f64| {
        let mut sum = DVector::zeros(16);
        for &(c, reward, next) in &history {
            sum += psi.column(c) * of(c, reward, next);
        }
        sum
    };
    let size = |sum: &DVector<f64>| sum.dot(&(&inverse * sum)).sqrt();
    let rewards = weighted(&|c, reward, _| reward.min(h) - kernel[c].0);
    // E min {R, H} differs from E R by gamma^H / (1 - gamma) at most (the term q_5).
    let cut = (history.len() as f64 * 2.0 * d).sqrt() * gamma.powf(h) / (1.0 - gamma);
    let allowed = (4.0 * h * h * (d * (k * h + 1.0).ln() + (4.0 / p).ln())).sqrt();
    assert!(size(&rewards) <= allowed + cut, "{} {allowed}", size(&rewards));
    let cover = d / ((1.0 - gamma) * k * h);
    let entropy = d * (k * h + 1.0).ln()
        + 2.0 * d * (16.0 * (d * k * h.powi(3)).sqrt() / cover).ln_1p()
        + 4.0 * d * d * (16.0 * params.rho().powi(2) * d.sqrt() / (cover * cover)).ln_1p()
        + (4.0 / p).ln();
    let allowed = 4.0 / (1.0 - gamma).powi(2) * entropy + 8.0 * (k * h * cover).powi(2);
    for u in 1..params.horizon() {
        let values = recorder.agent.values_at(u + 1);
        let next_value = |next: Option<usize>| next.map_or(0.0, |s| values[s]);
        let noise = weighted(&|c, _, next| next_value(next) - expect(&kernel[c].1, &values));
        assert!(size(&noise).powi(2) <= allowed, "{} {allowed}", size(&noise).powi(2));
        // Lemma B.2.
        let w = &inverse * weighted(&|_, reward, next| reward.min(h) + next_value(next));
        assert!(w.norm() <= 4.0 * (d * k * h.powi(3)).sqrt(), "{}", w.norm());
    }
    assert_eq!(recorder.agent.values().len(), n);
}

#[test]
fn the_horizon_makes_what_it_cuts_off_small() {
    // Fact "H-choice": gamma^n <= min {(1 - gamma) / K, 1 / (n (1 - gamma))} <= 1 / sqrt(K n).
    for gamma in [0.01, 0.3, 0.9, 0.99, 0.999] {
        for k in [1_u64, 10, 5_000, 1_000_000] {
            let h = LsviUcbParams::<f64>::theory(k, 0.05, 1.0, 12, gamma).horizon() as f64;
            let (n, k) = (h - 1.0, k as f64);
            let least = ((1.0 - gamma) / k).min(1.0 / (n * (1.0 - gamma)));
            assert!(gamma.powf(n) <= least * (1.0 + 1e-9), "{gamma} {k}");
            assert!(least <= 1.0 / (k * n).sqrt() * (1.0 + 1e-9), "{gamma} {k}");
        }
    }
}

#[test]
fn the_regret_bound_is_that_of_the_proof() {
    // By hand: K = 100, p = .1, c = 2, d = 3, gamma = .5 give H = ceil(2 log 200) + 1 = 12.
    let bound = RegretBound::theory(100, 0.1, 2.0, 3, 0.5).unwrap();
    let iota = (2.0 * 3.0 * 100.0 * 12.0 / 0.1_f64).ln();
    let rho = 2.0 * 3.0 * 12.0 * iota.sqrt();
    let log = 2400_f64.ln();
    let close = |x: f64, y: f64| assert!((x - y).abs() <= 1e-12 * y.abs(), "{x} {y}");
    close(bound.horizon(), 12.0);
    close(bound.rho(), rho);
    close(bound.martingale, 2.0 * (8.0 * 1200.0 * 40_f64.ln()).sqrt());
    close(bound.truncation, 12.0 * 40_f64.ln());
    close(bound.bonus, 2.0 * rho * (4.0 * (1200.0 * 3.0 * log).sqrt() + 4.0 * 12.0 * 3.0 * log));
    close(bound.trivial(), 200.0);
    close(bound.epsilon_allowed(), 0.005_f64.sqrt());
    close(bound.epsilon_negligible(), 0.005 / 3_f64.sqrt());
    let rough = bound.with_epsilon(0.01).unwrap();
    close(rough.features, 4.0 * 1200.0 * 5.0 * 0.01 * rho * 1200_f64.sqrt());
    close(rough.total(), bound.total() + rough.features);
    assert_eq!(
        bound.with_epsilon(0.08).unwrap_err().to_string(),
        "epsilon = 0.08 must be in [0, sqrt((1 - gamma) / K)]"
    );
    assert!(RegretBound::theory(0, 0.1, 1.0, 3, 0.5).is_err());
    assert!(RegretBound::theory(10, 0.1, 0.5, 3, 0.5).is_err());
    assert!(RegretBound::theory(10, 0.1, 1.0, 3, 1.0).is_err());
    // The order in K: between sqrt(K) and sqrt(K) log(K)^2.
    let at = |k| RegretBound::theory(k, 0.1, 1.0, 3, 0.5).unwrap().total();
    let growth = at(100_000_000) / at(1_000_000);
    assert!(growth > 10.0 && growth < 10.0 * (8.0_f64 / 6.0).powi(3), "{growth}");
}
