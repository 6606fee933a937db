import Foundation

/// A file with a secret that an option names.
enum SecretFile {
  /// Reads the text of a file that only its owner can read.
  ///
  /// - Parameter remedy: What to do if others may have read the file.
  static func text(of file: NamedFile, remedy: String) throws(CommandError) -> String {
    let text = try file.text()
    guard isClosed(file.path) else {
      throw CommandError(
        """
        \(file) can be read by other users of the machine. Give it to the server's user, and run \
        “chmod 400 \(file.path)”; if others may have read it, \(remedy).
        """)
    }
    return text
  }

  /// Whether only its owner can read a file.
  ///
  /// The group of root may read it too, as with systemd's credentials.
  private static func isClosed(_ path: String) -> Bool {
    let attributes = try? FileManager.default.attributesOfItem(
      atPath: URL(fileURLWithPath: path).resolvingSymlinksInPath().path)
    guard let mode = (attributes?[.posixPermissions] as? NSNumber)?.intValue else { return false }
    let isOfRoot = (attributes?[.groupOwnerAccountID] as? NSNumber)?.intValue == 0
    return mode & (isOfRoot ? 0o037 : 0o077) == 0
  }
}
