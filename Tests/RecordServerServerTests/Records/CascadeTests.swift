import CloudRecords
import CloudWire
import Foundation
import RecordServer
import RecordStorage
import SQLiteRecordStorage
import Synchronization
import TestSupport
import Testing

/// A record that a reference deletes is checked like a direct deletion.
@Suite struct `Cascading deletions` {
  typealias Link = SharedZoneOperation.Link

  @Test func `Validating references forbid a deletion`() async throws {
    let zone = try await SharedZone(Cloud())
    try await zone.modify(
      .save("tgt"), .save("src", Link(to: "tgt", "DELETE_SELF")),
      .save("val", Link(to: "src", "VALIDATE")))
    #expect(try await zone.modify(.delete("tgt")).records == ["tgt: VALIDATING_REFERENCE_ERROR"])
    #expect(try await zone.lookUp("tgt", "src", "val") == ["tgt@1", "src@2", "val@3"])
    #expect(
      try await zone.modify(.delete("tgt"), .delete("val")).records == [
        "tgt: deleted", "val: deleted",
      ])
    #expect(try await zone.lookUp("src") == ["src: NOT_FOUND"])
  }

  @Test func `Children forbid a deletion`() async throws {
    let zone = try await SharedZone(Cloud())
    try await zone.modify(
      .save("tgt"), .save("kid", Link(to: "tgt", "DELETE_SELF")),
      .save("grand", under: .record("kid")))
    let reply = try await zone.modify(atomic: false, .delete("tgt"), .save("else"))
    #expect(reply.records == ["tgt: VALIDATING_REFERENCE_ERROR", "else@4"])
    #expect(try await zone.lookUp("kid", "grand") == ["kid@2", "grand@3"])
    // The request may delete the children, too, or give them another parent.
    try await zone.modify(.save("kid 2", under: .record("kid")))
    let whole = try await zone.modify(
      .delete("tgt"), .delete("grand"), .save("kid 2", under: SharedZoneOperation.Parent.none))
    #expect(whole.records == ["tgt: deleted", "grand: deleted", "kid 2@9"])
  }

  @Test func `A record that cannot be deleted stays for the rest of the request`() async throws {
    let zone = try await SharedZone(Cloud())
    try await zone.modify(
      .save("tgt"), .save("src", Link(to: "tgt", "DELETE_SELF")),
      .save("val", Link(to: "src", "VALIDATE")))
    let update = SharedZoneOperation(
      kind: "forceUpdate", record: #""recordName":"src","fields":{"t":{"value":"new"}}"#)
    let reply = try await zone.modify(atomic: false, .delete("tgt"), update, .delete("missing"))
    #expect(reply.records == ["tgt: VALIDATING_REFERENCE_ERROR", "src@4", "missing: deleted"])
  }

  @Test func `The same request can name cascaded records`() async throws {
    let zone = try await SharedZone(Cloud())
    for names in [["tgt", "src"], ["src", "tgt"]] {
      try await zone.modify(
        .save("tgt"), .save("src", under: .record("tgt"), Link(to: "tgt", "DELETE_SELF")))
      #expect(
        try await zone.modify(names.map { .delete($0) }).records == names.map { "\($0): deleted" })
    }
    // It can also name the share that ends with its root.
    try await zone.modify(.save("root"))
    try await zone.share("S", of: "root", with: [])
    #expect(
      try await zone.modify(.delete("root"), .delete("S")).records == [
        "root: deleted", "S: deleted",
      ])
  }

  @Test func `A cascade is limited, and follows references as the request changes them`()
    async throws
  {
    var limits = ServiceLimits()
    limits.cascadesPerRequest = 3
    let zone = try await SharedZone(Cloud(limits: limits))
    try await zone.modify(.save("a"), .save("b"), .save("c"))
    for (source, target) in [("a1", "a"), ("a2", "a1"), ("b1", "b"), ("b2", "b"), ("c1", "c")] {
      try await zone.modify(.save(source, Link(to: target, "DELETE_SELF")))
    }
    let reply = try await zone.modify(atomic: false, .delete("a"), .delete("b"), .delete("c"))
    #expect(reply.records == ["a: deleted", "b: BAD_REQUEST", "c: deleted"])
    #expect(reply["records"][1]["reason"].text?.contains("More than 3 records") == true, "\(reply)")
    #expect(try await zone.lookUp("b", "b1", "b2").allSatisfy { !$0.contains(":") })
    // A record that the same request points elsewhere is not deleted.
    let moved = try await zone.modify(
      .save("b1", Link(to: "b2", "DELETE_SELF")), .save("b2", Link(to: "b", "NONE")), .delete("b"))
    #expect(moved.records[2] == "b: deleted")
    #expect(try await zone.lookUp("b1", "b2").allSatisfy { !$0.contains(":") })
  }

  @Test func `The limit covers all zones of a request`() async throws {
    var limits = ServiceLimits()
    limits.cascadesPerRequest = 3
    let ada = try await Cloud(limits: limits).user("_ada")
    func delete(_ zones: String...) async throws -> Reply {
      let operations = zones.map {
        #"{"operationType":"forceDelete","record":{"recordName":"tgt","zoneID":{"zoneName":"\#($0)"}}}"#
      }
      return try await ada.ask(
        .private, .recordsModify,
        #"{"operations":[\#(operations.joined(separator: ","))],"atomic":false}"#)
    }
    for zone in ["A", "B", "C"] {
      try await ada.makeZone(zone)
      let link = #""fields":{"to":{"value":{"recordName":"tgt","action":"DELETE_SELF"}}}"#
      let saved = try await ada.modify(
        zone: zone, ("create", #""recordName":"tgt","recordType":"T","fields":{}"#),
        ("create", #""recordName":"one","recordType":"T",\#(link)"#),
        ("create", #""recordName":"two","recordType":"T",\#(link)"#))
      #expect(saved.records == ["tgt@1", "one@2", "two@3"])
    }
    let reply = try await delete("A", "B", "C")
    #expect(reply.records == ["tgt: deleted", "tgt: BAD_REQUEST", "tgt: BAD_REQUEST"])
    #expect(reply["records"][1]["reason"].text?.contains("More than 3 records") == true, "\(reply)")
    #expect(
      try await ada.lookUp(zone: "B", "tgt", "one", "two").records == ["tgt@1", "one@2", "two@3"])
    #expect(try await delete("B").records == ["tgt: deleted"])
  }

  @Test func `A record reached by several paths is deleted once`() async throws {
    var limits = ServiceLimits()
    (limits.cascadesPerTarget, limits.cascadesPerRequest) = (2, 6)
    let zone = try await SharedZone(Cloud(limits: limits))
    try await zone.modify(.save("a"))
    for (source, target) in [("b", "a"), ("c", "a"), ("d", "b"), ("e", "d"), ("f", "c")] {
      try await zone.modify(.save(source, Link(to: target, "DELETE_SELF")))
    }
    let fields = [("one", "e"), ("two", "f")].map {
      #""\#($0)":{"value":{"recordName":"\#($1)","action":"DELETE_SELF"}}"#
    }.joined(separator: ",")
    try await zone.modify(
      SharedZoneOperation(
        kind: "create", record: #""recordName":"g","recordType":"Node","fields":{\#(fields)}"#))
    let token = try await zone.token()
    #expect(try await zone.modify(.delete("a")).records == ["a: deleted"])
    let changes = try await zone.ada.changes(zone: SharedZone.name, since: token)["zones"][0]
      .records
    #expect(changes.sorted() == ["a", "b", "c", "d", "e", "f", "g"].map { "\($0): deleted" })
    try await zone.modify(.save("z"))
    for name in ["z1", "z2", "z3"] {
      try await zone.modify(.save(name, Link(to: "z", "DELETE_SELF")))
    }
    let refused = try await zone.modify(.delete("z"))["records"][0]
    #expect(
      refused["reason"].text?.hasPrefix("More than 2 records refer to “z”") == true, "\(refused)")
  }

  @Test func `No reference to deleted records remains`() async throws {
    let engine = MemoryStorageEngine()
    let ada = try await Cloud(engine: engine).user("_ada")
    try await ada.makeZone("Z")
    let link = #""to":{"value":{"recordName":"target","action":"DELETE_SELF"}}"#
    let file = #""file":{"value":\#(try await ada.upload("1"))}"#
    for (name, fields, parent) in [
      ("target", "", ""),
      ("quite a leaf", "\(link),\(file)", #","parent":{"recordName":"target"}"#),
    ] {
      let saved = try await ada.modify(
        zone: "Z",
        ("create", #""recordName":"\#(name)","recordType":"T","fields":{\#(fields)}\#(parent)"#))
      #expect(saved["records"][0]["recordChangeTag"].isThere, "\(saved)")
    }
    func keys() async throws -> Int {
      try await engine.read { transaction in
        try transaction.entries(in: .all).count {
          String(decoding: $0.key.bytes, as: UTF8.self).contains("quite a leaf")
        }
      }
    }
    // The entries of its name, parent, reference, and of its file from both sides.
    #expect(try await keys() == 5)
    #expect(
      try await ada.modify(zone: "Z", ("forceDelete", #""recordName":"target""#)).records == [
        "target: deleted"
      ])
    #expect(try await keys() == 1)
    #expect(try await ada.lookUp(zone: "Z", "quite a leaf").records == ["quite a leaf: NOT_FOUND"])
  }

  @Test func `Deleted records are reported with their fields, as far as there is space`()
    async throws
  {
    var limits = ServiceLimits()
    limits.answerBytes = 10_000
    let zone = try await SharedZone(Cloud(limits: limits))
    try await zone.modify(.save("tgt"))
    for (name, size) in [("small", 100), ("large", 20_000), ("other", 100)] {
      let text = String(repeating: "x", count: size)
      try await zone.modify(.save(name, Link(to: "tgt", "DELETE_SELF"), text: text))
    }
    _ = zone.cloud.notices.take()
    try await zone.modify(.delete("tgt"))
    let events = zone.cloud.notices.take().flatMap(\.events)
    #expect(events.map(\.record.recordName).sorted() == ["large", "other", "small", "tgt"])
    for event in events {
      let name = event.record.recordName
      #expect(event.event == .delete && event.isWhole == (name != "large"), "\(name)")
      #expect(event.record.fields.entries.contains { $0.name == "t" } == event.isWhole, "\(name)")
    }
  }

  /// Runs in its own process, in which no other test uses memory.
  @Test(.measuresMemory) func `A cascade is never in memory as a whole`() async {
    await #expect(processExitsWith: .success) {
      try await withTemporaryDirectory { folder in
        let engine = WatchedEngine(try SQLiteStorageEngine(folder: folder.path))
        let zone = try await SharedZone(Cloud(engine: engine))
        try await zone.modify(.save("tgt"))
        let (count, size) = (100, 500_000)
        let text = String(repeating: "x", count: size)
        for number in 0..<count {
          try await zone.modify(.save("\(number)", Link(to: "tgt", "DELETE_SELF"), text: text))
        }
        _ = zone.cloud.notices.take()
        let before = try residentBytes()
        engine.watch()
        #expect(try await zone.modify(.delete("tgt")).records == ["tgt: deleted"])
        let more = engine.mostBytes - before
        #expect(more < 24 << 20, "\(more >> 10) KB more while \(count * size >> 10) KB went")
        #expect(try await zone.lookUp("0", "99") == ["0: NOT_FOUND", "99: NOT_FOUND"])
        await engine.close()
      }
    }
  }

  @Test func `A cascade ends the share of a deleted record`() async throws {
    let zone = try await SharedZone(Cloud())
    let bob = try await zone.cloud.user("_bob")
    try await zone.modify(.save("tgt"), .save("root", Link(to: "tgt", "DELETE_SELF")), .save("b"))
    try await zone.share("S1", of: "root", with: [(bob, "READ_WRITE")])
    try await zone.share("S2", of: "b", with: [(bob, "READ_ONLY")])
    var reader = SharedZoneReader(bob, zone)
    try await reader.catchUp()
    #expect(reader.names == ["S1", "S2", "b", "root"])
    #expect(try await zone.modify(.delete("tgt")).records == ["tgt: deleted"])
    #expect(try await zone.lookUp("root", "S1") == ["root: NOT_FOUND", "S1: NOT_FOUND"])
    try await reader.catchUp()
    #expect(reader.names == ["S2", "b"])
    try await zone.modify(.delete("S2"))
    #expect(try await zone.modify(.shareZone(with: [])).records[0].hasPrefix("cloudkit.zoneshare@"))
  }

  @Test func `A cascade can delete a share`() async throws {
    let zone = try await SharedZone(Cloud())
    try await zone.modify(.save("tgt"), .save("root"))
    try await zone.share("S1", of: "root", with: [])
    let link = #""to":{"value":{"recordName":"tgt","action":"DELETE_SELF"}}"#
    let tied = SharedZoneOperation(
      kind: "forceUpdate", record: #""recordName":"S1","fields":{\#(link)}"#)
    #expect(try await zone.modify(tied).records[0].hasPrefix("S1@"))
    #expect(try await zone.modify(.delete("tgt")).records == ["tgt: deleted"])
    #expect(try await zone.lookUp("S1") == ["S1: NOT_FOUND"])
    #expect(try await !zone.lookUp(["root"])["records"][0]["share"].isThere)
    try await zone.share("S2", of: "root", with: [])
  }

  @Test func `A participant's cascade ends no share`() async throws {
    let zone = try await SharedZone(Cloud())
    let bob = try await zone.cloud.user("_bob")
    try await zone.modify(
      .save("b"), .save("tgt", under: .record("b")), .save("root", Link(to: "tgt", "DELETE_SELF")))
    try await zone.share("S1", of: "root", with: [])
    try await zone.share("S2", of: "b", with: [(bob, "READ_WRITE")])
    #expect(try await zone.modify(by: bob, .delete("tgt")).records == ["tgt: ACCESS_DENIED"])
    #expect(try await zone.lookUp("S1")[0].hasPrefix("S1@"))
    try await zone.modify(.delete("S1"))
    #expect(try await zone.modify(by: bob, .delete("tgt")).records == ["tgt: deleted"])
  }

  @Test func `Descendants of a record that is recreated outside a share leave the share with it`()
    async throws
  {
    let zone = try await SharedZone(Cloud())
    let bob = try await zone.cloud.user("_bob")
    try await zone.modify(
      .save("tgt"), .save("root"),
      .save("kid", under: .record("root"), Link(to: "tgt", "DELETE_SELF")),
      .save("grand", under: .record("kid")), .save("great", under: .record("grand")))
    try await zone.share("S1", of: "root", with: [(bob, "READ_WRITE")])
    var reader = SharedZoneReader(bob, zone)
    try await reader.catchUp()
    #expect(reader.names == ["S1", "grand", "great", "kid", "root"])
    try await zone.modify(.delete("tgt"), .save("kid", under: SharedZoneOperation.Parent.none))
    #expect(try await zone.lookUp("kid")[0].hasPrefix("kid@"))
    #expect(
      try await zone.lookUp(by: bob, "kid", "grand") == ["kid: NOT_FOUND", "grand: NOT_FOUND"])
    #expect(
      try await zone.modify(by: bob, .save("great", text: "x")).records == ["great: ACCESS_DENIED"])
    try await reader.catchUp()
    #expect(reader.names == ["S1", "root"])
  }
}

/// Storage that measures the process's memory during writes.
private final class WatchedEngine: StorageEngine {
  private let engine: any StorageEngine
  private let most = Mutex<Int?>(nil)

  init(_ engine: any StorageEngine) { self.engine = engine }

  func watch() { most.withLock { $0 = 0 } }

  var mostBytes: Int { most.withLock { $0 ?? 0 } }

  private func look() {
    most.withLock { most in
      guard let known = most, let now = try? residentBytes() else { return }
      most = max(known, now)
    }
  }

  func read<Result: Sendable>(
    in partition: String?, _ body: @escaping @Sendable (any StorageReading) throws -> Result
  ) async throws -> Result {
    try await engine.read(in: partition, body)
  }

  func write<Result: Sendable>(
    in partition: String?, _ body: @escaping @Sendable (any StorageWriting) throws -> Result
  ) async throws -> Result {
    let engine = self
    return try await self.engine.write(in: partition) { transaction in
      defer { engine.look() }
      return try body(WatchedTransaction(transaction, engine))
    }
  }

  func close() async { await engine.close() }

  private final class WatchedTransaction: StorageWriting {
    private let transaction: any StorageWriting
    private let engine: WatchedEngine

    init(_ transaction: any StorageWriting, _ engine: WatchedEngine) {
      self.transaction = transaction
      self.engine = engine
    }

    func visitValues(of keys: [StorageKey], _ visit: (Int, Span<UInt8>?) throws -> Void) throws {
      try transaction.visitValues(of: keys, visit)
      engine.look()
    }

    func visitEntries(
      in range: StorageRange, order: StorageOrder, limit: Int,
      _ visit: (Span<UInt8>, Span<UInt8>) throws -> VisitContinuation
    ) throws {
      try transaction.visitEntries(in: range, order: order, limit: limit, visit)
      engine.look()
    }

    func set(_ value: Span<UInt8>, for key: StorageKey) throws(StorageError) {
      engine.look()
      try transaction.set(value, for: key)
    }

    func remove(_ key: StorageKey) throws(StorageError) { try transaction.remove(key) }

    func removeEntries(in range: StorageRange) throws(StorageError) {
      try transaction.removeEntries(in: range)
    }
  }
}

/// References of participants are limited to what they see.
@Suite struct `References of participants` {
  typealias Link = SharedZoneOperation.Link

  private func begin() async throws -> (zone: SharedZone, bob: Client) {
    let zone = try await SharedZone(Cloud())
    let bob = try await zone.cloud.user("_bob")
    try await zone.modify(.save("root"), .save("kid", under: .record("root")), .save("hidden"))
    try await zone.share("S1", of: "root", with: [(bob, "READ_WRITE")])
    return (zone, bob)
  }

  private func refer(_ name: String, to target: String, _ action: String = "VALIDATE")
    -> SharedZoneOperation
  {
    .save(name, under: .record("root"), Link(to: target, action))
  }

  @Test(arguments: ["VALIDATE", "DELETE_SELF"])
  func `References to invisible records are rejected like those to missing ones`(action: String)
    async throws
  {
    let (zone, bob) = try await begin()
    let hidden = try await zone.modify(by: bob, refer("x", to: "hidden", action))["records"][0]
    let missing = try await zone.modify(by: bob, refer("x", to: "missing", action))["records"][0]
    #expect(hidden["serverErrorCode"].text == "VALIDATING_REFERENCE_ERROR", "\(hidden)")
    #expect(hidden["reason"].text?.replacing("hidden", with: "missing") == missing["reason"].text)
    let own = try await zone.modify(by: bob, refer("kid", to: "hidden", action))
    #expect(own.records == ["kid: VALIDATING_REFERENCE_ERROR"])
    #expect(try await zone.modify(.delete("hidden")).records == ["hidden: deleted"])
  }

  @Test func `References to visible records are kept`() async throws {
    let (zone, bob) = try await begin()
    #expect(try await zone.modify(by: bob, refer("x", to: "kid")).records[0].hasPrefix("x@"))
    // References to records of the same request, in any order, and to itself are allowed.
    let both = try await zone.modify(
      by: bob, refer("y", to: "new"), .save("new", under: .record("kid")), refer("z", to: "z"))
    #expect(both["records"].list.allSatisfy { !$0["serverErrorCode"].isThere }, "\(both)")
    #expect(
      try await zone.modify(by: bob, .delete("new")).records == ["new: VALIDATING_REFERENCE_ERROR"])
  }

  @Test func `The owner's references do not stop participants from writing`() async throws {
    let (zone, bob) = try await begin()
    try await zone.modify(.save("kid", Link(to: "hidden", "VALIDATE")))
    #expect(
      try await zone.modify(by: bob, .save("kid", text: "bob's")).records[0].hasPrefix("kid@"))
    // A caller that may not see the referring record does not learn its name.
    try await zone.modify(.save("secret", Link(to: "kid", "VALIDATE")))
    let held = try await zone.modify(by: bob, .delete("kid"))["records"][0]
    #expect(held["serverErrorCode"].text == "VALIDATING_REFERENCE_ERROR")
    #expect(held["reason"].text?.contains("secret") == false, "\(held)")
    try await zone.modify(
      .save("tgt", under: .record("root")), .save("secret", Link(to: "tgt", "DELETE_SELF")),
      .save("keeper", Link(to: "secret", "VALIDATE")))
    let kept = try await zone.modify(by: bob, .delete("tgt"))["records"][0]
    #expect(kept["serverErrorCode"].text == "VALIDATING_REFERENCE_ERROR")
    #expect(
      kept["reason"].text
        == "A field of another record refers to the record and prevents its deletion.")
  }

  @Test func `Participants keep references to invisible records and add none`() async throws {
    let (zone, bob) = try await begin()
    func kid(_ targets: String...) -> SharedZoneOperation {
      let list = targets.map { #"{"recordName":"\#($0)","action":"VALIDATE"}"# }
      let fields = #""all":{"value":[\#(list.joined(separator: ","))]}"#
      return SharedZoneOperation(
        kind: "forceUpdate", record: #""recordName":"kid","fields":{\#(fields)}"#)
    }
    try await zone.modify(.save("secret"), kid("hidden", "secret"))
    let kept = try await zone.modify(by: bob, kid("secret", "root"))
    #expect(kept.records[0].hasPrefix("kid@"), "\(kept)")
    // The error names the first added target, whether or not it exists.
    for name in ["hidden", "missing"] {
      let added = try await zone.modify(by: bob, kid("secret", name, "other"))
      #expect(added.records == ["kid: VALIDATING_REFERENCE_ERROR"])
      #expect(added["records"][0]["reason"].text?.contains("“\(name)”") == true, "\(added)")
    }
  }

  /// A record with a cascading reference can be deleted by users who may delete its target.
  ///
  /// Adding such a reference requires write permission for the record.
  @Test
  func `A participant's deletion silently includes invisible records that refer to its target`()
    async throws
  {
    let (zone, bob) = try await begin()
    try await zone.modify(
      .save("hidden", Link(to: "kid", "DELETE_SELF")),
      .save("chained", Link(to: "hidden", "DELETE_SELF")),
      .save("loose", Link(to: "kid", "NONE")), .save("barred", under: .record("root")),
      .save("keeper", Link(to: "barred", "VALIDATE")))
    var reader = SharedZoneReader(bob, zone)
    try await reader.catchUp()
    let reply = try await zone.modify(by: bob, .delete("kid"))
    #expect(reply.records == ["kid: deleted"])
    let gone = try await zone.lookUp("kid", "hidden", "chained", "loose")
    #expect(gone.map { $0.hasSuffix("NOT_FOUND") } == [true, true, true, false], "\(gone)")
    try await reader.catchUp()
    #expect(reader.told == ["kid"] && reader.names == ["S1", "barred", "root"])
    // An invisible record can prevent a deletion, and the participant cannot change that record.
    #expect(
      try await zone.modify(by: bob, .delete("barred")).records == [
        "barred: VALIDATING_REFERENCE_ERROR"
      ])
    #expect(
      try await zone.modify(by: bob, .save("keeper", text: "x")).records == [
        "keeper: ACCESS_DENIED"
      ])
  }
}
