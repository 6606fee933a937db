import CloudRecords
import Cryptography
import OwnerOnlyFiles
import Synchronization

/// A store in a folder of the user's, one file for each container, environment and server.
///
/// The folder is made when somebody signs in first. `OwnerOnlyFolder` keeps it from others.
package final class FolderCredentialStore: CredentialStore {
  private let path: String
  private let opened = Mutex<OwnerOnlyFolder?>(nil)

  private static let purpose = OwnerOnlyFolder.Purpose(
    name: "account store", remedyIfRead: "remove it, and end the sessions on the server")

  package init(path: String) { self.path = path }

  package func accounts(at place: CloudAddress) throws(CKError) -> StoredAccounts {
    guard let folder = try folderIfThere() else { return StoredAccounts() }
    let bytes = try taking { () throws(OwnerOnlyError) in try folder.read(Self.name(of: place)) }
    guard let bytes else { return StoredAccounts() }
    if let sound = try? StoredAccounts(bytes, at: place) { return sound }
    // Perhaps another process mends it at this moment: who has the lock knows.
    return try locked(folder) { () throws(CKError) in try soundAccounts(at: place, in: folder) }
  }

  package func stamp(of place: CloudAddress) throws(CKError) -> CredentialStamp {
    guard let folder = try folderIfThere() else { return .nothing }
    let stamp = try taking { () throws(OwnerOnlyError) in try folder.stamp(of: Self.name(of: place))
    }
    return stamp.map { .file($0) } ?? .nothing
  }

  @discardableResult
  package func update(
    _ place: CloudAddress, _ change: (inout StoredAccounts) throws(CKError) -> Void
  ) throws(CKError) -> StoredAccounts {
    let folder = try folder()
    return try locked(folder) { () throws(CKError) in
      let before = try soundAccounts(at: place, in: folder)
      var accounts = before
      try change(&accounts)
      guard accounts != before else { return accounts }
      let bytes = accounts.bytes(at: place)
      try taking { () throws(OwnerOnlyError) in
        try folder.replace(Self.name(of: place), with: bytes)
      }
      return accounts
    }
  }

  package func setDamageAside(at place: CloudAddress) throws(CKError) -> String? {
    guard let folder = try folderIfThere() else { return nil }
    return try locked(folder) { () throws(CKError) in
      let name = Self.name(of: place)
      guard case .damaged? = try found(at: place, in: folder).fault else { return nil }
      return try taking { () throws(OwnerOnlyError) in try folder.setAside(name) }
    }
  }

  /// What the file says.
  ///
  /// A damaged one stays where it is, and is told of each time, until somebody signs in: who is
  /// taken for departed when it is not so, loses what was not sent yet.
  private func soundAccounts(at place: CloudAddress, in folder: OwnerOnlyFolder) throws(CKError)
    -> StoredAccounts
  {
    let (accounts, fault) = try found(at: place, in: folder)
    let path = folder.path(of: Self.name(of: place))
    switch fault {
    case nil: return accounts
    case .damaged(let reason):
      throw CKError(
        .internalError,
        "The accounts in \(path) are damaged: \(reason). Put the file back from a backup, or sign in again, which sets it aside."
      )
    case .later:
      throw CKError(
        .incompatibleVersion,
        "A later version of this library wrote the accounts in \(path). Use that version, or name another folder for accounts."
      )
    }
  }

  /// What the file says, or what is wrong with it.
  private func found(
    at place: CloudAddress, in folder: OwnerOnlyFolder
  ) throws(CKError) -> (accounts: StoredAccounts, fault: StoredAccountsError?) {
    let bytes = try taking { () throws(OwnerOnlyError) in try folder.read(Self.name(of: place)) }
    guard let bytes else { return (StoredAccounts(), nil) }
    do throws(StoredAccountsError) {
      return (try StoredAccounts(bytes, at: place), nil)
    } catch {
      return (StoredAccounts(), error)
    }
  }

  /// Names of containers and servers need not be known to who sees the folder, and may have any
  /// characters.
  private static func name(of place: CloudAddress) -> String {
    DigestText.of(place.text).prefix(32) + ".json"
  }

  // MARK: The folder

  private func folder() throws(CKError) -> OwnerOnlyFolder {
    try opened.withLock { opened throws(CKError) in
      if let opened { return opened }
      let made = try taking { () throws(OwnerOnlyError) in
        try OwnerOnlyFolder(path, for: Self.purpose)
      }
      opened = made
      return made
    }
  }

  private func folderIfThere() throws(CKError) -> OwnerOnlyFolder? {
    try opened.withLock { opened throws(CKError) in
      if let opened { return opened }
      let found = try taking { () throws(OwnerOnlyError) in
        try OwnerOnlyFolder(ifThere: path, for: Self.purpose)
      }
      opened = found
      return found
    }
  }

  private func locked<Value>(
    _ folder: OwnerOnlyFolder, _ body: () throws(CKError) -> Value
  ) throws(CKError) -> Value {
    let lock = try taking { () throws(OwnerOnlyError) in try folder.lock() }
    defer { lock.unlock() }
    return try body()
  }

  /// Does something with the folder, and tells in the API's errors what goes wrong.
  private func taking<Value>(_ body: () throws(OwnerOnlyError) -> Value) throws(CKError) -> Value {
    do throws(OwnerOnlyError) { return try body() } catch { throw CKError(error) }
  }
}

extension CloudAddress {
  /// A text that no other container has.
  var text: String { "\(server)\n\(container.container)\n\(container.environment.rawValue)" }
}

extension CKError {
  /// What went wrong with a folder that is the owner's only.
  init(_ error: OwnerOnlyError) {
    self.init(error.code == .notPrivate ? .permissionFailure : .internalError, error.message)
  }
}

/// What stands for a text that others need not know.
enum DigestText {
  /// 64 digits.
  static func of(_ text: String) -> String { of(bytes: Array(text.utf8)) }

  /// 64 digits.
  static func of(bytes: [UInt8]) -> String {
    DigestAlgorithm.sha256.hash(bytes).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
