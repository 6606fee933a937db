private import CHTTPSystem
private import Glibc

/// Files that only their owner may read.
enum SecretFile {
  /// Makes a folder, where there is none.
  static func makeFolder(_ path: String) throws(HTTPServerError) {
    guard unsafe mkdir(path, 0o700) == 0 || parhelion_error() == EEXIST else {
      throw .system("mkdir", parhelion_error(), path)
    }
  }

  /// Writes a file whole or not at all: whoever reads it meanwhile sees the former one.
  static func write(_ bytes: [UInt8], to path: String) throws(HTTPServerError) {
    let unfinished = "\(path).\(getpid())"
    unsafe unlink(unfinished)
    let descriptor = unsafe open(unfinished, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .system("open", parhelion_error(), unfinished) }
    defer { close(descriptor) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { throw .system("write", parhelion_error(), unfinished) }
      rest = rest.dropFirst(count)
    }
    guard fsync(descriptor) == 0 else { throw .system("fsync", parhelion_error(), unfinished) }
    guard unsafe rename(unfinished, path) == 0 else { throw .system("rename", parhelion_error(), path) }
  }
}
