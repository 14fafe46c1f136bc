//! Lists the files and directories that hold keys, tokens and the like, and those that are caches.
//!
//! Must not know: which of them exist.

/// A path that a confined child cannot read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// The path, below the home directory or the root of the file system. `*` in the last name stands for any part of it.
    pub place: &'static str,
    /// What lies there: a program, and its manual or file.
    pub by: &'static str,
}

const fn row(place: &'static str, by: &'static str) -> Row {
    Row { place, by }
}

/// Below the home directory. The source of a row is the manual of its program.
///
/// Settings that a build needs and that only sometimes hold a token stay readable: `.config/pip`, `.gradle`,
/// `.m2/settings.xml`, `.terraformrc`. `.npmrc` is hidden, because `npm login` writes its token there, and npm goes on
/// without the file. Histories of shells are hidden, because typed passwords lie in them and no build reads them.
pub const AT_HOME: &[Row] = &[
    row(".ssh", "ssh (ssh: FILES)"),
    row(".gnupg", "GnuPG (gpg: FILES)"),
    row(".password-store", "pass (pass: FILES)"),
    row(".config/age", "age (keys)"),
    row(".config/sops", "sops (age keys)"),
    row(".netrc", "curl, git and others (curl: --netrc)"),
    row(".authinfo", "Emacs (auth-source)"),
    row(".authinfo.gpg", "Emacs (auth-source)"),
    row(".git-credentials", "git (git-credential-store)"),
    row(".config/git/credentials", "git (git-credential-store)"),
    row(".subversion/auth", "Subversion (runtime configuration area)"),
    row(".config/gh", "the GitHub CLI (hosts.yml)"),
    row(".config/hub", "hub"),
    row(".config/glab-cli", "the GitLab CLI (config.yml)"),
    row(".aws", "the AWS CLI (credentials, sso)"),
    row(".azure", "the Azure CLI (token cache)"),
    row(".config/gcloud", "the Google Cloud CLI (credentials.db)"),
    row(".config/doctl", "the DigitalOcean CLI (config.yaml)"),
    row(".oci", "the Oracle Cloud CLI (config, keys)"),
    row(".config/op", "the 1Password CLI"),
    row(".config/configstore", "the Firebase CLI and others (tokens)"),
    row(".config/rclone", "rclone (rclone.conf)"),
    row(".s3cfg", "s3cmd"),
    row(".boto", "gsutil"),
    row(".kube", "kubectl (kubeconfig)"),
    row(".docker", "docker (config.json: auths)"),
    row(".config/containers/auth.json", "podman (containers-auth.json)"),
    row(".terraform.d/credentials.tfrc.json", "terraform (login)"),
    row(".pulumi/credentials.json", "pulumi (login)"),
    row(".vault-token", "vault (token helper)"),
    row(".databrickscfg", "the Databricks CLI"),
    row(".kaggle/kaggle.json", "the Kaggle CLI"),
    row(".cache/huggingface/token", "the Hugging Face CLI (login)"),
    row(".pgpass", "psql (The Password File)"),
    row(".my.cnf", "mysql (option files)"),
    row(".mylogin.cnf", "mysql (mysql_config_editor)"),
    row(".cargo/credentials.toml", "cargo (cargo login)"),
    row(".cargo/credentials", "cargo (cargo login)"),
    row(".npmrc", "npm (npm login: _authToken)"),
    row(".pypirc", "twine (The .pypirc file)"),
    row(".gem/credentials", "gem (gem signin)"),
    row(".local/share/gem/credentials", "gem (gem signin)"),
    row(".composer/auth.json", "composer (auth.json)"),
    row(".config/composer/auth.json", "composer (auth.json)"),
    row(".m2/settings-security.xml", "Maven (password encryption)"),
    row(".local/share/keyrings", "GNOME Keyring"),
    row(".local/share/kwalletd", "KWallet"),
    row(".pki", "NSS (shared database of keys)"),
    row(".config/solana/id.json", "the Solana CLI (keypair)"),
    row(".ethereum/keystore", "geth (accounts)"),
    row(".bitcoin", "Bitcoin Core (wallets)"),
    row(".mozilla", "Firefox (profiles)"),
    row(".thunderbird", "Thunderbird (profiles)"),
    row(".config/google-chrome", "Chrome (user data directory)"),
    row(".config/chromium", "Chromium (user data directory)"),
    row(".config/BraveSoftware", "Brave (user data directory)"),
    row(".config/microsoft-edge", "Edge (user data directory)"),
    row(".config/vivaldi", "Vivaldi (user data directory)"),
    row(".config/opera", "Opera (user data directory)"),
    row("snap/firefox", "Firefox (snap)"),
    row("snap/chromium", "Chromium (snap)"),
    row(".var/app/org.mozilla.firefox", "Firefox (Flatpak)"),
    row(".var/app/com.google.Chrome", "Chrome (Flatpak)"),
    row(".var/app/org.chromium.Chromium", "Chromium (Flatpak)"),
    row("Library/Keychains", "macOS (keychains)"),
    row("Library/Cookies", "macOS (cookies)"),
    row("Library/Safari", "Safari"),
    row("Library/Application Support/Google/Chrome", "Chrome (macOS)"),
    row("Library/Application Support/Chromium", "Chromium (macOS)"),
    row("Library/Application Support/BraveSoftware", "Brave (macOS)"),
    row("Library/Application Support/Microsoft Edge", "Edge (macOS)"),
    row("Library/Application Support/Firefox", "Firefox (macOS)"),
    row(".claude/.credentials.json", "Claude Code (login)"),
    row(
        ".claude.json",
        "Claude Code (API key, environment of MCP servers)",
    ),
    row(".codex/auth.json", "Codex (login)"),
    row(".gemini/oauth_creds.json", "Gemini CLI (login)"),
    row(".qwen/oauth_creds.json", "Qwen Code (login)"),
    row(".local/share/opencode/auth.json", "opencode (auth login)"),
    row(".config/github-copilot", "GitHub Copilot (hosts.json, apps.json)"),
    row(".bash_history", "bash (HISTFILE)"),
    row(".zsh_history", "zsh (HISTFILE)"),
    row(".local/share/fish/fish_history", "fish (history)"),
    row(".python_history", "Python (site)"),
    row(".node_repl_history", "Node.js (REPL)"),
    row(".psql_history", "psql (HISTFILE)"),
    row(".mysql_history", "mysql (MYSQL_HISTFILE)"),
];

/// Below the root of the file system. They count where this process can read them: as root, or where they are open by
/// mistake. Elsewhere the permissions of the kernel hold.
pub const IN_SYSTEM: &[Row] = &[
    row("etc/shadow", "shadow(5)"),
    row("etc/shadow-", "shadow(5)"),
    row("etc/gshadow", "gshadow(5)"),
    row("etc/gshadow-", "gshadow(5)"),
    row("etc/security/opasswd", "pam_pwhistory(8)"),
    row("etc/sudoers", "sudoers(5)"),
    row("etc/sudoers.d", "sudoers(5)"),
    row("etc/ssh/ssh_host_*_key", "sshd(8)"),
    row("etc/ssl/private", "Debian (keys of servers)"),
    row("etc/pki/tls/private", "Fedora (keys of servers)"),
    row("etc/letsencrypt", "certbot (keys of servers)"),
    row("etc/wireguard", "wg-quick(8)"),
    row("etc/openvpn", "openvpn(8)"),
    row(
        "etc/NetworkManager/system-connections",
        "NetworkManager (passwords of networks)",
    ),
    row("etc/krb5.keytab", "kerberos(7)"),
    row("etc/kubernetes", "kubeadm (admin.conf, pki)"),
    row("etc/rancher", "k3s and RKE2 (kubeconfig)"),
    row("run/secrets", "Docker and Kubernetes (secrets)"),
];

/// Directories that hold the homes of people.
pub const HOMES: &[&str] = &["home", "Users"];

/// Names in them that are no person's home: hiding these would break commands.
pub const NOT_HOMES: &[&str] = &["linuxbrew", "Shared"];

/// Names of directories that hold homes, wherever they lie.
pub const NAMES_OF_HOMES: &[&str] = &["home", "homes", "Users", "users"];

/// Caches below the home directory that builds write to, and a name for each.
pub const CACHES: &[(&str, &str)] = &[
    (".cache", "cache"),
    (".npm", "npm"),
    (".cargo/registry", "cargo-registry"),
    (".cargo/git", "cargo-git"),
    ("go/pkg", "go-pkg"),
    (".gradle", "gradle"),
    (".m2", "m2"),
    (".bun", "bun"),
    (".local/share/pnpm", "pnpm"),
];

/// Variables that name a cache, and the name of a private one. `GOMODCACHE`, `CARGO_HOME` and `GRADLE_USER_HOME` are none
/// of them: what lies there is needed without a network, and Go and cargo read it without writing.
pub const CACHE_VARIABLES: &[(&str, &str)] = &[
    ("XDG_CACHE_HOME", "cache"),
    ("GOCACHE", "go-build"),
    ("npm_config_cache", "npm"),
    ("YARN_CACHE_FOLDER", "yarn"),
    ("BUN_INSTALL_CACHE_DIR", "bun"),
    ("PIP_CACHE_DIR", "pip"),
    ("CCACHE_DIR", "ccache"),
];
