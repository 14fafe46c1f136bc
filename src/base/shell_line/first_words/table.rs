//! The table of programs that run what their arguments name, for a rule about the first words of a command.
//!
//! Must not know: how a line is read, rules.
//!
//! Wrappers (`env CMD`, `uv run CMD`) are in a table of their own. The source of a row is the manual that it names.

/// A program that runs what its arguments name.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    /// Its names. A `*` at the end covers a version.
    pub(super) programs: &'static str,
    /// Subcommands after which another word names what runs.
    pub(super) then: &'static str,
    /// Options without a value, or with one in the same word. One letter is a short option; `+` begins any such word.
    pub(super) flags: &'static str,
    /// Options with a value that says nothing about what runs.
    pub(super) values: &'static str,
    /// Options whose value names what runs.
    pub(super) names: &'static str,
    /// Options after which no number of words is enough: their value is code, or gives what runs more rights.
    pub(super) code: &'static str,
    /// The manual.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "for people, and for the test that none is missing")
    )]
    pub(super) source: &'static str,
}

const NONE: Row = Row {
    programs: "",
    then: "",
    flags: "",
    values: "",
    names: "",
    code: "",
    source: "",
};

/// The rows.
pub(super) const ROWS: &[Row] = &[
    // Interpreters.
    Row {
        programs: "python* pypy*",
        flags: "b bb B d E I O OO P q s S u v x",
        values: "W X check-hash-based-pycs",
        names: "m",
        code: "c",
        source: "python(1)",
        ..NONE
    },
    Row {
        programs: "node nodejs",
        flags: "test watch no-warnings trace-warnings enable-source-maps check experimental-vm-modules",
        values: "test-reporter test-name-pattern max-old-space-size",
        code: "e eval p print r require import loader experimental-loader input-type",
        source: "node(1)",
        ..NONE
    },
    Row {
        programs: "ts-node tsx",
        flags: "T transpile-only files esm watch",
        values: "P project tsconfig",
        code: "e eval p print r require import",
        source: "ts-node --help",
        ..NONE
    },
    Row {
        programs: "deno",
        then: "run task x",
        flags: "A allow-all allow-read allow-net allow-env allow-run no-prompt q quiet check no-check",
        values: "c config",
        code: "eval",
        source: "deno --help",
        ..NONE
    },
    Row {
        programs: "bun",
        then: "run x",
        flags: "b bun silent watch hot",
        values: "cwd config c",
        code: "e eval p print r preload",
        source: "bun --help",
        ..NONE
    },
    Row {
        programs: "ruby jruby",
        flags: "w W v",
        values: "I E",
        code: "e r",
        source: "ruby(1)",
        ..NONE
    },
    Row {
        programs: "perl",
        flags: "w W t T c",
        values: "I",
        code: "e E M m n p i",
        source: "perlrun(1)",
        ..NONE
    },
    Row {
        programs: "php",
        flags: "n q",
        values: "c d",
        names: "f file",
        code: "r run B R E process-begin process-code process-end",
        source: "php(1)",
        ..NONE
    },
    Row {
        programs: "lua* luajit Rscript julia elixir escript groovy scala java",
        flags: "vanilla q quiet",
        values: "project",
        names: "jar cp",
        code: "e l eval",
        source: "lua(1), Rscript(1), julia(1), elixir(1), groovy(1), java(1)",
        ..NONE
    },
    Row {
        programs: "sh bash dash zsh ash ksh mksh",
        flags: "e u x v eu ex ux eux euo",
        values: "o",
        code: "c lc",
        source: "bash(1), dash(1)",
        ..NONE
    },
    // Scripts of packages.
    Row {
        programs: "npm pnpm yarn",
        then: "run run-script exec x explore workspace workspaces",
        flags: "s silent q quiet workspaces if-present r recursive",
        values: "prefix C dir cwd w workspace filter F loglevel",
        code: "c call",
        source: "npm-run(1), pnpm run, yarn run",
        ..NONE
    },
    Row {
        programs: "npx bunx pnpx uvx",
        flags: "y yes no no-install q quiet",
        values: "p package from with",
        code: "c call",
        source: "npx(1), uvx --help",
        ..NONE
    },
    Row {
        programs: "pipx composer poetry pdm pipenv hatch rye pixi uv",
        then: "run run-script exec tool",
        flags: "q quiet v no-interaction n",
        values: "C directory project d working-dir",
        source: "pipx --help, composer(1), poetry --help, uv --help",
        ..NONE
    },
    // Targets.
    Row {
        programs: "make gmake bmake ninja just task rake mage invoke inv nox tox doit scons",
        flags: "s k B i silent keep-going always-make no-print-directory q quiet v verbose",
        values: "j jobs C directory f file makefile d working-directory justfile t taskfile l load-average",
        names: "e session s",
        code: "eval E c command",
        source: "make(1), ninja(1), just(1), task --help, rake(1), tox(1)",
        ..NONE
    },
    Row {
        programs: "mvn mvnw gradle gradlew ant sbt lein mill bazel bazelisk buck2",
        then: "run",
        flags: "q quiet B batch-mode o offline e debug no-daemon info stacktrace",
        values: "f file p project-dir pl projects",
        source: "mvn --help, gradle --help, bazel help",
        ..NONE
    },
    Row {
        programs: "cargo",
        then: "xtask",
        flags: "+ q quiet v verbose locked offline frozen",
        values: "color manifest-path C",
        code: "config Z",
        source: "cargo(1)",
        ..NONE
    },
    Row {
        programs: "go",
        then: "run tool",
        values: "C",
        flags: "race v",
        code: "exec toolexec",
        source: "go help",
        ..NONE
    },
    Row {
        programs: "dotnet mix rails php-artisan bin/rails",
        then: "run exec tool runner",
        flags: "q quiet v",
        values: "project",
        code: "e eval",
        source: "dotnet(1), mix help, rails --help",
        ..NONE
    },
    // Containers and clusters.
    Row {
        programs: "docker podman nerdctl docker-compose",
        then: "run exec create compose container image buildx start restart service stack",
        flags: "rm i t it ti d detach init no-TTY T q quiet build",
        values: "name e env env-file w workdir p publish u user f file profile project-name project-directory c context",
        code: "entrypoint v volume mount privileged cap-add device network pid H host",
        source: "docker(1), docker-run(1), docker-compose(1)",
        ..NONE
    },
    Row {
        programs: "kubectl oc helm",
        then: "exec run debug attach cp apply create get describe logs rollout scale patch install upgrade",
        flags: "i t it w watch A all-namespaces",
        values: "n namespace context o output l selector f filename c container",
        code: "as kubeconfig s server token",
        source: "kubectl(1), helm help",
        ..NONE
    },
    // A setting of git can be a program.
    Row {
        programs: "git",
        then: "bisect submodule worktree stash remote config lfs annex flow hook maintenance notes rebase",
        flags: "no-pager P p paginate no-optional-locks literal-pathspecs",
        values: "C git-dir work-tree namespace",
        code: "c config-env exec-path",
        source: "git(1)",
        ..NONE
    },
];
