//! What a kind is.

use std::fmt::Debug;

use serde_json::Value;

use super::parameter::{Parameter, ParameterError, ParameterType, Table};

/// A named struct of parameters that builds an agent, an oracle, a model or an estimator.
///
/// Reading a table of a specification, grids, flags and `--help`, labels and the identity of a
/// cell are derived from it. Write it with [`kind!`](crate::kind), which implements this trait; then
/// implement [`AgentKind`](super::AgentKind), [`OracleKind`](super::OracleKind),
/// [`ModelKind`](super::ModelKind) or [`EstimatorKind`](super::EstimatorKind).
pub trait Kind: Clone + Debug + PartialEq + Send + Sync + 'static {
    /// The name, as in `agent = "win-stay"`.
    const NAME: &'static str;
    /// The crate that defines the kind: two crates may use one name.
    const ORIGIN: &'static str;
    /// The version of what the kind builds. Raise it when results change: results of two versions
    /// are never mixed.
    const VERSION: u32;
    /// What it is, in one sentence.
    const SUMMARY: &'static str;

    /// The parameters, in the order of the struct.
    fn parameters() -> Vec<Parameter>;

    /// Reads the parameters from a table in which every name is known; those left out have their
    /// defaults.
    ///
    /// # Errors
    /// [`ParameterError`] that names the parameter.
    fn from_table(table: &Table) -> Result<Self, ParameterError>;

    /// All parameters with their values.
    fn to_table(&self) -> Table;
}

/// Reads one parameter; used by [`kind!`](crate::kind).
///
/// # Errors
/// [`ParameterError`] that names it.
pub fn read_parameter<P: ParameterType>(
    kind: &str,
    table: &Table,
    name: &str,
    help: &str,
    default: Option<P>,
) -> Result<P, ParameterError> {
    match table.get(name) {
        Some(value) => P::read(value)
            .map_err(|needed| ParameterError::new(name, super::parameter::show(value), needed)),
        None => default.ok_or_else(|| ParameterError::Missing {
            place: name.into(),
            kind: kind.into(),
            help: help.trim().trim_end_matches('.').into(),
        }),
    }
}

/// Writes one parameter; used by [`kind!`](crate::kind). A missing optional value and one that is
/// [implied](ParameterType::is_implied) are left out.
pub fn write_parameter<P: ParameterType>(table: &mut Table, name: &str, value: &P) {
    let written = value.write();
    if written != Value::Null && !value.is_implied() {
        table.insert(name.into(), written);
    }
}

/// Defines a kind: a struct of parameters with name, defaults and help in one place.
///
/// The doc comment of the struct becomes its one-sentence
/// [summary](crate::kinds::KindInfo::summary), those of the fields the help of the parameters. A parameter without a default must be given. A version may follow the name; it
/// is 1 otherwise. If every parameter has a default, so has the struct.
///
/// Fields are public and have the types that implement [`ParameterType`](crate::kinds::ParameterType): `f64`, `usize`, `u64`,
/// `u32`, `bool`, `String`, [`SequenceChoice`](crate::kinds::SequenceChoice), [`OracleChoice`](crate::kinds::OracleChoice), an
/// `Option` or a `Vec` of them, and your own.
///
/// A field `my_price` is `my_price = 3` in a specification and `--my-price 3` on the command line. Kinds share flags:
/// where several agents, or several models, have a parameter of one name, there is one flag for it, with the help
/// of the kind that was registered first, so give the same name to the same thing. A parameter with the name of an
/// option of the verb, such as `seed`, gets the flag `--agent-seed` or `--model-seed`.
///
/// # Example
/// ```
/// use sporadic::kind;
/// use sporadic::kinds::Kind;
///
/// kind! {
///     /// Keeps to action 1 while it pays.
///     pub struct WinStay("win-stay", 2) {
///         /// What a segment must pay
///         threshold: f64 = 0.5,
///     }
/// }
///
/// assert_eq!(WinStay::default().threshold, 0.5);
/// assert_eq!((WinStay::NAME, WinStay::VERSION), ("win-stay", 2));
/// assert_eq!(WinStay::parameters()[0].help, "What a segment must pay");
/// ```
#[macro_export]
macro_rules! kind {
    // Every parameter has a default: so has the struct.
    (
        $(#[doc = $doc:literal])*
        $vis:vis struct $kind:ident($name:literal $(, $version:literal)?) {
            $($(#[doc = $help:literal])* $field:ident: $type:ty = $default:expr),* $(,)?
        }
    ) => {
        $crate::kind! { @define
            $(#[doc = $doc])* $vis struct $kind($name $(, $version)?) {
                $($(#[doc = $help])* $field: $type = $default),*
            }
        }

        impl ::core::default::Default for $kind {
            fn default() -> Self {
                Self { $($field: $default),* }
            }
        }
    };
    // Some parameter must be given.
    (
        $(#[doc = $doc:literal])*
        $vis:vis struct $kind:ident($name:literal $(, $version:literal)?) {
            $($(#[doc = $help:literal])* $field:ident: $type:ty $(= $default:expr)?),* $(,)?
        }
    ) => {
        $crate::kind! { @define
            $(#[doc = $doc])* $vis struct $kind($name $(, $version)?) {
                $($(#[doc = $help])* $field: $type $(= $default)?),*
            }
        }
    };
    (@define
        $(#[doc = $doc:literal])*
        $vis:vis struct $kind:ident($name:literal $(, $version:literal)?) {
            $($(#[doc = $help:literal])* $field:ident: $type:ty $(= $default:expr)?),*
        }
    ) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, PartialEq)]
        $vis struct $kind {
            $($(#[doc = $help])* pub $field: $type,)*
        }

        impl $crate::kinds::Kind for $kind {
            const NAME: &'static str = $name;
            const ORIGIN: &'static str = ::core::env!("CARGO_PKG_NAME");
            const VERSION: u32 = $crate::kind!(@version $($version)?);
            const SUMMARY: &'static str = ::core::concat!($($doc),*);

            fn parameters() -> ::std::vec::Vec<$crate::kinds::Parameter> {
                ::std::vec![$(
                    $crate::kinds::Parameter::of::<$type>(
                        ::core::stringify!($field),
                        ::core::concat!($($help),*),
                        $crate::kind!(@default $($default)?),
                    )
                ),*]
            }

            #[allow(unused_variables)]
            fn from_table(
                table: &$crate::kinds::Table,
            ) -> ::core::result::Result<Self, $crate::kinds::ParameterError> {
                ::core::result::Result::Ok(Self { $(
                    $field: $crate::kinds::read_parameter(
                        $name,
                        table,
                        ::core::stringify!($field),
                        ::core::concat!($($help),*),
                        $crate::kind!(@default $($default)?),
                    )?
                ),* })
            }

            #[allow(unused_mut)]
            fn to_table(&self) -> $crate::kinds::Table {
                let mut table = $crate::kinds::Table::new();
                $($crate::kinds::write_parameter(
                    &mut table,
                    ::core::stringify!($field),
                    &self.$field,
                );)*
                table
            }
        }
    };
    (@default) => { ::core::option::Option::None };
    (@default $default:expr) => { ::core::option::Option::Some($default) };
    (@version) => { 1 };
    (@version $version:literal) => { $version };
}
