//! Opens and reads regular files of bounded size, and never waits for one; makes private directories.
//!
//! Must not know: what is in a file, which files there are.
//!
//! Whatever else has the name of a file (a pipe, a socket, a device, a directory) is refused
//! immediately with its kind. `/dev/null` reads as an empty file.

use std::fs::{DirBuilder, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, FileTypeExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;

use rustix::fs::OFlags;

/// The path that stands for standard input.
const STDIN: &str = "-";
/// The device that reads as an empty file.
const NULL: &str = "/dev/null";

/// Permissions of a private directory.
const OWNER_ALONE: u32 = 0o700;

/// Makes a directory for its owner alone. It must not exist, and those above it must.
pub fn make_directory(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(OWNER_ALONE).create(path)
}

/// Makes a directory for its owner alone, with those above it that are missing. One that exists stays as it is.
pub fn make_directories(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(OWNER_ALONE).recursive(true).create(path)
}

/// What happens to a symbolic link in the last component of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// Followed.
    Follow,
    /// Refused.
    Refuse,
}

/// Opens a file for reading.
pub fn open(path: &Path, links: Links) -> io::Result<File> {
    with(path, OpenOptions::new().read(true), links)
}

/// Opens a file of at most `most` bytes for reading.
pub fn open_bounded(path: &Path, links: Links, most: u64) -> io::Result<File> {
    let file = open(path, links)?;
    if file.metadata()?.len() > most {
        return Err(too_long(most));
    }
    Ok(file)
}

/// Opens an existing file for reading and appending. Links are refused.
pub fn appendable(path: &Path) -> io::Result<File> {
    with(path, OpenOptions::new().read(true).append(true), Links::Refuse)
}

/// Opens the empty device, which a child reads in place of an input.
pub fn null() -> io::Result<File> {
    OpenOptions::new().read(true).open("/dev/null")
}

/// Opens a file for appending, and creates it if it is missing, readable for its owner alone.
pub fn append(path: &Path) -> io::Result<File> {
    with(path, OpenOptions::new().append(true).create(true), Links::Follow)
}

/// Creates a file for reading and appending, readable for its owner alone. It must not exist.
pub fn create(path: &Path) -> io::Result<File> {
    // Existing files are never opened, whatever their kind.
    let mut options = OpenOptions::new();
    options.read(true).append(true).create_new(true);
    options.mode(0o600).open(path)
}

/// Creates a file, readable for its owner alone, or truncates an existing one. Links are refused.
pub fn rewrite(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    with(
        path,
        options.write(true).create(true).truncate(true),
        Links::Refuse,
    )
}

/// Writes a whole file, readable for its owner alone, by way of a draft in the same directory: at any time the file has
/// its old or its new content.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let draft = path.with_extension(format!("{}.part", std::process::id()));
    let mut file = rewrite(&draft)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    std::fs::rename(&draft, path)
}

/// Opens a file for reading and writing, and creates it empty if it is missing. Links are refused.
pub fn ensure(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    with(
        path,
        options.read(true).write(true).create(true).truncate(false),
        Links::Refuse,
    )
}

/// Opens a directory, in order to lock or sync it.
pub fn open_dir(path: &Path) -> io::Result<File> {
    let flags = OFlags::DIRECTORY | OFlags::NONBLOCK;
    // The flags of open(2) fit into 32 bits on every supported system.
    OpenOptions::new()
        .read(true)
        .custom_flags(flags.bits() as i32)
        .open(path)
}

/// Reads a whole file of at most `most` bytes.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    read_open(open(path, Links::Follow)?, most)
}

/// Reads the rest of an opened file, which has at most `most` bytes.
pub fn read_open(file: File, most: u64) -> io::Result<Vec<u8>> {
    if file.metadata()?.len() > most {
        return Err(too_long(most));
    }
    bounded(file, most)
}

/// Reads a whole text file of at most `most` bytes.
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    text(read(path, most)?)
}

/// Reads a whole file, or standard input where the path is `-`; at most `most` bytes of either.
pub fn read_input(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    if path == Path::new(STDIN) {
        bounded(io::stdin().lock(), most)
    } else {
        read(path, most)
    }
}

/// The bytes as text, or in which line they are none.
pub fn text(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let before = error.as_bytes().get(..valid).unwrap_or_default();
        let line = before.split(|byte| *byte == b'\n').count();
        io::Error::new(ErrorKind::InvalidData, format!("line {line} is not UTF-8 text"))
    })
}

/// Reads to the end, but not for ever: what has more than `most` bytes is refused.
fn bounded(from: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(too_long(most));
    }
    Ok(bytes)
}

fn too_long(most: u64) -> io::Error {
    let most = match (most >> 20, most >> 10) {
        (1024.., _) => format!("{} GiB", most >> 30),
        (1.., _) => format!("{} MiB", most >> 20),
        (_, 1..) => format!("{} KiB", most >> 10),
        _ => format!("{most} bytes"),
    };
    io::Error::new(ErrorKind::FileTooLarge, format!("it is larger than {most}"))
}

fn with(path: &Path, options: &mut OpenOptions, links: Links) -> io::Result<File> {
    // Checked before it is opened as well: opening some devices has an effect.
    match links {
        Links::Follow => path.metadata(),
        Links::Refuse => path.symlink_metadata(),
    }
    .map_or_else(
        |error| (error.kind() == ErrorKind::NotFound).then_some(()).ok_or(error),
        |meta| check(&meta),
    )?;
    let mut flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    if links == Links::Refuse {
        flags |= OFlags::NOFOLLOW;
    }
    // The flags of open(2) fit into 32 bits on every supported system.
    let file = options.mode(0o600).custom_flags(flags.bits() as i32).open(path)?;
    check(&file.metadata()?)?;
    Ok(file)
}

/// Returns an error for anything but a regular file or `/dev/null`.
fn check(meta: &Metadata) -> io::Result<()> {
    let kind = meta.file_type();
    let what = match () {
        () if kind.is_file() => return Ok(()),
        () if kind.is_char_device() && is_null(meta) => return Ok(()),
        () if kind.is_dir() => "a directory",
        () if kind.is_fifo() => "a named pipe",
        () if kind.is_socket() => "a socket",
        () if kind.is_symlink() => "a symbolic link",
        () => "a device",
    };
    Err(io::Error::new(
        ErrorKind::InvalidInput,
        format!("it is {what}, not a regular file"),
    ))
}

fn is_null(meta: &Metadata) -> bool {
    std::fs::metadata(NULL).is_ok_and(|null| null.rdev() == meta.rdev())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    use std::os::unix::net::UnixListener;

    use super::*;

    const MOST: u64 = 1 << 20;

    fn why<T>(result: io::Result<T>) -> String {
        result.err().unwrap().to_string()
    }

    #[test]
    fn what_is_no_regular_file_is_refused_at_once_with_its_kind() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        rustix::fs::mkfifoat(rustix::fs::CWD, at("fifo"), rustix::fs::Mode::RWXU).unwrap();
        let _socket = UnixListener::bind(at("socket")).unwrap();
        std::fs::create_dir(at("dir")).unwrap();
        symlink("/dev/zero", at("zero")).unwrap();
        symlink(at("fifo"), at("to-fifo")).unwrap();
        for (name, kind) in [
            ("fifo", "a named pipe"),
            ("to-fifo", "a named pipe"),
            ("socket", "a socket"),
            ("dir", "a directory"),
            ("zero", "a device"),
        ] {
            let path = at(name);
            assert!(why(read(&path, MOST)).contains(kind), "{name}");
            assert!(why(append(&path)).contains(kind), "{name}");
            for opened in [
                open(&path, Links::Refuse),
                appendable(&path),
                rewrite(&path),
                ensure(&path),
            ] {
                let why = why(opened);
                assert!(
                    why.contains(kind) || why.contains("symbolic link"),
                    "{name}: {why}"
                );
            }
        }
        assert_eq!(create(&at("fifo")).unwrap_err().kind(), ErrorKind::AlreadyExists);
        assert_eq!(create(&at("zero")).unwrap_err().kind(), ErrorKind::AlreadyExists);
        assert!(open_dir(&at("fifo")).is_err() && open_dir(&at("dir")).is_ok());
    }

    #[test]
    fn nothing_is_read_beyond_the_bound() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        std::fs::write(&path, "four").unwrap();
        assert_eq!(read_text(&path, 4).unwrap(), "four");
        assert_eq!(why(read(&path, 3)), "it is larger than 3 bytes");
        // A terabyte that takes no place.
        std::fs::File::create(&path).unwrap().set_len(1 << 40).unwrap();
        assert_eq!(why(read(&path, MOST)), "it is larger than 1 MiB");
        assert_eq!(why(bounded(io::repeat(0), 4096)), "it is larger than 4 KiB");
    }

    #[test]
    fn an_empty_file_reads_as_empty_and_invalid_utf8_gives_the_line() {
        assert_eq!(read(Path::new("/dev/null"), MOST).unwrap(), b"");
        assert_eq!(
            read(Path::new("/nowhere/at/all"), MOST).unwrap_err().kind(),
            ErrorKind::NotFound
        );
        assert_eq!(why(text(b"a\nb\xff".to_vec())), "line 2 is not UTF-8 text");
    }

    #[test]
    fn what_is_created_is_for_its_owner_alone() {
        let dir = tempfile::tempdir().unwrap();
        for make in [create, append, rewrite, ensure] {
            let path = dir.path().join("f");
            assert_eq!(make(&path).unwrap().metadata().unwrap().mode() & 0o777, 0o600);
            std::fs::remove_file(&path).unwrap();
        }
    }

    #[test]
    fn what_is_made_is_for_its_owner_alone_and_what_exists_stays() {
        let place = tempfile::tempdir().unwrap();
        let open = place.path().join("open");
        fs::create_dir(&open).unwrap();
        fs::set_permissions(&open, fs::Permissions::from_mode(0o755)).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;

        let deep = open.join("a/b");
        assert!(make_directory(&deep).is_err() && !open.join("a").exists());
        make_directories(&deep).unwrap();
        make_directories(&deep).unwrap();
        assert_eq!(
            (mode(&open), mode(&open.join("a")), mode(&deep)),
            (0o755, 0o700, 0o700)
        );

        make_directory(&deep.join("c")).unwrap();
        assert_eq!(mode(&deep.join("c")), 0o700);
        let again = make_directory(&deep.join("c")).unwrap_err();
        assert_eq!(again.kind(), io::ErrorKind::AlreadyExists);
    }
}
