//! Tables of the programs that name files: runners, interpreters, and what their options load; limits of the search.
//!
//! Must not know: how operands are read.

/// Directories in which a word may name a file.
pub(super) const BASES: usize = 16;
/// Maximum number of words that are checked.
pub(super) const WORDS: usize = 8_192;
/// Maximum number of file system checks.
pub(super) const LOOKS: usize = 4_096;
/// Maximum number of words whose file is unknown.
pub(super) const UNTOLD: usize = 16;
/// Programs that run the content of a file argument. Digits and dots of a version may follow.
pub(super) const INTERPRETERS: [&str; 69] = [
    ".",
    "ansible-playbook",
    "ash",
    "awk",
    "bash",
    "bb",
    "bun",
    "busybox",
    "clojure",
    "cmake",
    "crystal",
    "csh",
    "dash",
    "deno",
    "elixir",
    "emacs",
    "ex",
    "expect",
    "fish",
    "gawk",
    "gdb",
    "gmake",
    "go",
    "groovy",
    "guile",
    "java",
    "julia",
    "just",
    "ksh",
    "lua",
    "luajit",
    "make",
    "mawk",
    "mksh",
    "nawk",
    "ninja",
    "node",
    "nodejs",
    "nvim",
    "ocaml",
    "octave",
    "parallel",
    "perl",
    "php",
    "pwsh",
    "pypy",
    "python",
    "racket",
    "raku",
    "Rscript",
    "ruby",
    "runghc",
    "runhaskell",
    "scala",
    "sed",
    "sh",
    "source",
    "sqlite3",
    "swift",
    "tclsh",
    "tcsh",
    "ts-node",
    "tsx",
    "uv",
    "uvx",
    "vim",
    "xargs",
    "xonsh",
    "zsh",
];
/// Programs that run files of their users, and whose names are words, too: only as the program of a command they count.
pub(super) const RUNNERS: [&str; 55] = [
    "accelerate",
    "ava",
    "blender",
    "bpython",
    "celery",
    "cucumber",
    "esbuild",
    "eslint",
    "fab",
    "fastapi",
    "flask",
    "grunt",
    "gulp",
    "gunicorn",
    "invoke",
    "ipython",
    "irb",
    "jest",
    "jruby",
    "jshell",
    "jython",
    "k6",
    "karma",
    "ksh93",
    "lldb",
    "locust",
    "manim",
    "micropython",
    "mocha",
    "mysql",
    "newman",
    "nox",
    "osascript",
    "pdb",
    "perl6",
    "phpunit",
    "playwright",
    "pry",
    "psql",
    "pytest",
    "R",
    "rake",
    "rollup",
    "rspec",
    "scons",
    "scrapy",
    "streamlit",
    "swipl",
    "torchrun",
    "tox",
    "uvicorn",
    "vite",
    "vitest",
    "webpack",
    "wish",
];
/// Interpreters that take a script as an argument, and a script file only after an option.
pub(super) const BY_OPTION: [&str; 20] = [
    "awk", "cmake", "emacs", "ex", "gawk", "gdb", "gmake", "go", "just", "make", "mawk", "nawk", "ninja",
    "nvim", "parallel", "sed", "sqlite3", "uv", "vim", "xargs",
];
/// Interpreters that run a module by its name.
pub(super) const BY_MODULE: [&str; 2] = ["pypy", "python"];
/// Interpreters that run a file without its ending, or one of a directory, and what they add to the name.
pub(super) const IMPLIED: [(&[&str], &[&str]); 2] = [
    (
        &["bun", "deno", "node", "nodejs"],
        &[".js", ".cjs", ".mjs", "/index.js", "/package.json"],
    ),
    (&["pypy", "python"], &["/__main__.py"]),
];
/// Interpreters that run what they read, where they get no file.
pub(super) const BY_INPUT: [&str; 19] = [
    "ash", "bash", "bun", "busybox", "dash", "deno", "fish", "ksh", "lua", "mksh", "node", "perl", "php",
    "python", "ruby", "sh", "tclsh", "xargs", "zsh",
];
/// The interpreter of the output of a pipe.
pub(super) const INPUT: &str = "sh";
/// Variables with files that a program loads when it starts.
pub(super) const LOADED: [&str; 9] = [
    "BASH_ENV",
    "ENV",
    "LD_AUDIT",
    "LD_PRELOAD",
    "NODE_OPTIONS",
    "PERL5OPT",
    "PYTHONSTARTUP",
    "RUBYOPT",
    "DYLD_INSERT_LIBRARIES",
];
/// The variable with the directories in which a program is searched.
pub(super) const SEARCH_PATH: &str = "PATH";
