import CloudRecords
import Cryptography
import OwnerOnlyFiles
import Synchronization

/// A credential store in a folder, with one file for each container, environment and server.
///
/// The folder is created at the first sign-in. `OwnerOnlyFolder` restricts it to the user.
package final class FolderCredentialStore: CredentialStore {
  private let path: String
  private let opened = Mutex<OwnerOnlyFolder?>(nil)

  private static let purpose = OwnerOnlyFolder.Purpose(
    name: "account store", remedyIfRead: "remove it, and end the sessions on the server")

  package init(path: String) { self.path = path }

  package func accounts(at address: CloudAddress) throws(CKError) -> StoredAccounts {
    guard let folder = try folderIfThere() else { return StoredAccounts() }
    return try soundAccounts(at: address, in: folder)
  }

  package func stamp(of address: CloudAddress) throws(CKError) -> CredentialStamp {
    guard let folder = try folderIfThere() else { return .nothing }
    let stamp = try convertingErrors { () throws(OwnerOnlyError) in
      try folder.stamp(of: Self.name(of: address))
    }
    return stamp.map { .file($0) } ?? .nothing
  }

  @discardableResult
  package func update(
    _ address: CloudAddress, _ change: (inout StoredAccounts) throws(CKError) -> Void
  ) throws(CKError) -> StoredAccounts {
    let folder = try folder()
    return try locked(folder) { () throws(CKError) in
      let before = try soundAccounts(at: address, in: folder)
      var accounts = before
      try change(&accounts)
      guard accounts != before else { return accounts }
      let bytes = accounts.bytes(at: address)
      try convertingErrors { () throws(OwnerOnlyError) in
        try folder.replace(Self.name(of: address), with: bytes)
      }
      return accounts
    }
  }

  package func moveDamagedFileAside(at address: CloudAddress) throws(CKError) -> String? {
    guard let folder = try folderIfThere() else { return nil }
    return try locked(folder) { () throws(CKError) in
      let name = Self.name(of: address)
      guard case .damaged? = try found(at: address, in: folder).error else { return nil }
      return try convertingErrors { () throws(OwnerOnlyError) in try folder.setAside(name) }
    }
  }

  /// Reads the file.
  ///
  /// A damaged file stays, and every access throws, until a user signs in. Treating the account as
  /// signed out would discard changes that are not uploaded yet.
  private func soundAccounts(at address: CloudAddress, in folder: OwnerOnlyFolder) throws(CKError)
    -> StoredAccounts
  {
    let (accounts, error) = try found(at: address, in: folder)
    let path = folder.path(of: Self.name(of: address))
    switch error {
    case nil: return accounts
    case .damaged(let reason):
      throw CKError(
        .internalError,
        "The accounts in \(path) are damaged: \(reason). Restore the file from a backup, or sign in again, which moves it aside."
      )
    case .later:
      throw CKError(
        .incompatibleVersion,
        "A later version of this library wrote the accounts in \(path). Use that version, or configure another folder for accounts."
      )
    }
  }

  /// Reads the file, and returns what is wrong with it.
  private func found(
    at address: CloudAddress, in folder: OwnerOnlyFolder
  ) throws(CKError) -> (accounts: StoredAccounts, error: StoredAccountsError?) {
    let bytes = try convertingErrors { () throws(OwnerOnlyError) in
      try folder.read(Self.name(of: address))
    }
    guard let bytes else { return (StoredAccounts(), nil) }
    do throws(StoredAccountsError) {
      return (try StoredAccounts(bytes, at: address), nil)
    } catch {
      return (StoredAccounts(), error)
    }
  }

  /// The file's name, hashed because names may contain any characters and need not be visible to
  /// others.
  private static func name(of address: CloudAddress) -> String {
    DigestText.of(address.text).prefix(32) + ".json"
  }

  // MARK: The folder

  private func folder() throws(CKError) -> OwnerOnlyFolder {
    try opened.withLock { opened throws(CKError) in
      if let opened { return opened }
      let created = try convertingErrors { () throws(OwnerOnlyError) in
        try OwnerOnlyFolder(path, for: Self.purpose)
      }
      opened = created
      return created
    }
  }

  private func folderIfThere() throws(CKError) -> OwnerOnlyFolder? {
    try opened.withLock { opened throws(CKError) in
      if let opened { return opened }
      let found = try convertingErrors { () throws(OwnerOnlyError) in
        try OwnerOnlyFolder(ifThere: path, for: Self.purpose)
      }
      opened = found
      return found
    }
  }

  private func locked<Value>(
    _ folder: OwnerOnlyFolder, _ body: () throws(CKError) -> Value
  ) throws(CKError) -> Value {
    let lock = try convertingErrors { () throws(OwnerOnlyError) in try folder.lock() }
    defer { lock.unlock() }
    return try body()
  }

  /// Runs a file operation, and converts its errors to `CKError`.
  private func convertingErrors<Value>(_ body: () throws(OwnerOnlyError) -> Value) throws(CKError)
    -> Value
  {
    do throws(OwnerOnlyError) { return try body() } catch { throw CKError(error) }
  }
}

extension CloudAddress {
  /// A text that identifies the container, environment and server.
  var text: String { "\(server)\n\(container.container)\n\(container.environment.rawValue)" }
}

extension CKError {
  /// An error of an owner-only folder.
  init(_ error: OwnerOnlyError) {
    self.init(error.code == .notPrivate ? .permissionFailure : .internalError, error.message)
  }
}

/// Hashes a secret, so that it can be compared without being stored.
enum DigestText {
  /// The SHA-256 digest in 64 hexadecimal digits.
  static func of(_ text: String) -> String { of(bytes: Array(text.utf8)) }

  /// The SHA-256 digest in 64 hexadecimal digits.
  static func of(bytes: [UInt8]) -> String {
    DigestAlgorithm.sha256.hash(bytes).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
