//! Finds destructive statements of SQL in the words and the input of a client.
//!
//! Must not know: the table of dangers, rules.

use overrule_base::shell_line::Command;

/// Clients that take statements as words or as input.
const CLIENTS: &[&str] = &[
    "psql",
    "mysql",
    "mariadb",
    "sqlite3",
    "sqlite",
    "duckdb",
    "cockroach",
    "clickhouse-client",
    "clickhouse",
    "sqlcmd",
    "bq",
    "snowsql",
    "mycli",
    "pgcli",
    "litecli",
    "usql",
    "trino",
    "presto",
    "hive",
    "beeline",
    "impala-shell",
    "cqlsh",
    "turso",
    "wrangler",
    "prisma",
    "isql",
    "sqlplus",
    "mssql-cli",
];
/// What `DROP` is followed by. Other words after it are names.
const DROPPED: &[&str] = &[
    "TABLE",
    "DATABASE",
    "SCHEMA",
    "INDEX",
    "VIEW",
    "MATERIALIZED",
    "COLUMN",
    "CONSTRAINT",
    "ROLE",
    "USER",
    "TRIGGER",
    "FUNCTION",
    "PROCEDURE",
    "SEQUENCE",
    "TYPE",
    "EXTENSION",
    "TABLESPACE",
    "PARTITION",
    "OWNED",
    "POLICY",
    "KEYSPACE",
    "DOMAIN",
    "EVENT",
    "FOREIGN",
    "PRIMARY",
];

/// Returns the destructive statements that a command gives to a client: `DROP`, `TRUNCATE`, `DELETE`, and `UPDATE` of all rows.
pub(super) fn statements(command: &Command) -> Vec<&'static str> {
    let program = command.program_name().unwrap_or_default();
    let program = program.rsplit('/').next().unwrap_or(program);
    if !CLIENTS.contains(&program) {
        return Vec::new();
    }
    let words = command.words.iter().skip(1).map(|word| word.text.as_str());
    let words = words.map(
        |text| match text.strip_prefix("--").and_then(|long| long.split_once('=')) {
            Some((_, value)) => value,
            None => text,
        },
    );
    let words = words.flat_map(|text| std::iter::once(text).chain(attached(text)));
    // Some servers take a backslash before a quotation mark as a part of a text, some do not.
    let readings = words
        .chain(command.input.as_deref())
        .flat_map(|text| [(text, false), (text, true)]);
    let mut found: Vec<&'static str> = readings
        .flat_map(|(text, escapes)| of_text(text, escapes))
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// The texts that may stand right after an option in the same word: `-NseDROP TABLE x`.
fn attached(text: &str) -> impl Iterator<Item = &str> {
    let letters = text.strip_prefix('-').unwrap_or_default();
    let end = letters
        .find(|c: char| !c.is_ascii_alphanumeric())
        .unwrap_or(letters.len());
    let places = letters.char_indices().take(end.min(8));
    places.filter_map(|(at, c)| ['c', 'e'].contains(&c).then(|| letters.get(at + 1..))?)
}

/// The destructive statements of a text.
fn of_text(text: &str, escapes: bool) -> Vec<&'static str> {
    let mut found = Vec::new();
    let plain = plain(text, escapes);
    for statement in plain.split(';') {
        let upper = statement.to_ascii_uppercase();
        let words: Vec<&str> = upper
            .split(|c: char| !(c.is_alphanumeric() || c == '_'))
            .filter(|word| !word.is_empty())
            .collect();
        for pair in words.windows(2) {
            match pair {
                ["DROP", what] if DROPPED.contains(what) => found.push("DROP"),
                ["DELETE", "FROM"] => found.push("DELETE"),
                _ => {}
            }
        }
        // Whatever it drops.
        if words.first() == Some(&"DROP") && words.len() > 1 {
            found.push("DROP");
        }
        // The word is a function, too: a statement begins with it.
        if words.first() == Some(&"TRUNCATE") && words.len() > 1 {
            found.push("TRUNCATE");
        }
        // A column, or several tables.
        let changes_table = words.first() == Some(&"ALTER") && words.get(1) == Some(&"TABLE");
        let drops = |pair: &[&str]| matches!(pair, ["DROP", what] if !["DEFAULT", "NOT", "IDENTITY", "EXPRESSION"].contains(what));
        if changes_table && words.windows(2).any(drops) {
            found.push("DROP");
        }
        if words.first() == Some(&"DELETE") && words.contains(&"FROM") {
            found.push("DELETE");
        }
        if words.first() == Some(&"UPDATE") && words.contains(&"SET") && !words.contains(&"WHERE") {
            found.push("UPDATE");
        }
    }
    found
}

/// The text without comments and what is quoted. A comment that some servers run (`/*!`) is none.
fn plain(text: &str, escapes: bool) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['\'', '-', '/']) {
        let (before, after) = rest.split_at_checked(at).unwrap_or((rest, ""));
        plain.push_str(before);
        let end = |begin: &str, end: &str| {
            let inside = after.strip_prefix(begin)?;
            let at = inside.find(end);
            Some(at.and_then(|at| inside.get(at + end.len()..)).unwrap_or_default())
        };
        let run = || {
            let inside = after.strip_prefix("/*!")?;
            Some(inside.trim_start_matches(|c: char| c.is_ascii_digit()))
        };
        let skipped = after
            .strip_prefix('\'')
            .map(|inside| after_text(inside, escapes))
            .or_else(|| end("-- ", "\n"))
            .or_else(run)
            .or_else(|| end("/*", "*/"));
        if let Some(skipped) = skipped {
            plain.push(' ');
            rest = skipped;
        } else {
            let mut chars = after.chars();
            plain.extend(chars.next());
            rest = chars.as_str();
        }
    }
    plain.push_str(rest);
    plain
}

/// What follows a quoted text.
fn after_text(inside: &str, escapes: bool) -> &str {
    let mut chars = inside.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' if escapes => drop(chars.next()),
            '\'' => return chars.as_str(),
            _ => {}
        }
    }
    ""
}
