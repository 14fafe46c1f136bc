//! Compares words by similarity.
//!
//! Must not know: what the words are names of.

/// Minimum similarity at which a word counts as meant, if no other comes near.
const MEANT: f64 = 0.90;
/// Minimum distance from the runner-up.
const MARGIN: f64 = 0.15;
/// Minimum similarity at which a word is worth offering.
const NEAR: f64 = 0.75;
/// Maximum number of characters that are compared.
const COMPARED: usize = 80;
/// Length from which a word may contain two slips; in a shorter one every letter counts.
const LONG: usize = 6;
/// Length from which a word may contain a slip at all; in a shorter one every letter makes another word.
const SLIPS_FROM: usize = 4;
/// Maximum length of a code such as `USD`.
const CODE: usize = 5;
/// Minimum number of letters of an abbreviation.
const SHORT_FORM: usize = 3;
/// Marks around a word that carry no meaning.
const QUOTES: [char; 7] = ['"', '\'', '`', '“', '”', '‘', '’'];

/// Drops case and separators, so that `departureDate` and `departure-date` are the same.
pub(super) fn folded(word: &str) -> String {
    word.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .take(COMPARED)
        .collect()
}

/// Returns the symbols of a word that carry meaning: all but the separators between its parts. `!prod` is not
/// `prod`, `C++` is not `C`, `A-` is not `A`, and the point between two digits is part of a number.
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
            let is_blank = separates && !ends(*at) && !in_number;
            !(c.is_alphanumeric() || is_blank)
        })
        .map(|(_, c)| *c)
        .collect()
}

/// Splits a name into its words, in small letters: `departureDate`, `departure-date`.
pub(super) fn split_words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut last = ' ';
    for next in name.chars().take(COMPARED) {
        let begins = !last.is_alphanumeric() || (last.is_lowercase() && next.is_uppercase());
        if next.is_alphanumeric() && begins {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| next.is_alphanumeric()) {
            word.extend(next.to_lowercase());
        }
        last = next;
    }
    words
}

/// Returns true if one word may be a slip of the other, that is letters changed, omitted, doubled or
/// transposed, its plural, or its abbreviation. A different beginning means something different: `inactive`,
/// `async`. So does a different digit, and a letter in a code: `v2`, `USD`.
fn slipped(word: &str, candidate: &str, spelt: &str) -> bool {
    let digits = |text: &str| -> Vec<char> { text.chars().filter(char::is_ascii_digit).collect() };
    let code = spelt.len() <= CODE && !spelt.chars().any(char::is_lowercase);
    let other = word.ends_with(candidate) || candidate.ends_with(word);
    if other || code || digits(word) != digits(candidate) {
        return false;
    }
    let letters = candidate.chars().count();
    let most = if letters < LONG { 1 } else { 2 };
    let length = word.chars().count();
    let short_form = length >= SHORT_FORM && candidate.starts_with(word) && split_words(spelt).len() == 1;
    short_form || (length >= SLIPS_FROM && strsim::osa_distance(word, candidate) <= most)
}

/// How certain it is which candidate was meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NameMatch {
    /// This one, spelt differently.
    Same(usize),
    /// This one, by a clear margin.
    Clearly(usize),
    /// One of these, the best first.
    Maybe(Vec<usize>),
    /// No candidate.
    None,
}

/// How similar a word is to a candidate.
struct Scored<'a> {
    score: f64,
    index: usize,
    spelt: &'a str,
    same: bool,
    slipped: bool,
}

/// Returns which of the candidates a word means as the name of a parameter. There an abbreviation is no slip: `page`
/// is not `page_size`, and `count` not `country`.
pub(super) fn meant_name<'a>(word: &str, candidates: impl Iterator<Item = &'a str> + Clone) -> NameMatch {
    match meant(word, candidates.clone()) {
        NameMatch::Clearly(one) => {
            let word = folded(word);
            let name = candidates.clone().nth(one).map(folded).unwrap_or_default();
            let plural = name.strip_suffix('s') == Some(&word) || word.strip_suffix('s') == Some(&name);
            let short = name.starts_with(&word) || name.chars().count() <= SLIPS_FROM;
            if plural || !short {
                NameMatch::Clearly(one)
            } else {
                NameMatch::Maybe(vec![one])
            }
        }
        other => other,
    }
}

/// Returns which of the candidates a word means.
pub(super) fn meant<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> NameMatch {
    let requested = folded(word);
    if requested.is_empty() {
        return NameMatch::None;
    }
    let written = signs(word);
    let mut scored: Vec<Scored<'a>> = candidates
        .enumerate()
        .map(|(index, candidate)| {
            let group = signs(candidate) == written;
            let spelt = candidate;
            let candidate = folded(candidate);
            Scored {
                score: strsim::jaro_winkler(&requested, &candidate),
                index,
                spelt,
                same: group && candidate == requested,
                slipped: group && slipped(&requested, &candidate, spelt),
            }
        })
        .collect();
    let same: Vec<(usize, &str)> = scored
        .iter()
        .filter(|one| one.same)
        .map(|one| (one.index, one.spelt))
        .collect();
    match same[..] {
        [] => {}
        [one] => return NameMatch::Same(one.0),
        _ => {
            // Where capitals make the difference, they count.
            let bare = word.trim_matches(|c: char| c.is_whitespace() || QUOTES.contains(&c));
            let exactly = same.iter().find(|(_, candidate)| *candidate == bare);
            return match exactly {
                Some((one, _)) => NameMatch::Same(*one),
                None => NameMatch::Maybe(same.iter().map(|one| one.0).collect()),
            };
        }
    }
    // The sort is stable: equal scores keep the order of the candidates.
    scored.sort_by(|a, b| b.score.total_cmp(&a.score));
    let second = scored.get(1).map_or(0.0, |one| one.score);
    match scored.first() {
        Some(best) if best.slipped && best.score >= MEANT && best.score - second >= MARGIN => {
            NameMatch::Clearly(best.index)
        }
        _ => {
            let near: Vec<usize> = scored
                .iter()
                .filter(|one| one.score >= NEAR)
                .take(4)
                .map(|one| one.index)
                .collect();
            if near.is_empty() {
                NameMatch::None
            } else {
                NameMatch::Maybe(near)
            }
        }
    }
}
