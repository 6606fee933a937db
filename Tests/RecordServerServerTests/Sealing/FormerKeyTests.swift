import CloudRecords
import CloudWire
import Cryptography
import Foundation
import RecordServer
import RecordStorage
import TestSupport
import Testing

/// Values that were sealed under a key that has a successor.
@Suite struct `Values under a former key` {
  /// A sealer with one key for each number.
  ///
  /// The first is the current one.
  private func sealer(_ engine: any StorageEngine, _ keys: UInt8...) async throws -> ValueSealer {
    var source = ValueSealer.Source()
    source.keys = keys.map {
      SealingKey(SecretBytes([UInt8](repeating: $0, count: SealingKey.byteCount)))
    }
    return try await ValueSealer.open(engine, source)
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
      #expect(reply["records"].list.count == list.count, "\(reply)")
      #expect(reply["records"].list.allSatisfy { !$0["serverErrorCode"].isThere }, "\(reply)")
    }
  }

  @Test func `Resealing continues to the end after failures and changes nothing for clients`()
    async throws
  {
    let engine = FailingEngine()
    let early = try await Cloud(engine: engine, sealer: sealer(engine, 1))
    try await fill(try await early.user("_ada"), 1_200)
    let bytes = try await engine.bytesOfRecords
    let cloud = try await Cloud(engine: engine, sealer: sealer(engine, 2, 1))
    let ada = try await cloud.user("_ada")
    let before = try await ada.changes(zone: "Z", limit: 2_000)["zones"][0]
    let usage = try await cloud.server.usage(of: ada.container).map(\.bytes)
    let failures = await (0..<3).asyncCount { count in
      engine.fail(afterWrites: count)
      defer { engine.fail(afterWrites: nil) }
      return (try? await cloud.server.runMaintenance()) == nil
    }
    #expect(failures == 3)
    try await cloud.server.runMaintenance()
    let after = try await ada.changes(zone: "Z", limit: 2_000)["zones"][0]
    #expect(after.tree as? NSDictionary == before.tree as? NSDictionary)
    #expect(before["records"].list.count > 100)
    #expect(try await engine.bytesOfRecords == bytes)
    #expect(try await cloud.server.usage(of: ada.container).map(\.bytes) == usage)
    // The former key is no longer needed.
    let later = try await Cloud(engine: engine, sealer: sealer(engine, 2)).user("_ada")
    let found = try await later.lookUp(zone: "Z", "r1", "r1199", "r600")["records"].list
    #expect(found.map { $0.field("text") } == ["ThePlainSecretWord", "ThePlainSecretWord", nil])
  }

  @Test func `A record that moves while its page is resealed keeps its values`() async throws {
    let large = String(repeating: "x", count: 600_000)
    for delay in 0..<12 {
      let engine = ReadCountingEngine()
      let early = try await Cloud(engine: engine, sealer: sealer(engine, 1))
      let first = try await early.user("_ada")
      try await first.makeZone("Z")
      let made = try await first.modify(
        zone: "Z",
        ("create", #""recordName":"r","recordType":"Note","fields":{\#(Self.fields)}"#))
      #expect(made["records"][0]["recordChangeTag"].isThere, "\(made)")
      let cloud = try await Cloud(engine: engine, sealer: sealer(engine, 2, 1))
      let ada = try await cloud.user("_ada")
      // After one of the reads, the record moves behind more than a step processes.
      let reads = Counter()
      engine.afterRead {
        guard reads.take(of: Array(0...delay)) == delay else { return }
        await #expect(throws: Never.self) {
          let reply = try await ada.modify(
            zone: "Z",
            ("create", #""recordName":"a","recordType":"L","fields":{"l":{"value":"\#(large)"}}"#),
            ("create", #""recordName":"b","recordType":"L","fields":{"l":{"value":"\#(large)"}}"#),
            (
              "forceUpdate",
              #""recordName":"r","recordType":"Note","fields":{"open":{"value":"o"}}"#
            ))
          #expect(reply["records"].list.count == 3, "\(reply)")
          #expect(reply["records"].list.allSatisfy { $0["recordChangeTag"].isThere }, "\(reply)")
        }
      }
      try await cloud.server.runMaintenance()
      engine.afterRead(nil)
      let later = try await Cloud(engine: engine, sealer: sealer(engine, 2)).user("_ada")
      let found = try await later.lookUp(zone: "Z", "r")["records"][0]
      #expect(found.field("text") == "ThePlainSecretWord", "after \(delay) reads")
    }
  }

  @Test func `Values are examined once`() async throws {
    let engine = EntryCountingEngine()
    let cloud = try await Cloud(engine: engine, sealer: ValueSealer.open(engine))
    try await fill(try await cloud.user("_ada"), 300)
    try await cloud.server.runMaintenance()
    engine.reset()
    try await cloud.server.runMaintenance()
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
