import BinaryCoding
import Cryptography
import OwnerOnlyFiles

/// A key store in a folder of the user's, one file for each account.
///
/// `OwnerOnlyFolder` keeps it from others. Several processes may use one folder.
package final class FolderKeyStore: KeyStore {
  private let folder: OwnerOnlyFolder

  /// Opens a folder, and makes it where there is none.
  package init(path: String) throws(EncryptionError) {
    folder = try Self.taking { () throws(OwnerOnlyError) in
      try OwnerOnlyFolder(path, for: Self.purpose)
    }
  }

  /// Opens a folder; nil where there is none.
  package init?(ifThere path: String) throws(EncryptionError) {
    let open = { () throws(OwnerOnlyError) in try OwnerOnlyFolder(ifThere: path, for: Self.purpose)
    }
    guard let folder = try Self.taking(open) else { return nil }
    self.folder = folder
  }

  private static let purpose = OwnerOnlyFolder.Purpose(
    name: "key store", remedyIfRead: "reset the encrypted data")

  package func keys(of account: EncryptionAccount) throws(EncryptionError) -> StoredKeys {
    let name = Self.name(of: account)
    let kept = try Self.taking { () throws(OwnerOnlyError) in try folder.read(name) }
    guard var bytes = kept else { return StoredKeys() }
    defer { SecretBytes.wipe(&bytes) }
    return try StoredKeys(bytes, of: account, place: folder.path(of: name))
  }

  @discardableResult
  package func update(
    _ account: EncryptionAccount, _ change: (inout StoredKeys) throws(EncryptionError) -> Void
  ) throws(EncryptionError) -> StoredKeys {
    let lock = try Self.taking { () throws(OwnerOnlyError) in try folder.lock() }
    defer { lock.unlock() }
    var keys = try keys(of: account)
    try change(&keys)
    var bytes = keys.bytes(of: account)
    defer { SecretBytes.wipe(&bytes) }
    try Self.taking { () throws(OwnerOnlyError) in
      try folder.replace(Self.name(of: account), with: bytes)
    }
    return keys
  }

  /// Does something with the folder, and tells in this module's errors what goes wrong.
  private static func taking<Value>(_ body: () throws(OwnerOnlyError) -> Value)
    throws(EncryptionError) -> Value
  {
    do throws(OwnerOnlyError) {
      return try body()
    } catch {
      throw EncryptionError(
        error.code == .notPrivate ? .storeNotPrivate : .storeUnavailable, error.message)
    }
  }

  /// Names of accounts may have any characters, and need not be known to who sees the folder.
  private static func name(of account: EncryptionAccount) -> String {
    var form = BinaryWriter(purpose: "parhelion.key-store.1")
    form.account(account)
    var digest = Digest(.sha256)
    digest.update(form.bytes)
    return digest.finish().prefix(16).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      + ".keys"
  }
}
