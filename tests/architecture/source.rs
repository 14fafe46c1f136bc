//! Reads Rust source just well enough to see which modules it names.
//!
//! Must not know: which of them are allowed.

/// The code of a source text: comments and the insides of literals are blanks, lines stay lines.
pub fn code(source: &str) -> String {
    let chars: Vec<char> = source.chars().collect();
    let mut out = String::with_capacity(source.len());
    let mut i = 0;
    while i < chars.len() {
        let end = literal(&chars, i);
        if end == i {
            out.push(chars[i]);
            i += 1;
        } else {
            out.extend(chars[i..end].iter().map(|&c| if c == '\n' { c } else { ' ' }));
            i = end;
        }
    }
    out
}

/// Where the comment or literal that begins at `i` ends; `i` if none begins there.
fn literal(chars: &[char], i: usize) -> usize {
    let at = |k: usize| chars.get(k).copied().unwrap_or('\0');
    let word = |c: char| c.is_alphanumeric() || c == '_';
    match (at(i), at(i + 1)) {
        ('/', '/') => (i..chars.len())
            .find(|&k| chars[k] == '\n')
            .unwrap_or(chars.len()),
        ('/', '*') => block_comment(chars, i),
        ('"', _) => quoted(chars, i + 1, '"'),
        ('\'', '\\') => quoted(chars, i + 1, '\''),
        ('\'', _) if at(i + 2) == '\'' => i + 3,
        ('r', '"' | '#') if i == 0 || !word(at(i - 1)) || at(i - 1) == 'b' || at(i - 1) == 'c' => {
            raw(chars, i)
        }
        _ => i,
    }
}

fn block_comment(chars: &[char], start: usize) -> usize {
    let (mut depth, mut i) = (0, start);
    while i < chars.len() {
        match chars[i..].get(..2) {
            Some(['/', '*']) => (depth, i) = (depth + 1, i + 2),
            Some(['*', '/']) => (depth, i) = (depth - 1, i + 2),
            _ => i += 1,
        }
        if depth == 0 {
            return i;
        }
    }
    i
}

fn quoted(chars: &[char], mut i: usize, quote: char) -> usize {
    while i < chars.len() {
        match chars[i] {
            '\\' => i += 2,
            c if c == quote => return i + 1,
            _ => i += 1,
        }
    }
    chars.len()
}

fn raw(chars: &[char], start: usize) -> usize {
    let hashes = chars[start + 1..].iter().take_while(|&&c| c == '#').count();
    let open = start + 1 + hashes;
    if chars.get(open) != Some(&'"') {
        return start;
    }
    let closes = |k: usize| chars[k] == '"' && (1..=hashes).all(|n| chars.get(k + n) == Some(&'#'));
    (open + 1..chars.len())
        .find(|&k| closes(k))
        .map_or(chars.len(), |k| k + 1 + hashes)
}

/// Code without the items under `#[cfg(test)]`, and the names of modules among those that stand
/// in files of their own.
pub fn without_tests(code: &str) -> (String, Vec<String>) {
    let (mut out, mut modules, mut rest) = (String::new(), Vec::new(), code);
    // The second form is what `code` leaves of a module that tests of other crates use too.
    let marks = ["#[cfg(test)]", "#[cfg(any(test, feature =          ))]"];
    let first = |text: &str| {
        marks
            .iter()
            .filter_map(|mark| Some((text.find(mark)?, mark.len())))
            .min()
    };
    while let Some((at, length)) = first(rest) {
        out.push_str(&rest[..at]);
        let item = &rest[at + length..];
        let end = item_end(item);
        let words: Vec<&str> = item[..end].split_whitespace().collect();
        if let [.., "mod", name] = words[..] {
            modules.extend(name.strip_suffix(';').map(str::to_owned));
        }
        out.extend(item[..end].chars().filter(|&c| c == '\n'));
        rest = &item[end..];
    }
    out.push_str(rest);
    (out, modules)
}

/// Where the first item of a text ends: after its body or its semicolon.
fn item_end(item: &str) -> usize {
    let mut depth = 0_i32;
    for (i, c) in item.char_indices() {
        match c {
            '{' | '(' | '[' => depth += 1,
            '}' | ')' | ']' => {
                depth -= 1;
                if depth == 0 && c == '}' {
                    let semicolon = item[i + 1..].trim_start().starts_with(';');
                    return if semicolon {
                        i + 2 + item[i + 1..].find(';').unwrap_or(0)
                    } else {
                        i + 1
                    };
                }
            }
            ';' if depth == 0 => return i + 1,
            _ => {}
        }
    }
    item.len()
}

/// Every path that the code names from a crate on (`crate` for its own), with its line; groups are taken apart.
pub fn paths(code: &str, root: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = code[from..].find(root).map(|at| from + at) {
        from = at + root.len();
        let before = code[..at].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':' || c == '$') {
            continue;
        }
        let Some(tree) = code[from..].trim_start().strip_prefix("::") else {
            continue;
        };
        let line = code[..at].matches('\n').count() + 1;
        let mut paths = Vec::new();
        leaves(tree, "", &mut paths);
        found.extend(paths.into_iter().map(|path| (line, path)));
    }
    found.sort();
    found
}

/// The paths of a use tree; gives back what follows it.
fn leaves<'a>(tree: &'a str, prefix: &str, out: &mut Vec<String>) -> &'a str {
    let tree = tree.trim_start();
    if let Some(mut inside) = tree.strip_prefix('{') {
        loop {
            inside = inside.trim_start().trim_start_matches(',').trim_start();
            if let Some(after) = inside.strip_prefix('}') {
                return after;
            }
            let before = inside.len();
            inside = leaves(inside, prefix, out);
            if let Some(alias) = inside.trim_start().strip_prefix("as ") {
                inside = alias
                    .trim_start()
                    .trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
            }
            if inside.len() == before {
                return inside;
            }
        }
    }
    let end = tree
        .find(|c: char| !(c.is_alphanumeric() || c == '_'))
        .unwrap_or(tree.len());
    let (name, after) = tree.split_at(end);
    let path = match (prefix, name) {
        ("", name) => name.to_owned(),
        (prefix, "") => format!("{prefix}::*"),
        (prefix, name) => format!("{prefix}::{name}"),
    };
    if let (Some(deeper), false) = (after.trim_start().strip_prefix("::"), name.is_empty()) {
        return leaves(deeper, &path, out);
    }
    out.push(path);
    after.strip_prefix('*').unwrap_or(after)
}

/// The text of the `//!` comment with which a file begins, as one line.
pub fn header(source: &str) -> String {
    let lines = source.lines().map_while(|line| line.strip_prefix("//!"));
    let words: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
    words.join(" ")
}
