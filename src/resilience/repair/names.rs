//! How much one word looks like another. Must not know: what the words are names of.

/// From here on a word counts as meant, if nothing else comes near.
const MEANT: f64 = 0.90;
/// How far the runner-up must be behind.
const MARGIN: f64 = 0.15;
/// From here on a word is worth offering.
const NEAR: f64 = 0.75;
/// Characters of a word that are compared.
const COMPARED: usize = 80;

/// A word without case and separators: `departureDate` and `departure-date` are one.
pub(super) fn folded(word: &str) -> String {
    word.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .take(COMPARED)
        .collect()
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

/// Which of the candidates a word means.
pub(super) fn meant<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> Meant {
    let wanted = folded(word);
    if wanted.is_empty() {
        return Meant::None;
    }
    let mut scored: Vec<(f64, usize, bool)> = candidates
        .enumerate()
        .map(|(index, candidate)| {
            let candidate = folded(candidate);
            let score = strsim::jaro_winkler(&wanted, &candidate);
            (score, index, candidate == wanted)
        })
        .collect();
    let same: Vec<usize> = scored.iter().filter(|one| one.2).map(|one| one.1).collect();
    match same[..] {
        [] => {}
        [one] => return Meant::Same(one),
        _ => return Meant::Maybe(same),
    }
    // Equal scores keep the order of the candidates: the sort is stable.
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    let second = scored.get(1).map_or(0.0, |one| one.0);
    match scored.first() {
        Some((best, index, _)) if *best >= MEANT && best - second >= MARGIN => Meant::Clearly(*index),
        _ => {
            let near: Vec<usize> = scored
                .iter()
                .filter(|one| one.0 >= NEAR)
                .take(4)
                .map(|one| one.1)
                .collect();
            if near.is_empty() {
                Meant::None
            } else {
                Meant::Maybe(near)
            }
        }
    }
}
