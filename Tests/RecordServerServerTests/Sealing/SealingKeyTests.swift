import CloudRecords
import CloudWire
import Cryptography
import Foundation
import RecordServer
import RecordStorage
import SQLiteRecordStorage
import Synchronization
import TestSupport
import Testing

/// The key of a server's sealed values: its source, its lifetime, and its loss.
@Suite struct `Sealing keys` {
  private static func key(_ byte: UInt8) -> SealingKey {
    SealingKey(SecretBytes([UInt8](repeating: byte, count: SealingKey.byteCount)))
  }

  private static func source(_ bytes: UInt8..., acceptingLoss: Bool = false) -> ValueSealer.Source {
    var source = ValueSealer.Source()
    (source.keys, source.acceptsLoss) = (bytes.map(key), acceptingLoss)
    return source
  }

  private static let secret = #""secret":{"value":"s","type":"STRING","isEncrypted":true}"#

  /// A server that starts on existing storage, with Ada.
  private func start(_ engine: any StorageEngine, _ source: ValueSealer.Source = source())
    async throws -> Client
  {
    try await Cloud(engine: engine, sealer: try await ValueSealer.open(engine, source)).user("_ada")
  }

  // MARK: Source

  @Test func `A key is created at the first start and found at the next`() async throws {
    let engine = MemoryStorageEngine()
    let first = try await ValueSealer.open(engine).current
    #expect(try await ValueSealer.open(engine).current?.identifier == first?.identifier)
    #expect(try await ValueSealer.openForTool(engine).current?.identifier == first?.identifier)
    #expect(
      try await ValueSealer.open(MemoryStorageEngine()).current?.identifier != first?.identifier)
  }

  @Test(arguments: ["\n", "\r\n"]) func `A key file has one key in each line`(end: String) throws {
    let digits = ["01", "02"].map { String(repeating: $0, count: SealingKey.byteCount) }
    let lines = ["# the next key first", digits[0], "", digits[1]]
    let keys = try SealingKey.keys(inFile: lines.map { $0 + end }.joined())
    #expect(keys.map(\.identifier) == [Self.key(1), Self.key(2)].map(\.identifier))
  }

  @Test func `No key is created if the operator has one`() async throws {
    let engine = MemoryStorageEngine()
    #expect(
      try await ValueSealer.open(engine, Self.source(1)).current?.identifier
        == Self.key(1).identifier)
    let refusal = await #expect(throws: CloudError.self) { try await ValueSealer.open(engine) }
    #expect(refusal?.reason.contains("--sealing-key-file") == true, "\(refusal as Any)")
    #expect(refusal?.reason.contains(Self.key(1).name) == true, "\(refusal as Any)")
    #expect(try await ValueSealer.openForTool(engine).current == nil)
  }

  @Test func `A key survives the renewal of the server's other secrets`() async throws {
    let engine = MemoryStorageEngine()
    let ada = try await start(engine)
    _ = try await ada.put("r", "Note", Self.secret)
    let accountServer = try await AccountServer(engine: engine, on: ada.cloud)
    try await accountServer.accounts.renewSecrets(atOnce: true)
    #expect(try await ada.lookUp("r")["records"][0].field("secret") == "s")
    #expect(try await start(engine).lookUp("r")["records"][0].field("secret") == "s")
  }

  @Test func `A key is restored with a backup`() async throws {
    try await withTemporaryDirectory { folder in
      let (place, copy) = (
        folder.appendingPathComponent("a").path, folder.appendingPathComponent("copy").path
      )
      let engine = try SQLiteStorageEngine(folder: place)
      _ = try await start(engine).put("r", "Note", Self.secret)
      try await engine.backUp(to: copy)
      await engine.close()
      let other = folder.appendingPathComponent("b").path
      try await SQLiteStorageEngine.restore(from: copy, into: other).close()
      let restored = try SQLiteStorageEngine(folder: other)
      #expect(try await start(restored).lookUp("r")["records"][0].field("secret") == "s")
      await restored.close()
    }
  }

  // MARK: Replacement

  @Test func `The operator's key replaces the server's own, which is then removed`() async throws {
    let engine = MemoryStorageEngine()
    let before = try await start(engine)
    _ = try await before.put("r", "Note", Self.secret)
    let ada = try await start(engine, Self.source(1))
    #expect(try await ada.lookUp("r")["records"][0].field("secret") == "s")
    try await ada.cloud.server.runMaintenance()
    // Without the operator's key nothing can be opened: no former key of the server is left.
    let beside = try await Cloud(engine: engine, sealer: ValueSealer.openForTool(engine)).user(
      "_ada")
    #expect(try await beside.lookUp("r").records == ["r: INTERNAL_ERROR"])
    #expect(
      try await start(engine, Self.source(1)).lookUp("r")["records"][0].field("secret") == "s")
  }

  @Test
  func `The operator's next key needs the former one until maintenance is complete`() async throws {
    let engine = MemoryStorageEngine()
    _ = try await start(engine, Self.source(1)).put("r", "Note", Self.secret)
    await #expect(throws: CloudError.self) { try await ValueSealer.open(engine, Self.source(2)) }
    let ada = try await start(engine, Self.source(2, 1))
    #expect(try await ada.lookUp("r").records == ["r@1"])
    let early = try await Cloud(engine: engine, sealer: ValueSealer.open(engine, Self.source(2)))
      .user("_ada")
    #expect(try await early.lookUp("r").records == ["r: INTERNAL_ERROR"])
    try await ada.cloud.server.runMaintenance()
    #expect(
      try await start(engine, Self.source(2)).lookUp("r")["records"][0].field("secret") == "s")
  }

  // MARK: Loss

  @Test func `A lost key leaves all values that were not sealed under it`() async throws {
    let engine = MemoryStorageEngine()
    let ada = try await start(engine, Self.source(1))
    try await ada.makeZone("Z")
    _ = try await ada.put("r", "Note", Self.secret + #","open":{"value":"o"}"#, zone: "Z")
    _ = try await ada.put("p", "Note", #""open":{"value":"o"}"#, zone: "Z")
    let other = try await start(engine, Self.source(2, acceptingLoss: true))
    let found = try await other.lookUp(zone: "Z", "r", "p")
    #expect(found.records == ["r: INTERNAL_ERROR", "p@2"])
    let reason = found["records"][0]["reason"].text ?? ""
    #expect(reason.contains(Self.key(1).name) && reason.contains("--sealing-key-file"), "\(reason)")
    #expect(
      try await other.changes(zone: "Z")["zones"][0]["records"].list.map(\.record) == found.records)
    let query = #"{"query":{"recordType":"Note"},"zoneID":{"zoneName":"Z"}"#
    #expect(
      try await other.ask(.private, .recordsQuery, query + "}").records == [
        "p@2", "r: INTERNAL_ERROR",
      ])
    #expect(
      try await other.ask(.private, .recordsQuery, query + #","desiredKeys":["open"]}"#).records
        == ["p@2", "r@1"])
    // A change is rejected if its response could not contain the record.
    #expect(
      try await other.put("r", "Note", #""open":{"value":"x"}"#, zone: "Z").records == [
        "r: INTERNAL_ERROR"
      ])
    let issues = try await other.cloud.server.sealingIssues(isThorough: true)
    #expect(
      issues.count == 1 && issues[0].hasPrefix("1 records of _ada in iCloud.test"),
      "\(issues)")
    try await other.cloud.server.runMaintenance()
    // With the key, all values can be read again.
    #expect(
      try await start(engine, Self.source(2, 1)).lookUp(zone: "Z", "r")["records"][0].field(
        "secret") == "s")
    #expect(try await other.put("r", "Note", Self.secret, zone: "Z").records == ["r@3"])
    #expect(try await other.lookUp(zone: "Z", "r")["records"][0].field("open") == "o")
    #expect(try await other.cloud.server.sealingIssues(isThorough: true) == [])
  }

  /// The orders of keys in the file after the lost key 1 was found.
  @Test(arguments: [[2, 1], [1, 2]] as [[UInt8]])
  func `After maintenance with a recovered key, only the file's first key is needed`(keys: [UInt8])
    async throws
  {
    let engine = MemoryStorageEngine()
    let first = try await start(engine, Self.source(1))
    try await first.makeZone("Z")
    _ = try await first.put("lost", "Note", Self.secret, zone: "Z")
    let without = try await start(engine, Self.source(2, acceptingLoss: true))
    _ = try await without.put("later", "Note", Self.secret, zone: "Z")
    try await without.cloud.server.runMaintenance()
    var both = ValueSealer.Source()
    both.keys = keys.map(Self.key)
    let found = try await start(engine, both)
    let before = try await found.lookUp(zone: "Z", "lost", "later")
    #expect(before["records"].list.map { $0.field("secret") } == ["s", "s"], "\(before)")
    try await found.cloud.server.runMaintenance()
    // The line of the other key can be removed.
    let after = try await start(engine, Self.source(keys[0]))
    let left = try await after.lookUp(zone: "Z", "lost", "later")
    #expect(left["records"].list.map { $0.field("secret") } == ["s", "s"], "\(left)")
    #expect(left.records == before.records)
    #expect(try await after.cloud.server.sealingIssues(isThorough: true) == [])
  }

  @Test func `The operator's recovered key replaces the server's own again`() async throws {
    let engine = MemoryStorageEngine()
    _ = try await start(engine, Self.source(1)).put("lost", "Note", Self.secret)
    let without = try await start(engine, Self.source(acceptingLoss: true))
    _ = try await without.put("later", "Note", Self.secret)
    for _ in 0..<2 { try await without.cloud.server.runMaintenance() }
    // Once the key is back, no flag is needed. Values that the server's own key sealed meanwhile
    // can be opened, and are resealed.
    let found = try await start(engine, Self.source(1))
    #expect(
      try await found.lookUp("lost", "later")["records"].list.map { $0.field("secret") } == [
        "s", "s",
      ])
    try await found.cloud.server.runMaintenance()
    let beside = try await Cloud(engine: engine, sealer: ValueSealer.openForTool(engine)).user(
      "_ada")
    #expect(
      try await beside.lookUp("lost", "later").records == [
        "lost: INTERNAL_ERROR", "later: INTERNAL_ERROR",
      ])
    #expect(
      try await start(engine, Self.source(1)).lookUp("later")["records"][0].field("secret") == "s")
  }

  @Test func `A check for damage reports a missing key`() async throws {
    let engine = MemoryStorageEngine()
    _ = try await start(engine, Self.source(1)).put("r", "Note", Self.secret)
    let beside = Cloud(engine: engine, sealer: try await ValueSealer.openForTool(engine))
    let issues = try await beside.server.sealingIssues(isThorough: false)
    #expect(issues.count == 1 && issues[0].contains("--sealing-key-file"), "\(issues)")
    let whole = Cloud(
      engine: engine, sealer: try await ValueSealer.openForTool(engine, Self.source(1)))
    #expect(try await whole.server.sealingIssues(isThorough: true) == [])
  }

  // MARK: Protection

  @Test func `A value can be opened only in its own place`() async throws {
    let engine = MemoryStorageEngine()
    let ada = try await start(engine)
    try await ada.makeZone("Z")
    _ = try await ada.modify(
      zone: "Z", ("create", #""recordName":"a","recordType":"Note","fields":{\#(Self.secret)}"#),
      ("create", #""recordName":"b","recordType":"Note","fields":{\#(Self.secret)}"#))
    try await engine.changeStoredRecords { record in
      // The storage has the two records' values exchanged.
      if record.recordName == "a" { record.recordName = "b" } else { record.recordName = "a" }
    }
    let found = try await ada.changes(zone: "Z")["zones"][0]["records"].list
    #expect(found.map(\.record) == ["b: INTERNAL_ERROR", "a: INTERNAL_ERROR"], "\(found)")
    #expect(found.first?["reason"].text?.contains("damaged") == true)
  }

  @Test func `Equal values have different ciphertexts`() async throws {
    let engine = MemoryStorageEngine()
    let ada = try await start(engine)
    for name in ["a", "b"] { _ = try await ada.put(name, "Note", Self.secret) }
    let seen = Seen()
    try await engine.changeStoredRecords { record in
      for field in record.sealed { seen.add(field.bytes) }
    }
    #expect(seen.count == 2)
  }
}

/// The distinct byte sequences that were seen.
private final class Seen: Sendable {
  private let all = Mutex<Set<[UInt8]>>([])

  var count: Int { all.withLock(\.count) }

  func add(_ bytes: [UInt8]) { all.withLock { _ = $0.insert(bytes) } }
}
