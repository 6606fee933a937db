import CloudRecords
import CloudWire
import Foundation
import RecordServer
import RecordStorage
import SQLiteRecordStorage
import TestSupport
import Testing

/// Values that clients marked as encrypted, and that an earlier version stored as they came.
@Suite struct `Earlier values` {
  /// Stores the fields of every record as earlier versions did.
  private func goBack(_ engine: any StorageEngine) async throws {
    try await engine.changeStoredRecords { record in
      guard !record.sealed.isEmpty else { return }
      record.sealed = SealedFields()
      for (name, text) in Self.texts {
        record.fields[name] = Field(.string(text), isEncrypted: true)
      }
    }
  }

  private static let texts = [
    "text": "ThePlainSecretWord", "long": String(repeating: "ListedSecretItem", count: 40),
  ]

  private static let fields = texts.map {
    #""\#($0)":{"value":"\#($1)","type":"STRING","isEncrypted":true}"#
  }
  .joined(separator: ",")

  private func fill(_ ada: Client, _ count: Int) async throws {
    try await ada.makeZone("Z")
    for start in stride(from: 0, to: count, by: 200) {
      let list = (start..<min(start + 200, count)).map {
        let fields = $0 % 3 == 0 ? #""open":{"value":"o"}"# : Self.fields
        return
          #"{"operationType":"create","record":{"recordName":"r\#($0)","recordType":"Note","fields":{\#(fields)}}}"#
      }
      let reply = try await ada.ask(
        .private, .recordsModify,
        #"{"operations":[\#(list.joined(separator: ","))],"zoneID":{"zoneName":"Z"}}"#)
      #expect(reply["records"].list.allSatisfy { !$0["serverErrorCode"].isThere }, "\(reply)")
    }
  }

  @Test func `are sealed behind the requests, and leave nothing in the file`() async throws {
    try await withTemporaryDirectory { folder in
      var engine = try SQLiteStorageEngine(folder: folder.path)
      var cloud = try await Cloud(engine: engine, sealer: ValueSealer.open(engine))
      var ada = try await cloud.user("_ada")
      try await fill(ada, 1_200)
      try await goBack(engine)
      await engine.close()
      #expect(try MarkedFields.found(in: folder).count == 2)

      engine = try SQLiteStorageEngine(folder: folder.path)
      cloud = try await Cloud(engine: engine, sealer: ValueSealer.open(engine))
      ada = try await cloud.user("_ada")
      let before = try await ada.changes(zone: "Z", limit: 2_000)["zones"][0]
      #expect(
        before["records"][1].fields == MarkedFields.fields("{\(Self.fields)}"),
        "\(before["records"][1])")
      try await cloud.server.doChores()
      let after = try await ada.changes(zone: "Z", limit: 2_000)["zones"][0]
      #expect(after.tree as? NSDictionary == before.tree as? NSDictionary)
      #expect(before["records"].list.count > 100)
      await engine.close()
      #expect(try MarkedFields.found(in: folder) == [])
    }
  }

  @Test func `are sealed when somebody changes their record`() async throws {
    let engine = MemoryStorageEngine()
    let ada = try await Cloud(engine: engine, sealer: ValueSealer.open(engine)).user("_ada")
    _ = try await ada.put("r", "Note", Self.fields)
    try await goBack(engine)
    _ = try await ada.put("r", "Note", #""open":{"value":"o"}"#)
    try await engine.changeStoredRecords { record in
      #expect(record.fields.entries.map(\.name) == ["open"])
      #expect(record.sealed.entries.map(\.name) == ["long", "text"])
    }
    #expect(try await ada.lookUp("r")["records"][0].field("text") == "ThePlainSecretWord")
  }

  @Test func `are sealed to their end after a failure, and what they take is counted`() async throws
  {
    let engine = FailingEngine()
    let cloud = try await Cloud(engine: engine, sealer: ValueSealer.open(engine))
    let ada = try await cloud.user("_ada")
    try await fill(ada, 1_200)
    let bytes = try await cloud.server.usage(of: ada.container).map(\.bytes)
    let sealed = try await engine.bytesOfRecords
    try await goBack(engine)
    let readable = try await engine.bytesOfRecords
    let failures = await (0..<3).asyncCount { count in
      engine.fail(afterWrites: count)
      defer { engine.fail(afterWrites: nil) }
      return (try? await cloud.server.doChores()) == nil
    }
    #expect(failures == 3)
    try await cloud.server.doChores()
    try await engine.changeStoredRecords { record in
      #expect(record.fields.entries.filter(\.field.isEncrypted) == [])
    }
    #expect(try await engine.bytesOfRecords == sealed)
    // It went back without telling how much less there was.
    let counted = try await cloud.server.usage(of: ada.container).map(\.bytes)
    #expect(counted == bytes.map { $0 == 0 ? 0 : $0 + Int64(sealed - readable) })
    #expect(sealed > readable)
    let found = try await ada.lookUp(zone: "Z", "r1", "r1199", "r600")["records"].list
    #expect(found.map { $0.field("text") } == ["ThePlainSecretWord", "ThePlainSecretWord", nil])
  }

  @Test func `are looked for once`() async throws {
    let engine = EntryCountingEngine()
    let cloud = try await Cloud(engine: engine, sealer: ValueSealer.open(engine))
    try await fill(try await cloud.user("_ada"), 300)
    try await cloud.server.doChores()
    engine.reset()
    try await cloud.server.doChores()
    #expect(engine.entries < 10)
  }
}

extension Range<Int> {
  fileprivate func asyncCount(_ body: (Int) async throws -> Bool) async rethrows -> Int {
    var count = 0
    for number in self where try await body(number) { count += 1 }
    return count
  }
}
