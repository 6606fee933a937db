import OwnerOnlyFiles
import Synchronization

/// Where a machine keeps what its long-lived operations ask for, until they have ended.
package protocol OperationStore: Sendable {
  /// The names of the operations that are kept for a container.
  func names(at place: CloudAddress) throws(CKError) -> Set<CKOperation.ID>
  /// What is kept of an operation; nil where there is nothing.
  func bytes(of operation: CKOperation.ID, at place: CloudAddress) throws(CKError) -> [UInt8]?
  /// Keeps an operation, or what it asks for now in the place of what it asked for.
  func keep(_ bytes: [UInt8], of operation: CKOperation.ID, at place: CloudAddress) throws(CKError)
  /// Keeps an operation no longer.
  func forget(_ operation: CKOperation.ID, at place: CloudAddress) throws(CKError)
}

/// A store that is gone with its process.
package final class MemoryOperationStore: OperationStore {
  private let places = Mutex<[CloudAddress: [CKOperation.ID: [UInt8]]]>([:])

  package init() {}

  package func names(at place: CloudAddress) -> Set<CKOperation.ID> {
    places.withLock { Set($0[place, default: [:]].keys) }
  }

  package func bytes(of operation: CKOperation.ID, at place: CloudAddress) -> [UInt8]? {
    places.withLock { $0[place]?[operation] }
  }

  package func keep(_ bytes: [UInt8], of operation: CKOperation.ID, at place: CloudAddress) {
    places.withLock { $0[place, default: [:]][operation] = bytes }
  }

  package func forget(_ operation: CKOperation.ID, at place: CloudAddress) {
    places.withLock { $0[place]?[operation] = nil }
  }
}

/// A store in a folder of the user's, with a file for each operation: records that wait to be sent
/// are nobody else's business.
///
/// The folder is made for the first operation.
package final class FolderOperationStore: OperationStore {
  private let path: String
  private static let purpose = OwnerOnlyFolder.Purpose(
    name: "store of long-lived operations", remedyIfRead: "remove it")
  private static let ending = ".operation"

  package init(path: String) { self.path = path }

  package func names(at place: CloudAddress) throws(CKError) -> Set<CKOperation.ID> {
    guard let folder = try folderIfThere() else { return [] }
    let prefix = Self.prefix(of: place)
    let files = try taking { () throws(OwnerOnlyError) in try folder.names() }
    return Set(
      files.filter { $0.hasPrefix(prefix) && $0.hasSuffix(Self.ending) }
        .map { String($0.dropFirst(prefix.count).dropLast(Self.ending.count)) })
  }

  package func bytes(of operation: CKOperation.ID, at place: CloudAddress) throws(CKError)
    -> [UInt8]?
  {
    guard let name = Self.name(of: operation, at: place), let folder = try folderIfThere() else {
      return nil
    }
    return try taking { () throws(OwnerOnlyError) in try folder.read(name) }
  }

  package func keep(_ bytes: [UInt8], of operation: CKOperation.ID, at place: CloudAddress)
    throws(CKError)
  {
    guard let name = Self.name(of: operation, at: place) else { return }
    try taking { () throws(OwnerOnlyError) in
      let folder = try OwnerOnlyFolder(path, for: Self.purpose)
      let lock = try folder.lock()
      defer { lock.unlock() }
      try folder.replace(name, with: bytes)
    }
  }

  package func forget(_ operation: CKOperation.ID, at place: CloudAddress) throws(CKError) {
    guard let name = Self.name(of: operation, at: place), let folder = try folderIfThere() else {
      return
    }
    try taking { () throws(OwnerOnlyError) in
      let lock = try folder.lock()
      defer { lock.unlock() }
      try folder.remove(name)
    }
  }

  private func folderIfThere() throws(CKError) -> OwnerOnlyFolder? {
    try taking { () throws(OwnerOnlyError) in try OwnerOnlyFolder(ifThere: path, for: Self.purpose)
    }
  }

  /// Containers' names need not be known to who sees the folder, and may have any characters.
  private static func prefix(of place: CloudAddress) -> String {
    DigestText.of(place.text).prefix(32) + "-"
  }

  /// The name of a file; nil for what is no name that this library gives an operation, and might
  /// lead out of the folder.
  private static func name(of operation: CKOperation.ID, at place: CloudAddress) -> String? {
    let isPlain =
      operation.utf8.count <= 64
      && operation.allSatisfy { $0.isASCII && ($0.isHexDigit || $0 == "-") }
    return isPlain && !operation.isEmpty ? prefix(of: place) + operation + ending : nil
  }

  private func taking<Value>(_ body: () throws(OwnerOnlyError) -> Value) throws(CKError) -> Value {
    do throws(OwnerOnlyError) { return try body() } catch { throw CKError(error) }
  }
}
