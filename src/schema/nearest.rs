//! Finds the known name that a misspelt one may have meant.
//!
//! Must not know: what the names are names of.

/// Maximum number of names of a schema that are compared with a misspelt one.
pub(super) const MOST_NAMES: usize = 500;

/// Returns at most three candidates similar to `word`, the best first, or none if none is close.
pub fn near<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let requested = plain(word);
    let mut scored: Vec<(f64, &str)> = candidates
        .into_iter()
        .filter_map(|candidate| {
            let score = score(&requested, &plain(candidate));
            (score >= 0.6).then_some((score, candidate))
        })
        .collect();
    // The sort is stable: equal scores keep the order of the candidates.
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored
        .into_iter()
        .take(3)
        .map(|(_, name)| name.to_owned())
        .collect()
}

/// Drops case and separators, which carry no meaning in a misspelt name: `readFile` means `read_file`.
fn plain(word: &str) -> String {
    word.chars()
        .take(80)
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

fn score(a: &str, b: &str) -> f64 {
    if a.is_empty() || b.is_empty() {
        return 0.0;
    }
    let edits = strsim::normalized_damerau_levenshtein(a, b);
    // A word and its longer form (`list`, `list_dir`) are close although many letters differ.
    let contained = a.len().min(b.len()) >= 3 && (a.contains(b) || b.contains(a));
    if contained { edits.max(0.7) } else { edits }
}
