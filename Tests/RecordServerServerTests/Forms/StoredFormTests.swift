import CloudRecords
import CloudWire
import Cryptography
import Foundation
import RecordServer
import RecordStorage
import TestSupport
import Testing

/// The first bytes of every kind of stored value.
@Suite struct `Stored encodings` {
  /// A change of an encoding increases `StoreSchema.version`, adds a step from the former one, and
  /// changes this table.
  @Test func `Each kind of value begins with its encoding's version`() async throws {
    let engine = MemoryStorageEngine()
    try await fill(engine)
    try await fillNumbered(Cloud(engine: engine))
    _ = try await Cloud(engine: engine).user("_ada").subscribe(
      #""subscriptionID":"s","subscriptionType":"database","notificationInfo":{"title":"T"}"#)
    try await Cloud(engine: engine).server.runMaintenance()
    try await engine.beginHistory(chance: 5)
    let entries = try await engine.read { try $0.entries(in: .all) }
    // Random identifiers have no version, and are represented by their length.
    let randomIdentifiers: Set<UInt8> = [35, 39]
    let forms = Dictionary(grouping: entries) { Self.keyspace(of: $0.key) }.mapValues { entries in
      Set(
        entries.compactMap { entry in
          randomIdentifiers.contains(Self.keyspace(of: entry.key))
            ? UInt8(clamping: entry.value.count) : entry.value.first
        }
      ).sorted()
    }
    let expected: [UInt8: [UInt8]] = [
      // zone, user, subscription, device, listener of a push token, a client's requests, time of
      // a client's last request
      2: [1], 11: [1], 20: [1], 21: [1], 23: [1], 24: [1], 27: [1],
      // server's secret, administrators' key, account, session, API token, server's key, rings of
      // secrets
      32: [1], 33: [1], 34: [1], 37: [1], 40: [1], 41: [1], 42: [1], 54: [1],
      // key of sealed values
      43: [1],
      // Records, their tombstones, and records with sealed fields; tombstones and records that left
      // a share before.
      4: [1, 2, 3, 4, 5],
      // history, data about a database
      26: [1], 14: [1],
      // membership in a shared zone, location of a share, key bags of zones and users, file
      8: [1], 9: [1], 19: [1], 22: [1], 50: [1],
      // progress of shared changes, shared change
      60: [1], 61: [1],
      // indexes
      17: [1],
      // Numbers: of realms, of zones, of positions, actions of references, times, of changes.
      1: [1, 2], 3: [1, 2], 5: [1, 2, 3, 4, 9, 11, 12, 13], 7: [1], 16: [128], 53: [128],
      62: [11],
      // Texts: a schema, a container, the identifiers of an account and a session.
      10: [UInt8(ascii: "D")], 36: [UInt8(ascii: "i")], 35: [32], 39: [32],
      // Keys without values.
      6: [], 12: [], 13: [], 15: [], 18: [], 28: [], 38: [], 51: [], 52: [],
    ]
    #expect(forms == expected)
  }

  // MARK: A store

  /// A server's store with a value of each kind.
  private func fill(_ engine: any StorageEngine) async throws {
    let accountServer = try await AccountServer(engine: engine)
    try await accountServer.add("ann@example.com")
    _ = try await accountServer.apiToken()
    try await accountServer.accounts.renewSecrets()
    let key = SampleKeys.publicPEM
    _ = try await accountServer.accounts.addServerKey(publicKey: key, for: AccountServer.container)
    let session = try await accountServer.signIn("ann@example.com")
    let ann = try await accountServer.cloud.user(session.userRecordName)
    try await ann.makeZone("Notes")
    _ = try await ann.device("phone")
    _ = try await ann.subscribe(#""subscriptionID":"s","subscriptionType":"database""#)
    func save(_ name: String) -> (String, String) {
      (
        "create",
        #""recordName":"\#(name)","recordType":"Note","fields":{"title":{"value":"\#(name)"}}"#
      )
    }
    #expect(
      try await ann.modify(zone: "Notes", save("a"), save("b"), save("c")).records == [
        "a@1", "b@2", "c@3",
      ])
    try await fillUnneeded(engine, ann)
    try await fillIndexes(engine, ann)
    #expect(
      try await ann.modify(zone: "Notes", ("forceDelete", #""recordName":"b""#)).records == [
        "b: deleted"
      ])
    try await fillShared(accountServer.cloud, ann)
    #expect(try await passThroughZone(of: ann) == ["a@1"])
    _ = try await ValueSealer.open(engine)
    let secret = #""secret":{"value":"s","type":"STRING","isEncrypted":true}"#
    #expect(
      try await ann.put("sealed", "Note", secret, zone: "Shared")["records"][0].field("secret")
        == "s")
  }

  /// A query that an index of titles answers.
  private static func title(_ title: String) -> String {
    #"{"query":{"recordType":"Note","filterBy":[{"fieldName":"title","comparator":"EQUALS","fieldValue":{"value":"\#(title)"}}]},"zoneID":{"zoneName":"Notes"}}"#
  }

  /// A query that an index of times answers.
  private static let sortedByTime =
    #"{"query":{"recordType":"Note","sortBy":[{"fieldName":"___createTime"}]},"zoneID":{"zoneName":"Notes"}}"#

  /// Creates a finished index, and one whose build a failed write interrupts.
  private func fillIndexes(_ engine: any StorageEngine, _ ann: Client) async throws {
    var limits = ServiceLimits()
    limits.entriesVisitedWithoutIndex = 0
    let failing = FailingEngine(engine)
    let asking = try await Client(Cloud(limits: limits, engine: failing), ann.caller, .development)
    // One write begins an index, and the next one builds it.
    for (query, writes) in [(Self.title("b"), 2), (Self.sortedByTime, 1)] {
      #expect(try await asking.ask(.private, .recordsQuery, query).status == 200)
      failing.fail(afterWrites: writes)
      await #expect(throws: CloudError.self) { try await asking.cloud.server.runMaintenance() }
      failing.fail(afterWrites: nil)
    }
    #expect(try await areReady(engine) == [true, false])
  }

  /// Whether each index is ready, by the last byte of its encoding.
  private func areReady(_ engine: any StorageEngine) async throws -> [Bool] {
    try await engine.read { transaction in
      try transaction.entries(in: .all).filter { Self.keyspace(of: $0.key) == 17 }.map {
        $0.value.last == 2
      }
    }
  }

  /// Creates a doomed file, a file without references, and the pin of a running backup.
  private func fillUnneeded(_ engine: any StorageEngine, _ ann: Client) async throws {
    let cloud = Cloud(engine: engine)
    cloud.pass(seconds: -3 * 86_400)
    let early = try await Client(cloud, ann.caller, .development)
    _ = try await early.upload("doomed")
    #expect(try await collect(Cloud(engine: engine)).count == 1)
    _ = try await early.upload("unneeded")
    try await Cloud(engine: engine).server.pinAssets("copy", seconds: 3_600)
  }

  /// The files that may be deleted after garbage collection.
  private func collect(_ cloud: Cloud) async throws -> [String] {
    while try await cloud.server.collectAssets(atMost: 10) {}
    return try await cloud.server.doomedAssetFiles(atMost: .max)
  }

  /// Creates and deletes a zone.
  ///
  /// - Returns: The results of its records.
  private func passThroughZone(of ann: Client) async throws -> [String] {
    try await ann.makeZone("Gone")
    let records = try await ann.modify(
      zone: "Gone", ("create", #""recordName":"a","recordType":"Note""#)
    ).records
    let delete =
      #"{"operations":[{"operationType":"delete","zone":{"zoneID":{"zoneName":"Gone"}}}]}"#
    #expect(try await ann.ask(.private, .zonesModify, delete)["zones"][0]["deleted"].flag == true)
    return records
  }

  /// Creates a zone with a file, a share with a participant, and key bags.
  private func fillShared(_ cloud: Cloud, _ ann: Client) async throws {
    try await ann.makeZone("Shared")
    let file = try await ann.upload("contents")
    let invited =
      #""participants":[{"userIdentity":{"userRecordName":"_bob"},"type":"USER","permission":"READ_WRITE","acceptanceStatus":"PENDING"}]"#
    let up =
      #""parent":{"recordName":"root"},"fields":{"up":{"value":{"recordName":"root","action":"DELETE_SELF"}}}"#
    let created = try await ann.modify(
      zone: "Shared",
      ("create", #""recordName":"root","recordType":"Note","fields":{"file":{"value":\#(file)}}"#),
      ("create", #""recordName":"leaf","recordType":"Note",\#(up)"#),
      (
        "create",
        #""recordName":"share","recordType":"cloudkit.share","fields":{},"forRecord":{"recordName":"root"},\#(invited)"#
      ))
    let short = try #require(created["records"][2]["shortGUID"].text, "\(created)")
    let bob = try await cloud.user("_bob")
    let joined = try await bob.ask(
      .public, .recordsAccept, #"{"shortGUIDs":[{"value":"\#(short)"}]}"#)
    #expect(!joined["results"][0]["serverErrorCode"].isThere, "\(joined)")
    try await moveOut(ann)
    let zone = #""zoneID":{"zoneName":"Shared"}"#
    for place in [
      #""bagType":"ZONE",\#(zone)"#, #""bagType":"SHARE",\#(zone),"shareName":"share""#,
      #""bagType":"USER_PRIVATE""#,
    ] {
      let bag = #"{\#(place),"generation":0,"data":"AAAA"}"#
      let saved = try await ann.ask(
        .private, .keyBagsModify, #"{"operations":[{"operationType":"save","bag":\#(bag)}]}"#)
      #expect(saved["bags"][0]["generation"].number == 1, "\(saved)")
    }
  }

  /// Saves records that leave a share and then change or are deleted, and one outside the share.
  private func moveOut(_ ann: Client) async throws {
    for fields in [
      #""parent":{"recordName":"root"}"#, #""parent":null"#, #""fields":{"t":{"value":"1"}}"#,
    ] {
      for name in ["moved", "dropped"] {
        let members = #""recordName":"\#(name)","recordType":"Note",\#(fields)"#
        #expect(
          try await ann.modify(zone: "Shared", ("forceUpdate", members)).records[0].hasPrefix(
            name + "@"))
      }
    }
    let gone = try await ann.modify(zone: "Shared", ("forceDelete", #""recordName":"dropped""#))
    #expect(gone.records == ["dropped: deleted"])
    _ = try await ann.put("stray", "Note", zone: "Shared")
  }

  /// Sends a request with a number.
  private func fillNumbered(_ cloud: Cloud) async throws {
    var bob = try await cloud.user("_bob")
    bob.stamp = RequestStamp(client: "A", number: 1, oldest: 1)
    let reply = try await bob.modify(("forceDelete", #""recordName":"absent""#))
    #expect(reply.status == 200, "\(reply)")
  }

  /// The kind of value under a key: the byte after the partition's name and its terminator.
  private static func keyspace(of key: StorageKey) -> UInt8 {
    let end = key.bytes.firstIndex(of: 0) ?? 0
    return key.bytes[end + 1]
  }
}

/// A key that is generated once per run.
private enum SampleKeys {
  static let publicPEM = SignaturePrivateKey().publicPEM
}
