import Cryptography

/// A key store in a folder of the user's, one file for each account.
///
/// The folder must be the user's own and closed to everybody else (0700), and so must its files (0600): what is not is refused, never mended,
/// since somebody may have read it already. Files are replaced whole and brought to the disk. Several processes may use one folder.
package final class FolderKeyStore: KeyStore {
  private let folder: SecretFolder

  /// Opens a folder, and makes it where there is none.
  package init(path: String) throws(EncryptionError) { folder = try SecretFolder(path) }

  package func keys(of account: EncryptionAccount) throws(EncryptionError) -> StoredKeys {
    let name = Self.name(of: account)
    guard var bytes = try folder.read(name) else { return StoredKeys() }
    defer { SecretBytes.wipe(&bytes) }
    return try StoredKeys(bytes, of: account, place: folder.path(of: name))
  }

  @discardableResult
  package func update(
    _ account: EncryptionAccount, _ change: (inout StoredKeys) throws(EncryptionError) -> Void
  ) throws(EncryptionError) -> StoredKeys {
    let lock = try folder.lock()
    defer { lock.unlock() }
    var keys = try keys(of: account)
    try change(&keys)
    var bytes = keys.bytes(of: account)
    defer { SecretBytes.wipe(&bytes) }
    try folder.replace(Self.name(of: account), with: bytes)
    return keys
  }

  /// Names of accounts may have any characters, and need not be known to who sees the folder.
  private static func name(of account: EncryptionAccount) -> String {
    var form = FormWriter(purpose: "parhelion.key-store.1")
    form.account(account)
    var digest = Digest(.sha256)
    digest.update(form.bytes)
    return digest.finish().prefix(16).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + ".keys"
  }
}
