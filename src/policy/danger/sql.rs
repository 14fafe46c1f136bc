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
    let mut found: Vec<&'static str> = words.chain(command.input.as_deref()).flat_map(of_text).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// The destructive statements of a text.
fn of_text(text: &str) -> Vec<&'static str> {
    let mut found = Vec::new();
    let plain = plain(text);
    // An option may be right before the text: `-eDROP TABLE x`.
    let plain = plain
        .strip_prefix("-c")
        .or_else(|| plain.strip_prefix("-e"))
        .unwrap_or(&plain);
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
        // The word is a function, too: a statement begins with it.
        if words.first() == Some(&"TRUNCATE") && words.len() > 1 {
            found.push("TRUNCATE");
        }
        if words.first() == Some(&"UPDATE") && words.contains(&"SET") && !words.contains(&"WHERE") {
            found.push("UPDATE");
        }
    }
    found
}

/// The text without comments and what is quoted.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['\'', '-', '/']) {
        let (before, after) = rest.split_at_checked(at).unwrap_or((rest, ""));
        plain.push_str(before);
        let end = |begin: &str, end: &str| {
            let inside = after.strip_prefix(begin)?;
            Some(
                inside
                    .find(end)
                    .and_then(|at| inside.get(at + end.len()..))
                    .unwrap_or_default(),
            )
        };
        let skipped = end("'", "'")
            .or_else(|| end("-- ", "\n"))
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
