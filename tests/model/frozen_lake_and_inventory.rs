//! The problems of neighbouring work: their published values, each computed in two ways.

use itertools::Itertools as _;
use sporadic::model::gallery::{FROZEN_LAKE_4X4, FROZEN_LAKE_8X8, Ice, frozen_lake, inventory};
use sporadic::model::{ModelError, Tabular};
use sporadic::planning::class_optimum;
use sporadic::planning::solve::{SolveOptions, solve};
use sporadic::sequence::ActionSequence;

/// The values of the fully observed problem: the blind actions, by value iteration.
fn observed(model: &Tabular<f64>) -> Vec<f64> {
    let mut v = vec![0.0; model.num_states()];
    for _ in 0..20_000 {
        let q = |s: usize, a: usize| {
            model.reward(s, a) + model.gamma() * model.row(s, a).map(|(t, p)| p * v[t]).sum::<f64>()
        };
        let best =
            |s| (0..model.num_actions()).step_by(2).map(|a| q(s, a)).fold(f64::MIN, f64::max);
        v = (0..v.len()).map(best).collect();
    }
    v
}

/// Every word of at most `blind + 1` controls of which the last one looks.
fn at_most_blind(blind: usize, controls: usize) -> Vec<ActionSequence> {
    let words = (0..=blind).flat_map(|n| (0..n).map(|_| 0..controls).multi_cartesian_product());
    let looks = words.cartesian_product(0..controls).map(|(word, last)| {
        let actions = word.iter().map(|c| 2 * c).chain([2 * last + 1]).collect::<Vec<_>>();
        ActionSequence::new(actions, [0])
    });
    looks.collect()
}

/// The least cost if a step is sensed after at most `blind` that are not, from the problem's own definition.
fn least_costs(blind: u32, k: f64) -> Vec<f64> {
    let costs = [
        [0.0, -2.0, -2.75, -2.25],
        [-1.0, -1.75, -1.25, -0.75],
        [-0.75, -0.25, 0.25, 0.75],
        [0.75, 1.25, 1.75, 2.25],
    ];
    // Words as numbers in base 4; for each length and stock the cost and the discounted law of the end.
    let mut options: Vec<Vec<(f64, Vec<f64>)>> = vec![Vec::new(); 4];
    for length in 1..=blind + 1 {
        for word in 0..4_usize.pow(length) {
            for (stock, list) in options.iter_mut().enumerate() {
                let mut law = vec![0.0; 4];
                law[stock] = 1.0;
                let mut cost = k * 0.8_f64.powi(i32::try_from(length).unwrap() - 1);
                for i in 0..length {
                    let produced = word / 4_usize.pow(i) % 4;
                    cost += (0..4).map(|s| law[s] * costs[produced][s]).sum::<f64>();
                    let mut next = vec![0.0; 4];
                    for (s, mass) in law.iter().enumerate() {
                        for demand in [1_usize, 2] {
                            next[(s + produced).saturating_sub(demand).min(3)] += 0.4 * mass;
                        }
                    }
                    law = next;
                }
                list.push((cost, law));
            }
        }
    }
    let mut v = vec![0.0; 4];
    for _ in 0..200 {
        let worth = |(cost, law): &(f64, Vec<f64>)| {
            cost + law.iter().zip(&v).map(|(p, v)| p * v).sum::<f64>()
        };
        v = options.iter().map(|list| list.iter().map(worth).fold(f64::MAX, f64::min)).collect();
    }
    v
}

#[test]
fn inventory_has_the_published_values() {
    // Full information: sensing costs nothing.
    let free = inventory(0.0, 0.8).unwrap();
    let best = solve(&free, &SolveOptions::default().with_gap(1e-6)).unwrap();
    let observed = observed(&free);
    for (s, published) in [5.75, 6.75, 7.75, 8.05].into_iter().enumerate() {
        assert!((observed[s] - published).abs() < 1e-9, "{} {published}", observed[s]);
        assert!(best.lower[s] <= published + 1e-9 && published <= best.upper[s] + 1e-9);
    }
    // k = .2: sensing at the latest after so many blind steps.
    let model = inventory(0.2, 0.8).unwrap();
    let best = solve(&model, &SolveOptions::default().with_gap(1e-6)).unwrap();
    for (blind, published) in [(0, 4.75_f64), (1, 5.1389), (2, 5.2172), (3, 5.2771)] {
        let class = class_optimum(&model, &at_most_blind(blind, 4)).unwrap().values;
        assert!((class[0] - published).abs() < 6e-5, "{blind}: {}", class[0]);
        assert!(class[0] <= best.upper[0]);
        let costs = least_costs(u32::try_from(blind).unwrap(), 0.2);
        for (value, cost) in class.iter().zip(costs) {
            assert!((value + cost).abs() < 1e-9, "{blind}: {value} {cost}");
        }
    }
    // More blind steps help a little more, up to the certified optimum without such a limit.
    assert!(best.lower[0] > 5.3052 && best.upper[0] - best.lower[0] <= 1e-6, "{}", best.lower[0]);
}

#[test]
fn deterministic_lakes_need_no_look() {
    for (map, steps) in [(&FROZEN_LAKE_4X4[..], 6), (&FROZEN_LAKE_8X8[..], 14)] {
        let lake = frozen_lake(map, Ice::Deterministic, 0.05, 0.95).unwrap();
        let best = solve(&lake, &SolveOptions::default().with_gap(1e-6)).unwrap();
        let exact = 0.95_f64.powi(steps - 1);
        assert!((best.lower[0] - exact).abs() < 1e-6, "{} {exact}", best.lower[0]);
        assert!(best.upper[0] >= exact - 1e-12);
        let mut path = best.policy[0].iter().take(usize::try_from(steps).unwrap());
        assert!(path.all(|a| lake.beta(a) < 0.5));
    }
}

#[test]
fn slippery_lakes_have_their_known_values() {
    // The optimal values of Gymnasium's FrozenLake-v1 at the start.
    for (map, gamma, known) in [
        (&FROZEN_LAKE_4X4[..], 0.99, 0.542_026),
        (&FROZEN_LAKE_4X4[..], 0.95, 0.180_472),
        (&FROZEN_LAKE_8X8[..], 0.99, 0.414_6),
    ] {
        let lake = frozen_lake(map, Ice::Slippery, 0.0, gamma).unwrap();
        let value = observed(&lake)[0];
        assert!((value - known).abs() < 5e-5, "{value} {known}");
    }
    // Undiscounted, the small lake is crossed with probability 14/17.
    let lake = frozen_lake(&FROZEN_LAKE_4X4, Ice::Slippery, 0.0, 0.999_99).unwrap();
    assert!((observed(&lake)[0] - 14.0 / 17.0).abs() < 1e-3);
    // Free looks are as good as seeing everything.
    let lake = frozen_lake(&FROZEN_LAKE_4X4, Ice::Slippery, 0.0, 0.95).unwrap();
    let best = solve(&lake, &SolveOptions::default().with_gap(1e-4)).unwrap();
    assert!(best.lower[0] <= 0.180_473 && 0.180_471 <= best.upper[0]);
}

#[test]
fn ice_moves_as_it_says() {
    let lake = |ice| frozen_lake::<f64>(&FROZEN_LAKE_4X4, ice, 0.25, 0.95).unwrap();
    let row = |lake: &Tabular<f64>, s: &str, a: &str| {
        let (s, a) = (lake.state(s).unwrap(), lake.action(a).unwrap());
        lake.row(s, a).map(|(t, p)| format!("{}:{p:.3}", lake.state_names()[t])).join(" ")
    };
    let slippery = lake(Ice::Slippery);
    assert_eq!(row(&slippery, "1-1", "right"), "1-1:0.333 1-2:0.333 2-1:0.333");
    assert_eq!(row(&slippery, "1-1", "left"), "1-1:0.667 2-1:0.333");
    assert_eq!(row(&slippery, "2-2", "up+look"), "2-2:1.000");
    let goal = slippery.state("4-4").unwrap();
    assert!((slippery.reward(goal - 1, slippery.action("up").unwrap()) - 1.0 / 3.0).abs() < 1e-15);
    let semi = lake(Ice::SemiSlippery);
    assert_eq!(row(&semi, "1-1", "down"), "2-1:0.500 3-1:0.500");
    // Two tiles on is a hole: it may be slid into; next door, it is entered for sure.
    assert_eq!(row(&semi, "2-1", "down"), "3-1:0.500 4-1:0.500");
    assert_eq!(row(&semi, "2-1", "right"), "2-2:1.000");
    // At the edge the second tile is the first.
    assert_eq!(row(&semi, "1-3", "right"), "1-4:1.000");
    // The goal next door, or slid into.
    let pays = |s: &str, a: &str| semi.reward(semi.state(s).unwrap(), semi.action(a).unwrap());
    let listed = [
        ("4-3", "right", 1.0),
        ("4-2", "right", 0.5),
        ("4-2", "right+look", 0.25),
        ("4-4", "right", 0.0),
        ("4-4", "down", 0.0),
        ("2-3", "down", 0.0),
    ];
    for (s, a, reward) in listed {
        assert!((pays(s, a) - reward).abs() < 1e-15, "{s}, {a}");
    }
}

#[test]
fn bad_maps_are_refused() {
    let make = |map: &[&str]| frozen_lake(map, Ice::Slippery, 0.1, 0.9).map(|_| ());
    assert_eq!(make(&[]), Err(ModelError::Empty { what: "state" }));
    for map in [&["SF", "G"][..], &["FF", "FG"], &["SS", "FG"], &["SX", "FG"], &["S\u{e9}F"]] {
        assert!(matches!(make(map), Err(ModelError::Parameter { .. })), "{map:?}");
    }
    assert!(frozen_lake(&["S"], Ice::Slippery, f64::NAN, 0.9).is_err());
    assert!("icy".parse::<Ice>().is_err());
    for ice in Ice::ALL {
        assert_eq!(ice.to_string().parse(), Ok(ice));
    }
}
