import Foundation

/// A file with a secret that an option names.
enum SecretFile {
  /// Whether only its owner can read a file.
  ///
  /// Root's group may read it too, as with systemd's credentials.
  static func isClosed(_ path: String) -> Bool {
    let attributes = try? FileManager.default.attributesOfItem(
      atPath: URL(fileURLWithPath: path).resolvingSymlinksInPath().path)
    guard let mode = (attributes?[.posixPermissions] as? NSNumber)?.intValue else { return false }
    let isOfRoot = (attributes?[.groupOwnerAccountID] as? NSNumber)?.intValue == 0
    return mode & (isOfRoot ? 0o037 : 0o077) == 0
  }
}
