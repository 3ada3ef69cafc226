//! Random streams: the generators of environments and agents.

use rand_pcg::Pcg64;

/// The random streams of one run: one per episode for the world, one for the agent.
///
/// Each generator is a function of (seed, run, kind, k) alone, so two agents on one seed meet the
/// same world in every episode whatever they did before, a run resumes at episode k from the number
/// k, and any thread can play any episode.
///
/// # Definition
/// All arithmetic is on unsigned integers. On 64 bits, modulo 2^64,
/// ```text
/// splitmix(z):  z += 0x9E3779B97F4A7C15
///               z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9
///               z = (z ^ (z >> 27)) * 0x94D049BB133111EB
///               return z ^ (z >> 31)
/// ```
/// and on pairs (l, r) of them, read as the 128-bit number l 2^64 + r,
/// ```text
/// mix(l, r):    four times: (l, r) = (r, l ^ splitmix(r))
/// ```
/// Then, with kind 0 for the world, 1 for the agent (whose k is 0) and 2 for exploratory samples (k = 0),
/// ```text
/// stream = mix(kind, k)
/// state  = mix(mix(seed, run) ^ stream)
/// generator = Pcg64::new(state, stream)
/// ```
/// `mix` is a bijection, so different seeds and runs never share a state; and the state depends on k
/// too, because PCG streams that differ in the increment only are correlated.
///
/// In numpy the same generator is `PCG64` with, modulo 2^128,
/// ```text
/// inc = 2 stream + 1
/// g.state = {"bit_generator": "PCG64", "has_uint32": 0, "uinteger": 0, "state": {
///     "inc": inc, "state": (state + inc) * 0x2360ED051FC65DA44385DF649FCCF645 + inc}}
/// ```
/// whose `random_raw()` gives the same words, and `Generator(g).random()` the same uniforms.
///
/// # Example
/// ```
/// use rand::Rng;
/// use sporadic::simulation::Streams;
/// let streams = Streams::new(42).with_run(3);
/// assert_eq!(streams.world(7).next_u64(), streams.world(7).next_u64());
/// assert_ne!(streams.world(7).next_u64(), streams.world(8).next_u64());
/// assert_ne!(streams.world(0).next_u64(), streams.agent().next_u64());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Streams {
    /// The seed of the experiment.
    pub seed: u64,
    /// The number of the run within it.
    pub run: u64,
}

const WORLD: u64 = 0;
const AGENT: u64 = 1;
const EXPLORATION: u64 = 2;

impl Streams {
    /// Run 0 of the experiment with this seed.
    pub fn new(seed: u64) -> Self {
        Self { seed, run: 0 }
    }

    /// Another run of the same experiment.
    pub fn with_run(self, run: u64) -> Self {
        Self { run, ..self }
    }

    /// The generator of all that the environment draws in episode k.
    pub fn world(&self, k: u64) -> Pcg64 {
        self.stream(WORLD, k)
    }

    /// The generator for an agent that randomises.
    pub fn agent(&self) -> Pcg64 {
        self.stream(AGENT, 0)
    }

    /// The generator for samples that are drawn before the first episode, as
    /// [`Exploratory`](crate::estimators::Exploratory) draws them.
    pub fn exploration(&self) -> Pcg64 {
        self.stream(EXPLORATION, 0)
    }

    fn stream(&self, kind: u64, k: u64) -> Pcg64 {
        let stream = mix(join(kind, k));
        Pcg64::new(mix(mix(join(self.seed, self.run)) ^ stream), stream)
    }
}

fn join(l: u64, r: u64) -> u128 {
    u128::from(l) << 64 | u128::from(r)
}

fn splitmix(z: u64) -> u64 {
    let z = z.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[allow(clippy::cast_possible_truncation)] // the low half is meant
fn mix(x: u128) -> u128 {
    let (mut l, mut r) = ((x >> 64) as u64, x as u64);
    for _ in 0..4 {
        (l, r) = (r, l ^ splitmix(r));
    }
    join(l, r)
}

#[cfg(test)]
mod tests {
    use super::*;
    use itertools::Itertools;
    use rand::Rng;

    #[test]
    fn value_stability() {
        let words = |mut rng: Pcg64| (0..2).map(|_| format!("{:016x}", rng.next_u64())).join(" ");
        let table = [
            words(Streams::new(0).world(0)),
            words(Streams::new(42).world(0)),
            words(Streams::new(42).world(1_000_000)),
            words(Streams::new(42).with_run(3).world(0)),
            words(Streams::new(42).agent()),
        ];
        // The expected words come from the definition above written in another language.
        insta::assert_snapshot!(table.join("\n"), @"
        4525e5cd89626ef0 c8b80e9edf23bc05
        da156c0de7165fcd 07a4823a167e6856
        bb1c62c02283b192 98987e304f197aba
        f18c4ab3dd9c6b79 8672cab69a122031
        96f96deadd832c95 be9534ccdfa980dc
        ");
    }

    #[test]
    fn first_words_of_neighbouring_streams_look_independent() {
        // Lag-one correlation of the n-th uniforms over episodes, runs and seeds; z = 4.
        let n = 20_000_u64;
        let families: [&dyn Fn(u64) -> Pcg64; 3] =
            [&|k| Streams::new(1).world(k), &|k| Streams::new(1).with_run(k).world(5), &|k| {
                Streams::new(k).world(5)
            }];
        for family in families {
            for skip in 0..4 {
                let centred = |k| {
                    let mut rng = family(k);
                    rng.advance(skip);
                    crate::model::draw::uniform(&mut rng) - 0.5
                };
                let products: f64 = (0..n).map(|k| centred(k) * centred(k + 1)).sum();
                assert!(products.abs() < 4.0 / 12.0 * (n as f64).sqrt(), "{skip}: {products}");
                let mean: f64 = (0..n).map(centred).sum::<f64>() / n as f64;
                assert!(mean.abs() < 4.0 / (12.0 * n as f64).sqrt(), "{skip}: {mean}");
            }
        }
    }
}
