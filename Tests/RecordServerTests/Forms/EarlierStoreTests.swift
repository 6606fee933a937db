import CloudRecords
import CloudWire
import Cryptography
import Foundation
import RecordServer
import RecordStorage
import SQLiteDriver
import SQLiteRecordStorage
import TestSupport
import Testing

/// Stores that servers of earlier versions wrote, and what keeps a later one from being taken for
/// one of these.
///
/// They are written by the present server and put into the forms of earlier ones, byte for byte as
/// the sources of these say.
@Suite struct `Earlier stores` {
  /// What programs wrote at some time before the present version.
  enum Age: String, CaseIterable, CustomTestStringConvertible {
    /// Before there was a server to start: zones that end with their deletion.
    case zonesOfForm1
    /// Zones that know when they are purged, as the first server wrote them.
    case zonesOfForm2
    /// Which know their last index as well.
    case zonesWithIndexes
    /// And whether their keys were reset; single secrets, and accounts that nobody finds.
    case zonesWithResets
    /// Forms as they still are.
    case presentForms
    /// Forms as they still are, and encrypted values as clients sent them.
    case readableValues
    /// Sealed values, and nothing of when shares began and ended to show something, nor do the
    /// others know that.
    case unknownSights
    /// All of that, and nothing of how far deleted zones went, which none of the others know.
    case knownSights
    /// How far deleted zones went, and nothing of how many zones there are, nor the order in which
    /// others went.
    case knownDeletions
    /// All of that, and no index of users by address.
    case countedZones

    var testDescription: String { rawValue }

    /// The form of a zone, and how many of the parts that came later it has.
    fileprivate var zone: (form: UInt8, laterParts: Int) {
      switch self {
      case .zonesOfForm1: (1, 0)
      case .zonesOfForm2: (2, 1)
      case .zonesWithIndexes: (2, 2)
      case .zonesWithResets: (2, 3)
      case .presentForms, .readableValues, .unknownSights, .knownSights, .knownDeletions,
        .countedZones:
        (3, 4)
      }
    }

    /// Whether there were indexes that queries had asked for.
    fileprivate var hasIndexes: Bool { zone.laterParts >= 2 }

    /// Whether it is known when shares began and ended to show something.
    fileprivate var knowsSights: Bool {
      [.knownSights, .knownDeletions, .countedZones].contains(self)
    }
  }

  @Test(arguments: Age.allCases)
  func `are upgraded and used by the present server, and then refused by theirs`(age: Age)
    async throws
  {
    let place = FileManager.default.temporaryDirectory.appendingPathComponent(
      "store-\(UUID().uuidString)"
    ).path
    defer { try? FileManager.default.removeItem(atPath: place) }
    try await writeStore(of: age, to: place)
    let engine = try SQLiteStorageEngine(folder: place)
    try await checkIsWhole(engine, since: age)
    #expect(try await engine.problems(isThorough: true) == [])
    await engine.close()
    #expect(try Connection(.file(place + "/records.sqlite")).get(.userVersion) == 10)
    let refusal = #expect(throws: StorageError.self) {
      _ = try SQLiteStorageEngine(folder: place, options: Self.ofVersion1)
    }
    #expect(refusal?.code == .newer, "\(refusal as Any)")
  }

  /// Who changes a form raises `StoreSchema.version`, keeps the former one among the ages above,
  /// and changes this table.
  @Test func `begin each kind of value with what is known of their version`() async throws {
    let engine = MemoryStorageEngine()
    try await fill(engine)
    try await fillNumbered(Cloud(engine: engine))
    _ = try await Cloud(engine: engine).user("_ada").subscribe(
      #""subscriptionID":"s","subscriptionType":"database","notificationInfo":{"title":"T"}"#)
    try await Cloud(engine: engine).server.doChores()
    try await engine.beginHistory(chance: 5)
    let entries = try await engine.read { try $0.entries(in: .all) }
    // Names that are drawn by lot are known by their length.
    let drawn: Set<UInt8> = [35, 39]
    let forms = Dictionary(grouping: entries) { Self.keyspace(of: $0.key) }.mapValues { entries in
      Set(
        entries.compactMap { entry in
          drawn.contains(Self.keyspace(of: entry.key))
            ? UInt8(clamping: entry.value.count) : entry.value.first
        }
      ).sorted()
    }
    let expected: [UInt8: [UInt8]] = [
      // zone, user, subscription, device, who listens by a device's token, a client's requests,
      // when a client came
      2: [3, 5], 11: [1], 20: [1, 2], 21: [1], 23: [1], 24: [3], 27: [1],
      // server's secret, administrators' key, account, session, API token, server's key, ring of
      // secrets
      32: [1], 33: [1], 34: [2], 37: [1], 40: [1], 41: [1], 42: [2], 54: [2],
      // key of sealed values
      43: [1],
      // Records, the marks of those that were deleted, and records with sealed fields; marks and
      // records that left a share before.
      4: [1, 2, 3, 4, 5],
      // What was mended; the history, what is known of a database
      25: [1], 26: [1], 14: [3],
      // whether the index of users by address is built
      31: [1],
      // part in a shared zone, place of a share, bags of keys of zones and users, file
      8: [1], 9: [1], 19: [1], 22: [1], 50: [1],
      // indexes
      17: [1],
      // Numbers: of realms, of zones, of positions, actions of references, times.
      1: [1, 2], 3: [1, 2], 5: [1, 2, 3, 4, 9, 11, 12, 13], 7: [1], 16: [128], 53: [128],
      // Texts: a schema, a container, an account's name and a session's.
      10: [UInt8(ascii: "D")], 36: [UInt8(ascii: "i")], 35: [32], 39: [32],
      // Keys alone.
      6: [], 12: [], 13: [], 15: [], 18: [], 28: [], 38: [], 51: [], 52: [],
    ]
    #expect(forms == expected)
  }

  // MARK: A store

  /// A server's store with something of each kind that ever changed.
  private func fill(_ engine: any StorageEngine, withIndexes: Bool = true) async throws {
    let registry = try await Registry(engine: engine)
    try await registry.add("ann@example.com")
    _ = try await registry.apiToken()
    try await registry.accounts.renewSecrets()
    let key = SampleKeys.publicPEM
    _ = try await registry.accounts.addServerKey(publicKey: key, for: Registry.container)
    let session = try await registry.signIn("ann@example.com")
    let ann = try await registry.cloud.user(session.userRecordName)
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
    if withIndexes { try await fillIndexes(engine, ann) }
    #expect(
      try await ann.modify(zone: "Notes", ("forceDelete", #""recordName":"b""#)).records == [
        "b: deleted"
      ])
    try await fillShared(registry.cloud, ann)
    #expect(try await passThroughZone(of: ann) == ["a@1"])
    _ = try await ValueSealer.open(engine)
    let secret = #""secret":{"value":"s","type":"STRING","isEncrypted":true}"#
    #expect(
      try await ann.put("sealed", "Note", secret, zone: "Shared")["records"][0].field("secret")
        == "s")
  }

  /// A question that an index of titles answers.
  private static func title(_ title: String) -> String {
    #"{"query":{"recordType":"Note","filterBy":[{"fieldName":"title","comparator":"EQUALS","fieldValue":{"value":"\#(title)"}}]},"zoneID":{"zoneName":"Notes"}}"#
  }

  /// A question that an index of times answers.
  private static let sortedByTime =
    #"{"query":{"recordType":"Note","sortBy":[{"fieldName":"___createTime"}]},"zoneID":{"zoneName":"Notes"}}"#

  /// An index that is ready, and one that is being made, as a server left it that was killed.
  private func fillIndexes(_ engine: any StorageEngine, _ ann: Client) async throws {
    var limits = ServiceLimits()
    limits.entriesVisitedWithoutIndex = 0
    let failing = FailingEngine(engine)
    let asking = try await Client(Cloud(limits: limits, engine: failing), ann.caller, .development)
    // An index is begun by one write, and made by the next.
    for (query, writes) in [(Self.title("b"), 2), (Self.sortedByTime, 1)] {
      #expect(try await asking.ask(.private, .recordsQuery, query).status == 200)
      failing.fail(afterWrites: writes)
      await #expect(throws: CloudError.self) { try await asking.cloud.server.doChores() }
      failing.fail(afterWrites: nil)
    }
    #expect(try await areReady(engine) == [true, false])
  }

  /// Of each index whether it is ready, as the last byte of its form says.
  private func areReady(_ engine: any StorageEngine) async throws -> [Bool] {
    try await engine.read { transaction in
      try transaction.entries(in: .all).filter { Self.keyspace(of: $0.key) == 17 }.map {
        $0.value.last == 2
      }
    }
  }

  /// A file that is doomed, one that nobody needs, and one who copies files.
  private func fillUnneeded(_ engine: any StorageEngine, _ ann: Client) async throws {
    let cloud = Cloud(engine: engine)
    cloud.pass(seconds: -3 * 86_400)
    let early = try await Client(cloud, ann.caller, .development)
    _ = try await early.upload("doomed")
    #expect(try await collect(Cloud(engine: engine)).count == 1)
    _ = try await early.upload("unneeded")
    try await Cloud(engine: engine).server.pinAssets("copy", seconds: 3_600)
  }

  /// The files that may be removed, when all was collected that is due.
  private func collect(_ cloud: Cloud) async throws -> [String] {
    while try await cloud.server.collectAssets(atMost: 10) {}
    return try await cloud.server.doomedAssetFiles(atMost: .max)
  }

  /// A zone that comes and goes.
  ///
  /// - Returns: The record that it had.
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

  /// A zone with a file, a share that somebody takes part in, and bags of keys.
  private func fillShared(_ cloud: Cloud, _ ann: Client) async throws {
    try await ann.makeZone("Shared")
    let file = try await ann.upload("contents")
    let invited =
      #""participants":[{"userIdentity":{"userRecordName":"_bob"},"type":"USER","permission":"READ_WRITE","acceptanceStatus":"PENDING"}]"#
    let up =
      #""parent":{"recordName":"root"},"fields":{"up":{"value":{"recordName":"root","action":"DELETE_SELF"}}}"#
    let made = try await ann.modify(
      zone: "Shared",
      ("create", #""recordName":"root","recordType":"Note","fields":{"file":{"value":\#(file)}}"#),
      ("create", #""recordName":"leaf","recordType":"Note",\#(up)"#),
      (
        "create",
        #""recordName":"share","recordType":"cloudkit.share","fields":{},"forRecord":{"recordName":"root"},\#(invited)"#
      ))
    let short = try #require(made["records"][2]["shortGUID"].text, "\(made)")
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

  /// Records that leave a share, and change or go afterwards; and one that stands alone.
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

  /// A request with a number.
  private func fillNumbered(_ cloud: Cloud) async throws {
    var bob = try await cloud.user("_bob")
    bob.stamp = RequestStamp(client: "A", number: 1, oldest: 1)
    let reply = try await bob.modify(("forceDelete", #""recordName":"absent""#))
    #expect(reply.status == 200, "\(reply)")
  }

  private static let ofVersion1: SQLiteStorageEngine.Options = {
    var options = SQLiteStorageEngine.Options()
    options.schema = SchemaHistory(
      applicationID: 0x5068_5253, version: 1,
      create: { connection throws(SQLiteError) in
        try connection.execute(
          "CREATE TABLE entries(key BLOB PRIMARY KEY NOT NULL, value ANY NOT NULL) STRICT, WITHOUT ROWID;"
            + "CREATE TABLE long_values(id INTEGER PRIMARY KEY, value BLOB NOT NULL) STRICT;")
      }, upgrades: [:])
    return options
  }()

  private func writeStore(of age: Age, to folder: String) async throws {
    let engine = try SQLiteStorageEngine(folder: folder, options: Self.ofVersion1)
    try await fill(engine, withIndexes: age.hasIndexes)
    try await engine.write { transaction in
      var changed = 0
      for entry in try transaction.entries(in: .all) {
        guard let earlier = Self.form(of: entry, at: age) else { continue }
        try transaction.set(earlier, for: entry.key)
        changed += 1
      }
      for entry in try transaction.entries(in: .all) where try Self.isUnknown(entry.key, at: age) {
        try transaction.remove(entry.key)
      }
      // The public, default and own zones, the account, two rings.
      #expect(changed >= (age == .countedZones ? 0 : age.zone.form == 3 ? 2 : 6), "\(changed)")
    }
    if !age.knowsSights { try await engine.changeStoredEntries(Self.forgetSights) }
    if age == .readableValues {
      try await engine.changeStoredRecords { record in
        guard !record.sealed.isEmpty else { return }
        record.sealed = SealedFields()
        record.fields["secret"] = Field(.string("s"), isEncrypted: true)
      }
    }
    await engine.close()
  }

  /// Takes out when shares began and ended to show something, and leaves a record as a cascade did
  /// that took its parent.
  private static func forgetSights(in entry: inout StoredEntry) {
    switch entry {
    case .record(var record):
      record.formerShares = record.formerShares.map { PreviousShare($0.name) }
      for index in record.share?.participants.indices ?? 0..<0 {
        record.share?.participants[index].sightBegun = nil
      }
      if record.recordName == "stray" {
        (record.parentName, record.coveringShareName) = ("gone", "share")
      }
      entry = .record(record)
    case .tombstone(var tombstone):
      tombstone.shares = tombstone.shares.map { PreviousShare($0.name) }
      tombstone.end = nil
      entry = .tombstone(tombstone)
    }
    #expect(entry.bytes[0] <= 3)
  }

  /// The bytes that a server of some age would have kept for a value; nil where they are the same.
  private static func form(of entry: StorageEntry, at age: Age) -> [UInt8]? {
    // What is known of a database: nothing, or how far deleted zones went.
    if keyspace(of: entry.key) == 14, age != .countedZones {
      let deletedThrough = entry.value.dropFirst().prefix { $0 & 0x80 != 0 }
      return age == .knownDeletions
        ? [1] + deletedThrough + [entry.value[deletedThrough.endIndex]] : []
    }
    guard age.zone.form < 3 else { return nil }
    let value = entry.value
    switch keyspace(of: entry.key) {
    // A zone.
    case 2: return [age.zone.form] + value[1..<ends(ofZone: value)[age.zone.laterParts]]
    // An account without the byte on discovery.
    case 34: return [1] + value.dropFirst().dropLast()
    // A ring of one secret without the number of former ones: a single secret of 32 bytes, behind
    // their number.
    case 42, 54: return value.count == 35 ? [1] + value[1..<34] : nil
    default: return nil
    }
  }

  /// Whether no server of some age wrote such a thing: the place of a mark in the order of
  /// deletions, and the chore that follows that; an address of a user.
  private static func isUnknown(_ key: StorageKey, at age: Age) throws -> Bool {
    switch keyspace(of: key) {
    case 30, 31: return true
    case 28: return age != .countedZones
    case 15:
      if age == .countedZones { return false }
      var reader = StorageKeyReader(after: StorageKey(partition: "_chores", keyspace: 15))
      _ = try reader.signed(in: key.bytes.span)
      return try reader.unsigned(in: key.bytes.span) == 9
    default: return false
    }
  }

  /// Where a zone's form ended: before the parts that came later, and behind each of them.
  private static func ends(ofZone zone: [UInt8]) -> [Int] {
    var place = 1
    func number() -> Int {
      var (value, shift) = (0, 0)
      repeat {
        value |= Int(zone[place] & 0x7F) << shift
        (place, shift) = (place + 1, shift + 7)
      } while zone[place - 1] & 0x80 != 0
      return value
    }
    func text() {
      let length = number()
      place += length
    }
    func optional(_ body: () -> Void) {
      place += 1
      if zone[place - 1] == 1 { body() }
    }
    _ = number()
    text()
    for _ in 0..<3 { _ = number() }
    optional(text)
    _ = number()
    optional { _ = number() }
    var ends = [place]
    for later in [
      { optional { _ = number() } }, { _ = number() }, { place += 1 }, { _ = number() },
    ] {
      later()
      ends.append(place)
    }
    #expect(place == zone.count)
    return ends
  }

  /// What kind of value lies under a key: the byte behind the partition's name and its end.
  private static func keyspace(of key: StorageKey) -> UInt8 {
    let end = key.bytes.firstIndex(of: 0) ?? 0
    return key.bytes[end + 1]
  }

  // MARK: What must be there

  /// Who saw what left its share before that was noted is told once more; and who belongs to none
  /// is shown to nobody.
  private func checkSights(_ cloud: Cloud, _ ann: Client, since age: Age) async throws {
    // What a cascade of an earlier program left.
    let strays = age.knowsSights ? [] : ["stray"]
    let bob = try await cloud.user("_bob")
    func look(_ names: String...) async throws -> [Bool] {
      var found: [Bool] = []
      for name in names {
        let reply = try await bob.lookUp(in: .shared, zone: "Shared", owner: ann.name, name)
        found.append(!reply["records"][0]["serverErrorCode"].isThere)
      }
      return found
    }
    #expect(try await look("leaf", "moved", "stray") == [true, false, !strays.isEmpty])
    let page = try await bob.changes(in: .shared, zone: "Shared", owner: ann.name)["zones"][0]
    #expect(
      Set(page["records"].list.compactMap { $0["recordName"].text })
        == Set(["root", "leaf", "share"] + strays))
    try await cloud.server.doChores()
    #expect(try await look("leaf", "moved", "stray") == [true, false, false])
    _ = try await ann.put("moved", "Note", #""t":{"value":"2"}"#, zone: "Shared")
    let next = try await bob.changes(
      in: .shared, zone: "Shared", owner: ann.name, since: page["syncToken"].text)["zones"][0]
    #expect(next.records == strays.map { "\($0): deleted" })
  }

  /// What was doomed may be removed, and what nobody needs when nobody copies files any more.
  private func checkFiles(_ engine: any StorageEngine) async throws {
    let cloud = Cloud(engine: engine)
    let doomed = try await collect(cloud)
    #expect(doomed.count == 1)
    try await cloud.server.forgetDoomedAssetFiles(doomed)
    #expect(try await collect(cloud) == [])
    cloud.pass(seconds: 3_601)
    #expect(try await collect(cloud).count == 1)
    #expect(try await cloud.server.assetEntry(of: AssetChecksum(of: "contents")) != nil)
  }

  /// Questions are answered by the index that is ready, and without the one that is not.
  private func checkQuestions(_ ann: Client, _ names: [String]) async throws {
    func ask(_ query: String) async throws -> [String] {
      try await ann.ask(.private, .recordsQuery, query)["records"].list.compactMap {
        $0["recordName"].text
      }
    }
    #expect(try await ask(Self.title("c")) == ["c"])
    #expect(try await ask(Self.title("b")) == [])
    #expect(Set(try await ask(Self.sortedByTime)) == Set(names))
  }

  /// Indexes are made to their end, and have what there is.
  private func checkIndexes(_ engine: any StorageEngine, entries expected: Int) async throws {
    #expect(try await areReady(engine).allSatisfy(\.self))
    let entries = try await engine.read { transaction in
      try transaction.entries(in: .all).count { Self.keyspace(of: $0.key) == 18 }
    }
    #expect(entries == expected)
  }

  /// Of zones that were deleted nothing is left in the end, whoever deleted them.
  private func checkMarks(_ engine: any StorageEngine, _ cloud: Cloud) async throws {
    try await cloud.server.doChores()
    let marks = try await engine.read { transaction in
      try transaction.entries(in: .all).filter { entry in
        // A zone's name is behind its form, a number, and its length, of a byte each.
        let keyspace = Self.keyspace(of: entry.key)
        return keyspace == 28 || (keyspace == 2 && entry.value[3...].starts(with: "Gone".utf8))
      }
    }
    #expect(marks.isEmpty)
  }

  private func checkIsWhole(_ engine: any StorageEngine, since age: Age) async throws {
    try await checkFiles(engine)
    #expect(try await areReady(engine) == (age.hasIndexes ? [true, false] : []))
    let registry = try await Registry(engine: engine, on: Cloud(engine: engine))
    let session = try await registry.signIn("ann@example.com")
    let ann = try await registry.cloud.user(session.userRecordName)
    #expect(try await ann.ask(.private, .zonesList)["zones"].list.count == 3)
    let feed = try await ann.changes(zone: "Notes")["zones"][0]
    #expect(feed["records"].list.map(\.record) == ["a@1", "c@3"], "\(feed)")
    #expect(try await ann.ask(.private, .subscriptionsList)["subscriptions"].list.count == 1)
    try await checkQuestions(ann, ["a", "c"])
    let again = #""recordName":"b","recordType":"Note","fields":{"title":{"value":"again"}}"#
    #expect(try await ann.modify(zone: "Notes", ("create", again)).records == ["b@5"])
    let query = #"{"query":{"recordType":"Note"},"zoneID":{"zoneName":"Notes"}}"#
    #expect(try await ann.ask(.private, .recordsQuery, query).records.count == 3)
    #expect(try await ann.lookUp(zone: "Shared", "sealed")["records"][0].field("secret") == "s")
    try await checkSights(registry.cloud, ann, since: age)
    try await checkIndexes(engine, entries: age.hasIndexes ? 2 * 3 : 0)
    try await checkQuestions(ann, ["a", "b", "c"])
    // Nobody knows how far a zone went that an early server deleted; of this one it is known.
    let first = [.knownDeletions, .countedZones].contains(age) ? 2 : 1
    for tag in [first, first + 1] { #expect(try await passThroughZone(of: ann) == ["a@\(tag)"]) }
    let code = registry.accounts.formCode(for: "page")
    try await registry.accounts.renewSecrets()
    #expect(registry.accounts.isFormCode(code, for: "page"))
    try await registry.accounts.setDiscoverable(true, accountNamed: "ann@example.com")
    #expect(try await registry.accounts.account(named: "ann@example.com").isDiscoverable)
    registry.pass(minutes: 60 * 24 * 400)
    try await registry.accounts.doChores()
    try await checkMarks(engine, registry.cloud)
    #expect(try await ann.changes(zone: "Notes")["zones"][0]["records"].list.count == 3)
    #expect(try await ann.lookUp(zone: "Shared", "sealed")["records"][0].field("secret") == "s")
  }
}

/// A key that is the same each time.
private enum SampleKeys {
  static let publicPEM = SignaturePrivateKey().publicPEM
}
