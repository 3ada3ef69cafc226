//! Damaged model files, specs and names.

use rand_pcg::Pcg64;
use sporadic::check;
use sporadic::experiment::limits::{MAX_CELLS, MAX_VALUE};
use sporadic::experiment::{Shard, Spec};
use sporadic::kinds::Registry;
use sporadic::model::gallery::{RandomTabular, random_tabular};
use sporadic::model::{Tabular, gallery};
use sporadic::planning::{Stationary, evaluate};
use sporadic::sequence::ActionSequence;

use super::{attack, cases, one_line};

/// Models of every form that is written: dense and sparse, with a first state and with a distribution.
fn models() -> Vec<Tabular<f64>> {
    let shape = RandomTabular { states: 3, ..RandomTabular::default() };
    let random = random_tabular(&mut Pcg64::new(1, 2), &shape).unwrap();
    let spread = Tabular::builder(0.9)
        .initial([0.25, 0.75])
        .action("go", 0.5, [0.0, -1.0], [[0.5, 0.5], [1.0, 0.0]])
        .build()
        .unwrap();
    vec![random, spread, gallery::river_swim(33, 0.1, 0.99).unwrap()]
}

/// What is read is a model: it is written and read again, and something can be done with it.
fn is_a_model(model: &Tabular<f64>) {
    let again = Tabular::from_json(&model.to_json().unwrap()).unwrap();
    assert_eq!(&again, model);
    assert_eq!(&Tabular::from_toml(&model.to_toml().unwrap()).unwrap(), model);
    let rewards = model.reward_range();
    check::environment(model, 1, 2).assert();
    let policy = Stationary::new(vec![ActionSequence::constant(0); model.num_states()]);
    let largest = rewards.0.abs().max(rewards.1.abs()) / (1.0 - model.gamma());
    // Values that would overflow are refused in one line; all others are finite.
    match one_line(evaluate(model, &policy)) {
        None => assert!(largest > MAX_VALUE, "{largest}"),
        Some(values) => assert!(values.iter().all(|v| v.is_finite()), "{values:?}"),
    }
}

#[test]
fn model_files() {
    for (name, write, read) in [
        (
            "models in JSON",
            (|model| model.to_json().unwrap()) as fn(&Tabular<f64>) -> String,
            Tabular::<f64>::from_json as fn(&str) -> _,
        ),
        ("models in TOML", |model| model.to_toml().unwrap(), Tabular::<f64>::from_toml),
    ] {
        let texts: Vec<String> = models().iter().map(write).collect();
        attack(
            name,
            cases(300),
            move |m| {
                let i = m.below(texts.len());
                m.text(&texts[i])
            },
            move |text| one_line(read(text)).inspect(is_a_model).is_some(),
        );
    }
}

#[test]
fn deep_nesting() {
    // A recursive parser must stop before its stack does.
    for depth in [100, 10_000, 1_000_000] {
        let (open, close) = ("[".repeat(depth), "]".repeat(depth));
        assert!(
            one_line(Tabular::<f64>::from_json(&format!("{{\"states\": {open}{close}}}")))
                .is_none()
        );
        assert!(one_line(Tabular::<f64>::from_toml(&format!("states = {open}{close}"))).is_none());
        assert!(one_line(Spec::from_toml(&format!("seeds = {open}{close}"))).is_none());
        let tables = "{a=".repeat(depth);
        assert!(one_line(Spec::from_toml(&format!("seeds = {tables}"))).is_none());
    }
}

const SPECS: [&str; 3] = [
    "name = \"which-rho\"\nepisodes = 20\nseeds = 3\nseed = 7\npoints = 5\n\n[[models]]\nmodel = \"river-balance\"\n\
     beta = [0.1, 0.5]\ngamma = 0.9\n\n[[agents]]\nagent = \"lsvi-ucb\"\noracle = [\"runs:1,2\", \"words:2\", \"beam:2,3\"]\n\
     horizon = 10\nlambda = 0.01\nrho = [30, 50]\nbeyond = \"reuse-first\"\n\n[[agents]]\nagent = \"uniform\"\n",
    "episodes = 9\n[[models]]\nmodel = 'river-swim'\nstates = [4, 5]\n[[models]]\nmodel = 'sensing-cost'\ncost = 0.5\n\
     [[agents]]\nagent = 'fixed'\nsequence = ['(1)', '0(10)']\n[[agents]]\nagent = 'one-step'\nhorizon = 5\n",
    "episodes = 9\n[[models]]\nmodel = 'measuring-value'\n[[agents]]\nagent = 'epsilon-greedy'\nepsilon = [0.1, 0]\n\
     oracle = 'periodic:1,2'\n[[agents]]\nagent = 'certainty-equivalence'\n[[agents]]\nagent = 'optimal'\n",
];

#[test]
fn specs() {
    attack(
        "specs",
        cases(400),
        |m| {
            let spec = m.pick(&SPECS);
            m.text(spec)
        },
        |text| {
            let spec = one_line(Spec::from_toml(text));
            let all = spec.and_then(|spec| {
                one_line(spec.expand(&Registry::builtin(), "no-such-folder".as_ref()))
            });
            all.is_some_and(|all| (1..=MAX_CELLS).contains(&all.len()))
        },
    );
}

#[test]
fn names() {
    let texts = [
        "runs:5,10",
        "periodic:3,4",
        "words:6",
        "beam:16,40",
        "branch-and-bound:0.1,1000",
        "2/8",
        "111(01)",
    ];
    attack(
        "names",
        cases(1000),
        move |m| {
            let text = m.pick(&texts);
            m.text(text)
        },
        |text| {
            let registry = Registry::builtin();
            let resolve = |text: &str| registry.oracles().resolve(&text.into());
            let oracle = one_line(resolve(text));
            if let Some(oracle) = &oracle {
                assert_eq!(resolve(&oracle.text).unwrap().text, oracle.text);
                if let Some(Some(members)) = one_line(oracle.family(2)) {
                    assert!(!members.is_empty());
                }
            }
            let shard = one_line(text.parse::<Shard>());
            if let Some(shard) = shard {
                assert!(shard.of(&[1, 2, 3]).count() <= 3);
            }
            let sequence = one_line(text.parse::<ActionSequence>());
            if let Some(sequence) = &sequence {
                assert_eq!(&sequence.to_string().parse::<ActionSequence>().unwrap(), sequence);
            }
            oracle.is_some() || shard.is_some() || sequence.is_some()
        },
    );
}
