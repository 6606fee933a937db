import Foundation
import RecordStorage
import SQLiteDriver
import SQLiteRecordStorage
import TestSupport
import Testing

/// The speeds in the design notes, measured manually against plain SQLite with the same rows.
///
///     PARHELION_MEASURE=1 PARHELION_TESTS=SQLiteRecordStorage swift test -c release \
///       --disable-build-manifest-caching --filter SpeedMeasurements
@Suite(
  .serialized,
  .enabled(if: ProcessInfo.processInfo.environment["PARHELION_MEASURE"] != nil, "measured by hand"))
struct SpeedMeasurements {
  static let record = (0..<1_024).map { UInt8(truncatingIfNeeded: $0 &* 31) }

  @Test func `Durable batches of 200 records`() async throws {
    let batches = 250
    for round in 1...3 {
      let folder = try TestFolder()
      let plain = try PlainStore(folder.path + "/plain.sqlite")
      var (own, reference) = (Timings(), Timings())
      let engine = try SQLiteStorageEngine(folder: folder.path)
      for batch in 0..<batches {
        try reference.time { try plain.write(batch, count: 200) }
        try await own.time {
          try await engine.write { try Self.writeBatch(batch, count: 200, to: $0) }
        }
      }
      let stored = try await engine.read { try Self.sum(in: Self.zone, of: $0).0 }
      #expect(stored == batches * 200)
      await engine.close()
      print(
        "round \(round), batches of 200: \(own.line(perCall: 200)), plain \(reference.line(perCall: 200)), ratio \(own.ratio(to: reference))"
      )
    }
  }

  @Test func `Single writes of 32 clients`() async throws {
    for round in 1...3 {
      let folder = try TestFolder()
      let plain = try PlainStore(folder.path + "/plain.sqlite")
      var reference = Timings()
      for number in 0..<5_000 { try reference.time { try plain.write(number, count: 1) } }
      let engine = try SQLiteStorageEngine(folder: folder.path)
      let clients = 32
      let writes = 1_000
      let started = ContinuousClock.now
      let timings = try await withThrowingTaskGroup(of: Timings.self) { group in
        for client in 0..<clients {
          group.addTask {
            var timings = Timings()
            for number in 0..<writes {
              try await timings.time {
                try await engine.write {
                  try Self.writeBatch(client * writes + number, count: 1, to: $0)
                }
              }
            }
            return timings
          }
        }
        return try await group.reduce(into: Timings()) { $0.add($1) }
      }
      let duration = ContinuousClock.now - started
      let stored = try await engine.read { try Self.sum(in: Self.zone, of: $0).0 }
      #expect(stored == clients * writes)
      await engine.close()
      print(
        "round \(round), 32 clients: \(Int(Double(clients * writes) / duration.inSeconds)) writes/s, latency \(timings.percentiles); ",
        "plain, one commit each: \(reference.line(perCall: 1))")
    }
  }

  @Test func `Pulls of 100,000 records, whole and in pages`() async throws {
    let folder = try TestFolder()
    let engine = try SQLiteStorageEngine(folder: folder.path)
    let plain = try PlainStore(folder.path + "/plain.sqlite")
    for batch in 0..<500 {
      try await engine.write { try Self.writeBatch(batch, count: 200, to: $0) }
      try plain.write(batch, count: 200)
    }
    for round in 1...3 {
      let pages = try await rate {
        var (next, count, sum) = (StorageRange(prefix: Self.zone), 0, 0)
        while true {
          let range = next
          let page = try await engine.read { try Self.page(of: range, from: $0) }
          sum += page.sum
          count += page.count
          guard let last = page.last else { return (count, sum) }
          next = StorageRange(prefix: Self.zone, after: last)
        }
      }
      let wholes = try await rate { try await engine.read { try Self.sum(in: Self.zone, of: $0) } }
      let reference = try await rate { try plain.sum() }
      print(
        "round \(round), records/s: whole range \(wholes), pages of 400 \(pages), plain \(reference)"
      )
    }
    await engine.close()
  }

  @Test func `The last 10 changes of a small zone and of a large one`() async throws {
    let folder = try TestFolder()
    let engine = try SQLiteStorageEngine(folder: folder.path)
    let zones = [("small", 1_000), ("large", 1_000_000)].map { name, size in
      var zone = StorageKey(partition: "user-000000000017", keyspace: 1)
      zone.append(text: name)
      return (key: zone, size: size)
    }
    let value = Array(Self.record.prefix(300))
    for zone in zones {
      for start in stride(from: 0, to: zone.size, by: 5_000) {
        try await engine.write { store in
          for number in start..<min(start + 5_000, zone.size) {
            var key = zone.key
            key.append(unsigned: UInt64(number))
            try store.set(value, for: key)
          }
        }
      }
    }
    // The two alternate, so that both run on the same machine state.
    var timings = [Timings(), Timings()]
    for _ in 0..<5_000 {
      for (place, zone) in zones.enumerated() {
        var from = zone.key
        from.append(unsigned: UInt64(zone.size - 10))
        let range = StorageRange(from: from, to: StorageRange(prefix: zone.key).upper)
        try await timings[place].time {
          let count = try await engine.read { try Self.page(of: range, from: $0).count }
          #expect(count == 10)
        }
      }
    }
    for (zone, timing) in zip(zones, timings) {
      print("10 changes of \(zone.size): \(timing.percentiles)")
    }
    print("10 changes, large to small: \(timings[1].ratio(to: timings[0]))")
    await engine.close()
  }

  @Test func `Key encoding`() {
    for round in 1...3 {
      var total = 0
      let duration = processorTime {
        for number in 0..<1_000_000 {
          var key = StorageKey(partition: "user-000000000017", keyspace: 1)
          key.append(text: "zone")
          key.append(unsigned: UInt64(number))
          total &+= key.bytes.count
        }
      }
      #expect(total == 32_000_000)
      print("round \(round): \(Int(duration.inSeconds * 1_000)) ns for a key")
    }
  }

  /// Writes a batch of new records: for each its position and name, and the zone's counter.
  static func writeBatch(_ batch: Int, count: Int, to store: any StorageWriting) throws {
    for place in 0..<count {
      let number = batch * count + place
      try store.set(record, for: position(number))
      var name = StorageKey(partition: "user-000000000017", keyspace: 2)
      name.append(text: "zone")
      name.append(text: randomName(number))
      try store.set(
        [
          0, 0, 0, 0, UInt8(truncatingIfNeeded: number >> 24),
          UInt8(truncatingIfNeeded: number >> 16),
          UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number),
        ], for: name)
    }
    var counter = StorageKey(partition: "user-000000000017", keyspace: 3)
    counter.append(text: "zone")
    _ = try store.value(of: counter)
    try store.set([1, 2, 3, 4, 5, 6, 7, UInt8(truncatingIfNeeded: batch)], for: counter)
  }

  static let zone: StorageKey = {
    var key = StorageKey(partition: "user-000000000017", keyspace: 1)
    key.append(text: "zone")
    return key
  }()

  static func position(_ number: Int) -> StorageKey {
    var key = zone
    key.append(unsigned: UInt64(number))
    return key
  }

  static func randomName(_ number: Int) -> String {
    var random = SeededGenerator(seed: UInt64(number))
    return UUID(uuid: unsafeBitCast((random.next(), random.next()), to: uuid_t.self)).uuidString
  }

  static func sum(in prefix: StorageKey, of store: any StorageReading) throws -> (Int, Int) {
    var (count, sum) = (0, 0)
    try store.visitEntries(in: StorageRange(prefix: prefix)) { _, value in
      count += 1
      sum += Int(value[0]) + Int(value[value.count - 1])
      return .proceed
    }
    return (count, sum)
  }

  static func page(of range: StorageRange, from store: any StorageReading) throws -> (
    count: Int, sum: Int, last: StorageKey?
  ) {
    var (count, sum) = (0, 0)
    var last: StorageKey?
    try store.visitEntries(in: range, order: .ascending, limit: 400) { key, value in
      count += 1
      sum += Int(value[0]) + Int(value[value.count - 1])
      last = StorageKey(bytes: Array(copying: key))
      return .proceed
    }
    return (count, sum, last)
  }

  private func rate(_ body: () async throws -> (Int, Int)) async throws -> Int {
    let started = ContinuousClock.now
    let (count, sum) = try await body()
    #expect(count == 100_000 && sum > 0)
    return Int(Double(count) / (ContinuousClock.now - started).inSeconds)
  }
}

/// The same rows in plain SQLite: records by position, names by name.
private struct PlainStore {
  let connection: Connection

  init(_ path: String) throws {
    connection = try Connection(.file(path))
    try connection.set(.journalMode, to: .wal)
    try connection.set(.synchronous, to: .full)
    try connection.set(.cacheSize, to: -65_536)
    try connection.execute(
      """
      CREATE TABLE record(id INTEGER PRIMARY KEY, value BLOB NOT NULL);
      CREATE TABLE name(name TEXT PRIMARY KEY, id INTEGER NOT NULL) WITHOUT ROWID;
      """)
  }

  func write(_ batch: Int, count: Int) throws {
    try connection.transaction {
      for place in 0..<count {
        let number = batch * count + place
        var record = try connection.prepare("INSERT INTO record(id, value) VALUES (?, ?)")
        try record.bind(number, at: 1)
        try record.bind(SpeedMeasurements.record, at: 2)
        try record.run()
        var name = try connection.prepare(
          "INSERT INTO name(name, id) VALUES (?, ?) ON CONFLICT DO UPDATE SET id = excluded.id")
        try name.bind(SpeedMeasurements.randomName(number), at: 1)
        try name.bind(number, at: 2)
        try name.run()
      }
    }
  }

  func sum() throws -> (Int, Int) {
    var (count, sum) = (0, 0)
    var statement = try connection.prepare("SELECT id, value FROM record ORDER BY id")
    try statement.forEachRow { row in
      count += 1
      _ = row.withBlob(at: 1) { sum += Int($0.byteCount) }
    }
    return (count, sum)
  }
}

/// The wall-clock durations of calls.
private struct Timings: Sendable {
  private var durations: [Double] = []

  mutating func time(_ body: () throws -> Void) rethrows {
    let started = ContinuousClock.now
    try body()
    durations.append((ContinuousClock.now - started).inSeconds)
  }

  mutating func time(_ body: () async throws -> Void) async rethrows {
    let started = ContinuousClock.now
    try await body()
    durations.append((ContinuousClock.now - started).inSeconds)
  }

  mutating func add(_ others: Timings) { durations += others.durations }

  var percentiles: String {
    let sorted = durations.sorted()
    let marks = [0.5, 0.99, 0.999].map { Int(sorted[Int(Double(sorted.count - 1) * $0)] * 1e6) }
    return
      "p50 \(marks[0]) µs, p99 \(marks[1]) µs, p99.9 \(marks[2]) µs, longest \(Int((sorted.last ?? 0) * 1e6)) µs"
  }

  func line(perCall count: Int) -> String {
    "\(Int(Double(durations.count * count) / durations.reduce(0, +)))/s (\(percentiles))"
  }

  func ratio(to other: Timings) -> String {
    let median = { (values: [Double]) in values.sorted()[values.count / 2] }
    let whole = durations.reduce(0, +) / other.durations.reduce(0, +)
    return
      "\((median(durations) / median(other.durations) * 100).rounded() / 100) by medians, \((whole * 100).rounded() / 100) by sums"
  }
}

extension Duration {
  fileprivate var inSeconds: Double { self / .seconds(1) }
}
