import BinaryCoding
import Cryptography
import OwnerOnlyFiles

/// A key store in a folder of the user, with one file for each account.
///
/// `OwnerOnlyFolder` protects it from other users. Several processes may use one folder.
package final class FolderKeyStore: KeyStore {
  private let folder: OwnerOnlyFolder

  /// Opens a folder, and creates it if it does not exist.
  package init(path: String) throws(EncryptionError) {
    folder = try Self.taking { () throws(OwnerOnlyError) in
      try OwnerOnlyFolder(path, for: Self.purpose)
    }
  }

  /// Opens a folder, or returns nil if it does not exist.
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

  /// Runs a closure with the folder, and converts its errors to this module's errors.
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

  /// The file name of an account: a hash, because account names may contain any characters and
  /// should not be visible.
  private static func name(of account: EncryptionAccount) -> String {
    var form = BinaryWriter(purpose: "parhelion.key-store.1")
    form.account(account)
    var digest = Digest(.sha256)
    digest.update(form.bytes)
    return digest.finish().prefix(16).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      + ".keys"
  }
}
