import OwnerOnlyFiles
import Synchronization

/// Stores unfinished long-lived operations on this machine.
package protocol OperationStore: Sendable {
  /// Returns the IDs of a container's stored operations.
  func names(at address: CloudAddress) throws(CKError) -> Set<CKOperation.ID>
  /// Returns a stored operation; nil if there is none.
  func bytes(of operation: CKOperation.ID, at address: CloudAddress) throws(CKError) -> [UInt8]?
  /// Stores an operation, or replaces its stored form.
  func keep(_ bytes: [UInt8], of operation: CKOperation.ID, at address: CloudAddress)
    throws(CKError)
  /// Removes an operation.
  func forget(_ operation: CKOperation.ID, at address: CloudAddress) throws(CKError)
}

/// A store in memory, which ends with its process.
package final class MemoryOperationStore: OperationStore {
  private let contents = Mutex<[CloudAddress: [CKOperation.ID: [UInt8]]]>([:])

  package init() {}

  package func names(at address: CloudAddress) -> Set<CKOperation.ID> {
    contents.withLock { Set($0[address, default: [:]].keys) }
  }

  package func bytes(of operation: CKOperation.ID, at address: CloudAddress) -> [UInt8]? {
    contents.withLock { $0[address]?[operation] }
  }

  package func keep(_ bytes: [UInt8], of operation: CKOperation.ID, at address: CloudAddress) {
    contents.withLock { $0[address, default: [:]][operation] = bytes }
  }

  package func forget(_ operation: CKOperation.ID, at address: CloudAddress) {
    contents.withLock { $0[address]?[operation] = nil }
  }
}

/// A store in a folder with a file for each operation.
///
/// The folder is restricted to the user, because operations contain records. It is created for the
/// first operation.
package final class FolderOperationStore: OperationStore {
  private let path: String
  private static let purpose = OwnerOnlyFolder.Purpose(
    name: "store of long-lived operations", remedyIfRead: "remove it")
  private static let ending = ".operation"

  package init(path: String) { self.path = path }

  package func names(at address: CloudAddress) throws(CKError) -> Set<CKOperation.ID> {
    guard let folder = try folderIfThere() else { return [] }
    let prefix = Self.prefix(of: address)
    let files = try convertingErrors { () throws(OwnerOnlyError) in try folder.names() }
    return Set(
      files.filter { $0.hasPrefix(prefix) && $0.hasSuffix(Self.ending) }
        .map { String($0.dropFirst(prefix.count).dropLast(Self.ending.count)) })
  }

  package func bytes(of operation: CKOperation.ID, at address: CloudAddress) throws(CKError)
    -> [UInt8]?
  {
    guard let name = Self.name(of: operation, at: address), let folder = try folderIfThere() else {
      return nil
    }
    return try convertingErrors { () throws(OwnerOnlyError) in try folder.read(name) }
  }

  package func keep(_ bytes: [UInt8], of operation: CKOperation.ID, at address: CloudAddress)
    throws(CKError)
  {
    guard let name = Self.name(of: operation, at: address) else { return }
    try convertingErrors { () throws(OwnerOnlyError) in
      let folder = try OwnerOnlyFolder(path, for: Self.purpose)
      let lock = try folder.lock()
      defer { lock.unlock() }
      try folder.replace(name, with: bytes)
    }
  }

  package func forget(_ operation: CKOperation.ID, at address: CloudAddress) throws(CKError) {
    guard let name = Self.name(of: operation, at: address), let folder = try folderIfThere() else {
      return
    }
    try convertingErrors { () throws(OwnerOnlyError) in
      let lock = try folder.lock()
      defer { lock.unlock() }
      try folder.remove(name)
    }
  }

  private func folderIfThere() throws(CKError) -> OwnerOnlyFolder? {
    try convertingErrors { () throws(OwnerOnlyError) in
      try OwnerOnlyFolder(ifThere: path, for: Self.purpose)
    }
  }

  /// The prefix of a container's files, hashed because names may contain any characters and need
  /// not be visible to others.
  private static func prefix(of address: CloudAddress) -> String {
    DigestText.of(address.text).prefix(32) + "-"
  }

  /// The name of an operation's file; nil for an ID that this library does not create and that
  /// might escape the folder.
  private static func name(of operation: CKOperation.ID, at address: CloudAddress) -> String? {
    let isPlain =
      operation.utf8.count <= 64
      && operation.allSatisfy { $0.isASCII && ($0.isHexDigit || $0 == "-") }
    return isPlain && !operation.isEmpty ? prefix(of: address) + operation + ending : nil
  }

  private func convertingErrors<Value>(_ body: () throws(OwnerOnlyError) -> Value) throws(CKError)
    -> Value
  {
    do throws(OwnerOnlyError) { return try body() } catch { throw CKError(error) }
  }
}
