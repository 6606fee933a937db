import BinaryCoding
import CloudRecords
import CloudWire
import Foundation
import RecordServer
import RecordStorage
import SQLiteDriver
import SQLiteRecordStorage
import TestSupport
import Testing

/// What servers before version 8 remembered of clients' requests: a row for each client, and
/// nothing beside it.
@Suite struct `Requests that an earlier server remembered` {
  /// Form 2: when the client came, the oldest request, the ranges of forgotten numbers, and of each
  /// request its number, fingerprint and fates.
  private static func row(_ used: Timestamp, forgotten: [ClosedRange<UInt64>], answered: [UInt64])
    -> [UInt8]
  {
    var form = BinaryWriter(capacity: 64)
    form.byte(2)
    form.signed(used.milliseconds)
    form.number(1)
    form.count(forgotten.count)
    for range in forgotten {
      form.number(range.lowerBound)
      form.number(range.upperBound - range.lowerBound)
    }
    form.count(answered.count)
    for number in answered {
      // Without a fingerprint, as of a server before that; no errors, one item, which is there.
      form.number(number)
      form.byte(0)
      for number in [0, 1, 0] as [UInt64] { form.number(number) }
    }
    return form.bytes
  }

  /// A key of the database of a user, in the first realm.
  private static func key(_ keyspace: UInt8, _ user: String, _ client: String) -> StorageKey {
    var key = StorageKey(partition: user, keyspace: keyspace)
    key.append(unsigned: 1)
    key.append(text: user)
    key.append(text: client)
    return key
  }

  /// The chore that forgot them.
  private static func chore(of user: String, due: Timestamp) -> StorageKey {
    var key = StorageKey(partition: "_chores", keyspace: 15)
    key.append(signed: due.milliseconds)
    for number in [7, 1] as [UInt64] { key.append(unsigned: number) }
    key.append(text: user)
    key.append(unsigned: 0)
    return key
  }

  /// Makes a store of version 7 with the requests of these clients, each of which came some seconds
  /// ago.
  private static func write(
    _ clients: [(name: String, secondsAgo: Int64)],
    forgotten: [ClosedRange<UInt64>] = [3...40, 50...50],
    answered: [UInt64] = [60], at now: Timestamp, to folder: String
  ) async throws {
    let unchanged: SchemaHistory.Change = { _ throws(SQLiteError) in }
    var options = SQLiteStorageEngine.Options()
    options.schema = SchemaHistory(
      applicationID: 0x5068_5253, version: 7,
      create: { connection throws(SQLiteError) in
        try connection.execute(
          "CREATE TABLE entries(key BLOB PRIMARY KEY NOT NULL, value ANY NOT NULL) STRICT, WITHOUT ROWID;"
            + "CREATE TABLE long_values(id INTEGER PRIMARY KEY, value BLOB NOT NULL) STRICT;")
      }, upgrades: Dictionary(uniqueKeysWithValues: (1...6).map { ($0, unchanged) }))
    let engine = try SQLiteStorageEngine(folder: folder, options: options)
    let ada = try await Cloud(engine: engine).user("_ada")
    #expect(ada.realm.number == 1)
    try await ada.makeZone("Z")
    #expect(try await ada.modify(zone: "Z", note("n1")).records == ["n1@1"])
    let rows = clients.map { client in
      let used = Timestamp(milliseconds: now.milliseconds - client.secondsAgo * 1_000)
      return (client.name, row(used, forgotten: forgotten, answered: answered), used)
    }
    try await engine.write { transaction in
      for (name, bytes, _) in rows { try transaction.set(bytes, for: key(24, "_ada", name)) }
      let due = Timestamp(milliseconds: (rows.map(\.2.milliseconds).min() ?? 0) + 86_400_000)
      try transaction.set([], for: chore(of: "_ada", due: due))
    }
    await engine.close()
  }

  private static func note(_ name: String) -> (String, String) {
    ("create", #""recordName":"\#(name)","recordType":"Note","fields":{}"#)
  }

  /// The names of the clients in a keyspace.
  private func clients(_ keyspace: UInt8, _ engine: any StorageEngine) async throws -> Int {
    try await engine.read { transaction in
      var prefix = StorageKey(partition: "_ada", keyspace: keyspace)
      prefix.append(unsigned: 1)
      return try transaction.entries(in: StorageRange(prefix: prefix)).count
    }
  }

  @Test func `are told again, and of joined numbers nobody says that they were answered`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let now = ManualClock().now
      try await Self.write([("A", 10)], at: now, to: folder.path)
      let engine = try SQLiteStorageEngine(folder: folder.path)
      let ada = try await Cloud(engine: engine).user("_ada")
      func create(_ number: UInt64, _ name: String) async throws -> Reply {
        try await ada.numbered(number, oldest: 1).modify(zone: "Z", Self.note(name))
      }
      #expect(try await create(60, "n1").records == ["n1@1"])
      #expect(try await create(20, "n2").status == 503)
      #expect(try await create(50, "n2").status == 400)
      for _ in 0..<2 { #expect(try await create(45, "n2").records == ["n2@2"]) }
      #expect(try await create(20, "n3").status == 503)
      await engine.close()
    }
  }

  @Test func `may have had any numbers`() async throws {
    try await withTemporaryDirectory { folder in
      let now = ManualClock().now
      try await Self.write(
        [("A", 10)], forgotten: [2...(.max)], answered: [], at: now, to: folder.path)
      let engine = try SQLiteStorageEngine(folder: folder.path)
      let cloud = Cloud(engine: engine)
      let ada = try await cloud.user("_ada")
      let reply = try await ada.numbered(45, oldest: 1).modify(zone: "Z", Self.note("n2"))
      #expect(reply.status == 503, "Nobody knows whether it was answered.")
      try await cloud.server.doChores()
      #expect(try await clients(24, engine) == 1)
      await engine.close()
    }
  }

  @Test func `are forgotten a day after their client came`() async throws {
    try await withTemporaryDirectory { folder in
      let many = (0..<50).map { (name: "c\($0)", secondsAgo: Int64($0) * 1_000) }
      try await Self.write(many, at: ManualClock().now, to: folder.path)
      let engine = try SQLiteStorageEngine(folder: folder.path)
      let cloud = Cloud(engine: engine)
      // Some come once more, and a new one.
      let ada = try await cloud.user("_ada")
      for (name, number) in [("c49", 61), ("new", 1)] as [(String, UInt64)] {
        let reply = try await ada.numbered(number, client: name).modify(zone: "Z", Self.note(name))
        #expect(!reply["records"][0]["serverErrorCode"].isThere, "\(reply)")
      }
      try await cloud.server.doChores()
      #expect(try await clients(24, engine) == 51)
      // The earlier chore is due when the oldest is over, and finds the others.
      cloud.pass(seconds: 86_400 - 49_000 + 1_000)
      try await cloud.server.doChores()
      #expect(try await clients(24, engine) == 50)
      #expect(try await clients(27, engine) == 50)
      cloud.pass(seconds: 90_000)
      try await cloud.server.doChores()
      #expect(try await clients(24, engine) == 0)
      #expect(try await clients(27, engine) == 0)
      #expect(try await engine.problems(isThorough: true) == [])
      await engine.close()
    }
  }
}
