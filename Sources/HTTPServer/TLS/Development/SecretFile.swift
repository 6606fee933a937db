private import Glibc
private import SystemFiles

/// Files that only their owner may read.
enum SecretFile {
  /// Creates a folder if it does not exist.
  static func makeFolder(_ path: String) throws(HTTPServerError) {
    try translatingErrors { () throws(SystemFailure) in try FileNames.makeFolder(path) }
  }

  /// Writes a file atomically: a concurrent reader sees either the previous or the new contents.
  static func write(_ bytes: [UInt8], to path: String) throws(HTTPServerError) {
    let unfinished = "\(path).\(getpid())"
    try translatingErrors { () throws(SystemFailure) in
      try FileNames.remove(unfinished)
      let file = try FileDescriptor(unfinished, for: .creating)
      try file.write(bytes)
      try file.sync()
      try FileNames.rename(unfinished, to: path)
    }
  }

  private static func translatingErrors(
    _ body: () throws(SystemFailure) -> Void
  ) throws(HTTPServerError) {
    do throws(SystemFailure) {
      try body()
    } catch {
      throw .system(error.what, error.number, error.path)
    }
  }
}
