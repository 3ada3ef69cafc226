//! The agents of neighbouring work, which choose whether to measure: [`AmrlQ`], [`DynaAtmq`] and
//! [`ObserveThenPlan`].

mod amrl_q;
mod controls;
mod dyna_atmq;
mod observe_then_plan;
mod transitions;

pub use amrl_q::{AmrlQ, AmrlQParams, AmrlQState};
pub use controls::Controls;
pub use dyna_atmq::{DynaAtmq, DynaAtmqParams, DynaAtmqState};
pub use observe_then_plan::{ObserveThenPlan, ObserveThenPlanParams, ObserveThenPlanState};
pub use transitions::Transitions;
