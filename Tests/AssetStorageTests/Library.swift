import AssetStorage
import CloudRecords
import CloudWire
import Foundation
import RecordServer
import RecordStorage
import Synchronization
import Testing

/// A server with a folder of files, and a user's requests to both.
final class Library: Sendable {
  let store: AssetStore
  let clock: ManualClock
  private let realm: Realm
  private let container = ContainerAddress(container: "iCloud.test", environment: .development)

  var server: RecordServer { store.server }

  static let limits = ServiceLimits()
  static let receiptSeconds = Int64(limits.assetReceiptSeconds)
  static let graceSeconds = Int64(limits.assetAddressSeconds)

  /// Opens a folder.
  ///
  /// To open a folder again, pass the storage engine of its earlier library.
  init(
    _ folder: URL, engine: any StorageEngine, clock: ManualClock = ManualClock(),
    as role: AssetStore.Role = .server,
    limits: ServiceLimits = Library.limits, options: AssetStore.Options = AssetStore.Options()
  ) async throws {
    self.clock = clock
    let names = Atomic(0)
    let dependencies = ServerDependencies(
      now: { clock.now },
      makeName: { String(names.add(1, ordering: .relaxed).newValue, radix: 16) }, limits: limits)
    let tickets = try await AssetTickets.open(engine, dependencies: dependencies)
    let server = RecordServer(
      engine: engine, dependencies: dependencies, addresses: tickets, receipts: tickets,
      sealer: ValueSealer(nil))
    store = try await AssetStore.open(
      folder.path, as: role, server: server, tickets: tickets, options: options)
    realm = try await server.makeRealm(of: container)
  }
}

// MARK: - A user

extension Library {
  func grant(_ scope: DatabaseScope = .private) -> UploadGrant {
    UploadGrant(
      realm: realm, scope: scope, owner: "_ada", userRecordName: "_ada", recordName: nil,
      fieldName: "file",
      expires: clock.now)
  }

  /// Uploads a file in pieces of at most the given number of bytes.
  func upload(_ contents: [UInt8], pieces: Int = 64 << 10) async throws -> AssetValue {
    let upload = try await store.begin(length: Int64(contents.count))
    do {
      for start in stride(from: 0, to: contents.count, by: pieces) {
        try await upload.append(Array(contents[start..<min(start + pieces, contents.count)]))
      }
      return try await store.finish(upload, for: grant())
    } catch {
      await upload.discard()
      throw error
    }
  }

  func upload(_ text: String) async throws -> AssetValue { try await upload(Array(text.utf8)) }

  /// The asset with a receipt that never expires: saving fails only if the file was collected.
  func neverExpiring(_ asset: AssetValue) throws -> AssetValue {
    let receipt = AssetReceipt(
      checksum: try #require(AssetChecksum(text: asset.fileChecksum)), size: asset.size,
      realm: realm,
      userRecordName: "_ada", expires: Timestamp(milliseconds: .max))
    var asset = asset
    asset.receipt = store.tickets.receipt(receipt)
    return asset
  }

  /// Saves a record with a file.
  ///
  /// Returns whether the server accepted it.
  func save(_ record: String, _ asset: AssetValue) async throws -> Bool {
    let receipt = asset.receipt.map { #","receipt":"\#($0)""# } ?? ""
    let file = #"{"fileChecksum":"\#(asset.fileChecksum)","size":\#(asset.size)\#(receipt)}"#
    let fields = #"{"file":{"value":\#(file)}}"#
    return try await modify(
      "forceUpdate", #""recordName":"\#(record)","recordType":"T","fields":\#(fields)"#)
  }

  /// Deletes a record.
  ///
  /// Returns whether the server accepted the deletion.
  func delete(_ record: String) async throws -> Bool {
    try await modify("forceDelete", #""recordName":"\#(record)""#)
  }

  private func modify(_ operation: String, _ record: String) async throws -> Bool {
    let body = #"{"operations":[{"operationType":"\#(operation)","record":{\#(record)}}]}"#
    let reply = try await ask(.recordsModify, body)
    return (reply["records"] as? [[String: Any]])?.first.map { $0["serverErrorCode"] == nil }
      ?? false
  }

  /// The address of a record's file, or nil if there is no such record.
  func address(_ record: String) async throws -> String? {
    let reply = try await ask(.recordsLookup, #"{"records":[{"recordName":"\#(record)"}]}"#)
    let fields =
      (reply["records"] as? [[String: Any]])?.first?["fields"] as? [String: [String: Any]]
    return (fields?["file"]?["value"] as? [String: Any])?["downloadURL"] as? String
  }

  /// The contents of a record's file, read from its address.
  func contents(_ record: String) async throws -> [UInt8]? {
    guard let address = try await address(record) else { return nil }
    return try await download(address)
  }

  func download(_ address: String) async throws -> [UInt8] {
    let ticket = String(address.split(separator: "=", maxSplits: 1).last ?? "")
    return try await store.file(ticket: ticket) {
      Array(try Data(contentsOf: URL(fileURLWithPath: $0)))
    }.file
  }

  private func ask(_ endpoint: Endpoint, _ body: String) async throws -> [String: Any] {
    let call = Call(container: container, realm: realm, scope: .private, caller: .user("_ada"))
    let answer = await server.answer(
      to: endpoint, body: Array(body.utf8), call, requestIdentifier: "request")
    return try #require(JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])
  }

  /// The paths of the files in the folder, relative to it.
  var files: [String] {
    get throws {
      let root = URL(fileURLWithPath: store.path)
      return try FileManager.default.subpathsOfDirectory(atPath: root.path).filter { path in
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(
          atPath: root.appendingPathComponent(path).path, isDirectory: &isFolder)
          && !isFolder.boolValue && path != "files.lock"
      }.sorted()
    }
  }
}

final class ManualClock: Sendable {
  private let time = Mutex<Int64>(1_700_000_000_000)

  private let reader = Mutex<(@Sendable () -> Void)?>(nil)

  /// Sets a closure that every read of the clock calls.
  func whenRead(_ body: (@Sendable () -> Void)?) { reader.withLock { $0 = body } }

  var now: Timestamp {
    reader.withLock(\.self)?()
    return Timestamp(milliseconds: time.withLock(\.self))
  }

  func pass(seconds: Int64) { time.withLock { $0 += seconds * 1_000 } }
}
