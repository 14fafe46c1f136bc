//! How much one word looks like another. Must not know: what the words are names of.

/// From here on a word counts as meant, if nothing else comes near.
const MEANT: f64 = 0.90;
/// How far the runner-up must be behind.
const MARGIN: f64 = 0.15;
/// From here on a word is worth offering.
const NEAR: f64 = 0.75;
/// Characters of a word that are compared.
const COMPARED: usize = 80;
/// From this length on two slips are one word; in a shorter one every letter counts.
const LONG: usize = 6;
/// Letters that a short form must keep.
const SHORT_FORM: usize = 3;
/// Marks around a word that say nothing.
const QUOTES: [char; 7] = ['"', '\'', '`', '“', '”', '‘', '’'];

/// A word without case and separators: `departureDate` and `departure-date` are one.
pub(super) fn folded(word: &str) -> String {
    word.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .take(COMPARED)
        .collect()
}

/// The signs of a word that mean something: all but the separators between its parts. `!prod` is not `prod`, `C++` not
/// `C`, `A-` not `A`, and the point between two digits is part of a number.
pub(super) fn signs(word: &str) -> String {
    let bare =
        word.trim_matches(|c: char| c.is_whitespace() || QUOTES.contains(&c) || matches!(c, '.' | '_'));
    let all: Vec<char> = bare.chars().take(COMPARED).collect();
    let digit = |at: Option<usize>| at.and_then(|at| all.get(at)).is_some_and(char::is_ascii_digit);
    let ends = |at: usize| at == 0 || at + 1 == all.len();
    all.iter()
        .enumerate()
        .filter(|(at, c)| {
            let separates = c.is_whitespace() || matches!(c, '-' | '_' | '.');
            let in_number = digit(at.checked_sub(1)) && digit(Some(at + 1));
            let says_nothing = separates && !ends(*at) && !in_number;
            !(c.is_alphanumeric() || says_nothing)
        })
        .map(|(_, c)| *c)
        .collect()
}

/// Whether one word may be a slip in the other: letters changed, left out, doubled or turned round, no more; or
/// its short form. What begins otherwise means otherwise: `inactive`, `async`.
fn slipped(word: &str, candidate: &str) -> bool {
    if word.ends_with(candidate) || candidate.ends_with(word) {
        return false;
    }
    let letters = candidate.chars().count();
    let most = if letters < LONG { 1 } else { 2 };
    let short_form = word.chars().count() >= SHORT_FORM && candidate.starts_with(word);
    short_form || strsim::osa_distance(word, candidate) <= most
}

/// How sure it is which of several was meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Meant {
    /// This one, spelt otherwise.
    Same(usize),
    /// This one, by a clear margin.
    Clearly(usize),
    /// One of these, best first.
    Maybe(Vec<usize>),
    /// None.
    None,
}

/// How a word stands to a candidate.
struct Scored {
    score: f64,
    index: usize,
    same: bool,
    slipped: bool,
}

/// Which of the candidates a word means.
pub(super) fn meant<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> Meant {
    let wanted = folded(word);
    if wanted.is_empty() {
        return Meant::None;
    }
    let written = signs(word);
    let mut scored: Vec<Scored> = candidates
        .enumerate()
        .map(|(index, candidate)| {
            let alike = signs(candidate) == written;
            let candidate = folded(candidate);
            Scored {
                score: strsim::jaro_winkler(&wanted, &candidate),
                index,
                same: alike && candidate == wanted,
                slipped: alike && slipped(&wanted, &candidate),
            }
        })
        .collect();
    let same: Vec<usize> = scored
        .iter()
        .filter(|one| one.same)
        .map(|one| one.index)
        .collect();
    match same[..] {
        [] => {}
        [one] => return Meant::Same(one),
        _ => return Meant::Maybe(same),
    }
    // Equal scores keep the order of the candidates: the sort is stable.
    scored.sort_by(|a, b| b.score.total_cmp(&a.score));
    let second = scored.get(1).map_or(0.0, |one| one.score);
    match scored.first() {
        Some(best) if best.slipped && best.score >= MEANT && best.score - second >= MARGIN => {
            Meant::Clearly(best.index)
        }
        _ => {
            let near: Vec<usize> = scored
                .iter()
                .filter(|one| one.score >= NEAR)
                .take(4)
                .map(|one| one.index)
                .collect();
            if near.is_empty() {
                Meant::None
            } else {
                Meant::Maybe(near)
            }
        }
    }
}
