//! Reads references and output paths.
//!
//! Must not know: what a target is bound to.
//!
//! Grammar: a target is `†call.<label>[.<key>…]`, `†state.<key>[.<key>…]` or `†input[.<key>…]`;
//! `||` or `<|>` falls back and binds tighter than `&&` or `*>`.

use super::{DAGGER, Expr, OutPath, Root, Target};

/// What is wrong with a reference.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// No dagger at the beginning.
    #[error("`{0}` is not a reference: it must begin with †call., †state. or †input")]
    NoDagger(String),
    /// The word after the dagger is none of the three.
    #[error("`{0}` does not begin with †call., †state. or †input")]
    Root(String),
    /// Nothing after `call.` or `state.`.
    #[error("`{0}` names nothing: write †call.<label> or †state.<name>")]
    Empty(String),
    /// A label that no call can have.
    #[error("`{0}` has an empty part between two dots")]
    Part(String),
    /// An output path must be in the state.
    #[error("`{0}` is not an output path: a result is written to †state.<name>")]
    Out(String),
}

/// True where a string value is a reference (and not an escaped dagger).
pub fn is_reference(value: &str) -> bool {
    value.starts_with(DAGGER) && !value[DAGGER.len_utf8()..].starts_with(DAGGER)
}

/// Reads an expression.
pub fn expression(text: &str) -> Result<Expr, Error> {
    let gates = split(text, &["&&", "*>"]);
    let mut all = Vec::with_capacity(gates.len());
    for gate in gates {
        let choices = split(gate, &["||", "<|>"]);
        let mut reads = Vec::with_capacity(choices.len());
        for choice in choices {
            reads.push(Expr::Read(target(choice.trim())?));
        }
        all.push(one_or(reads, Expr::Fallback));
    }
    Ok(one_or(all, Expr::All))
}

fn one_or(mut parts: Vec<Expr>, many: fn(Vec<Expr>) -> Expr) -> Expr {
    match parts.pop() {
        Some(only) if parts.is_empty() => only,
        Some(last) => {
            parts.push(last);
            many(parts)
        }
        None => many(parts),
    }
}

/// Reads an output path.
pub fn out_path(text: &str) -> Result<OutPath, Error> {
    let place = |part: &str| {
        let part = part.trim();
        // The dagger may be left out: a result can only be written to the state.
        let target = if part.starts_with(DAGGER) {
            target(part)?
        } else {
            target(&format!("{DAGGER}{part}"))?
        };
        if target.root == Root::State {
            Ok(target)
        } else {
            Err(Error::Out(clip(part)))
        }
    };
    let fan = split(text, &["&&"]);
    if fan.len() > 1 {
        return Ok(OutPath::Fan(
            fan.into_iter().map(place).collect::<Result<_, _>>()?,
        ));
    }
    let branch = split(text, &["||"]);
    match branch.as_slice() {
        [ok, err] => Ok(OutPath::Branch(place(ok)?, place(err)?)),
        [only] => Ok(OutPath::To(place(only)?)),
        _ => Err(Error::Out(clip(text))),
    }
}

fn target(text: &str) -> Result<Target, Error> {
    let Some(rest) = text.strip_prefix(DAGGER) else {
        return Err(Error::NoDagger(clip(text)));
    };
    let mut parts = rest.split('.').map(str::to_owned);
    let root = match parts.next().as_deref() {
        Some("call") => Root::Call,
        Some("state") => Root::State,
        Some("input") => Root::Input,
        _ => return Err(Error::Root(clip(text))),
    };
    let rest: Vec<String> = parts.collect();
    if rest.iter().any(String::is_empty) {
        return Err(Error::Part(clip(text)));
    }
    let mut rest = rest.into_iter();
    let head = rest.next().unwrap_or_default();
    if head.is_empty() && root != Root::Input {
        return Err(Error::Empty(clip(text)));
    }
    Ok(Target {
        root,
        head,
        path: rest.collect(),
    })
}

fn split<'a>(text: &'a str, signs: &[&str]) -> Vec<&'a str> {
    let mut parts = Vec::new();
    let mut rest = text;
    loop {
        let first = signs
            .iter()
            .filter_map(|sign| rest.find(sign).map(|at| (at, sign.len())))
            .min_by_key(|(at, len)| (*at, usize::MAX - len));
        let Some((at, len)) = first else { break };
        parts.push(&rest[..at]);
        rest = &rest[at + len..];
    }
    parts.push(rest);
    parts
}

fn clip(text: &str) -> String {
    text.chars().take(80).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(root: Root, head: &str, path: &[&str]) -> Expr {
        Expr::Read(Target {
            root,
            head: head.into(),
            path: path.iter().map(|one| (*one).to_owned()).collect(),
        })
    }

    #[test]
    fn targets_are_read_with_their_paths() {
        assert_eq!(
            expression("†call.readme.lines.0"),
            Ok(read(Root::Call, "readme", &["lines", "0"]))
        );
        assert_eq!(expression("†state.a"), Ok(read(Root::State, "a", &[])));
        assert_eq!(expression("†input"), Ok(read(Root::Input, "", &[])));
        assert_eq!(expression(" †input.x "), Ok(read(Root::Input, "x", &[])));
    }

    #[test]
    fn fallback_binds_tighter_than_all() {
        let a = read(Root::State, "a", &[]);
        let b = read(Root::State, "b", &[]);
        let c = read(Root::State, "c", &[]);
        let expected = Expr::All(vec![Expr::Fallback(vec![a, b]), c]);
        assert_eq!(
            expression("†state.a || †state.b && †state.c"),
            Ok(expected.clone())
        );
        assert_eq!(expression("†state.a <|> †state.b *> †state.c"), Ok(expected));
    }

    #[test]
    fn what_is_no_reference_is_refused_with_its_text() {
        assert!(matches!(expression("state.a"), Err(Error::NoDagger(_))));
        assert!(matches!(expression("†foo.a"), Err(Error::Root(_))));
        assert!(matches!(expression("†call"), Err(Error::Empty(_))));
        assert!(matches!(expression("†call..x"), Err(Error::Part(_))));
        assert!(matches!(out_path("†call.x"), Err(Error::Out(_))));
        assert!(matches!(
            out_path("†state.a || †state.b || †state.c"),
            Err(Error::Out(_))
        ));
    }

    #[test]
    fn a_doubled_dagger_is_text() {
        assert!(is_reference("†call.x"));
        assert!(!is_reference("††call.x"));
        assert!(!is_reference("see †call.x"));
    }

    #[test]
    fn output_paths_branch_and_fan() {
        assert!(matches!(
            out_path("†state.ok || †state.err"),
            Ok(OutPath::Branch(..))
        ));
        assert!(matches!(out_path("state.a && state.b"), Ok(OutPath::Fan(all)) if all.len() == 2));
        assert!(matches!(out_path("state.a"), Ok(OutPath::To(_))));
    }
}
