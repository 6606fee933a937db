import CloudMirroring
import Foundation
import ParhelionCommands

extension SyncBenchmark {
  // MARK: Transfers

  /// Measures the time until one device has all objects that the other creates, compared with plain
  /// SQLite and a connection.
  func objects() throws -> [Measured] {
    let server = try BenchServer(executable: executable)
    let (desk, phone) = try devices(on: server)
    let bare = try BareTransfer(path: server.path(of: "objects"))
    var (ours, floor) = (Latencies(), Latencies())
    for round in 0..<sizes.rounds {
      let filled = try desk.ask(
        .measured(.fill(first: round * sizes.objects, count: sizes.objects)))
      let seen = try phone.ask(.measured(.waitForNotes((round + 1) * sizes.objects)))
      ours.add(DemoSpan.seconds(from: filled.began, to: seen.ended))
      floor.add(try bare.seconds(rows: sizes.objects))
    }
    try check(desk, phone, notes: sizes.rounds * sizes.objects)
    let (seconds, floorSeconds) = (ours.median / 1_000, floor.median / 1_000)
    return [
      .figure("sync.objects", seconds, "s", atMost: 1.5),
      .figure("sync.objects.floor", seconds, "s", beside: floorSeconds),
    ]
  }

  // MARK: Offline

  /// Measures how long two devices take to agree after reconnecting; both edited many objects
  /// offline, some of them the same.
  func offline() throws -> [Measured] {
    let server = try BenchServer(executable: executable)
    let (desk, phone) = try devices(on: server)
    let notes = 2 * sizes.objects - sizes.conflicts
    try desk.ask(.measured(.fill(first: 0, count: notes)))
    try phone.ask(.measured(.waitForNotes(notes)))
    try check(desk, phone, notes: notes)
    var times = Latencies()
    for round in 1...sizes.rounds { times.add(try agreement(desk, phone, round, notes: notes)) }
    return [.figure("sync.offline", times.median / 1_000, "s", atMost: 3)]
  }

  private func agreement(_ desk: BenchDevice, _ phone: BenchDevice, _ round: Int, notes: Int) throws
    -> Double
  {
    for device in [desk, phone] { try device.ask(.pause) }
    let (count, start) = (sizes.objects, sizes.objects - sizes.conflicts)
    try desk.ask(.measured(.overwrite(first: 0, count: count, text: "Desk \(round)")))
    try phone.ask(.measured(.overwrite(first: start, count: count, text: "Phone \(round)")))
    let begun = DemoSpan.now
    for device in [desk, phone] { try device.ask(.resume) }
    // Changes that one device sends after the other has fetched arrive in the second round.
    for _ in 0..<2 {
      let orders = (desk: try desk.begin(.sync), phone: try phone.begin(.sync))
      try desk.end(orders.desk)
      try phone.end(orders.phone)
    }
    let seconds = DemoSpan.seconds(from: begun, to: DemoSpan.now)
    let sums = (desk: try desk.sum(), phone: try phone.sum())
    guard sums.desk == sums.phone, sums.desk.notes == notes, sums.desk.pendingCount == 0 else {
      throw Disagreement(desk: sums.desk, phone: sums.phone, notes: notes)
    }
    return seconds
  }

  // MARK: Initial download

  /// Measures the time from opening a new device's store until the device has the last object.
  ///
  /// The device's memory is compared with that of a device that fetches a tenth of the objects.
  func first() throws -> [Measured] {
    let server = try BenchServer(executable: executable)
    let desk = try BenchDevice(.desk, on: server)
    _ = try desk.open()
    let (few, many) = (sizes.replica / 10, sizes.replica)
    try desk.ask(.measured(.fill(first: 0, count: few)))
    try desk.ask(.sync)
    let small = try firstSync(few, on: server)
    try desk.ask(.measured(.fill(first: few, count: many - few)))
    try desk.ask(.sync)
    let large = try firstSync(many, on: server)
    let floor = try BareTransfer(path: server.path(of: "first")).seconds(rows: many)
    return [
      .figure("sync.first.time", large.seconds, "s", atMost: Self.secondsOfFirst(many)),
      .figure("sync.first.floor", large.seconds, "s", beside: floor),
      .figure("sync.first.memory", large.megabytes, "MB", beside: small.megabytes, limit: 1.3),
      .figure("sync.first.server", large.serverSeconds, "s", beside: large.seconds),
    ]
  }

  /// The target for a new device: 5 s for 100,000 objects, and 60 s for a million.
  private static func secondsOfFirst(_ objects: Int) -> Double {
    objects < 1_000_000 ? 5 * Double(objects) / 100_000 : 60 * Double(objects) / 1_000_000
  }

  private func firstSync(
    _ notes: Int, on server: BenchServer
  ) throws -> (seconds: Double, megabytes: Double, serverSeconds: Double) {
    let phone = try BenchDevice(.phone, on: server)
    let begun = DemoSpan.now
    let processor = try server.figures.processorSeconds()
    _ = try phone.open()
    let last = try phone.ask(.measured(.waitForNotes(notes)))
    let serverSeconds = try server.figures.processorSeconds() - processor
    let megabytes = try phone.figures.peakKilobytes() / 1_024
    let seconds = DemoSpan.seconds(from: begun, to: last.ended)
    try phone.ask(.sync)
    let found = try phone.sum().notes
    guard found == notes else { throw OtherNotes(found: found, expected: notes) }
    return (seconds, megabytes, serverSeconds)
  }

  // MARK: Saves

  /// Saves in a mirrored store, compared with a store that has a history but is not mirrored.
  func saves() throws -> [Measured] {
    let server = try BenchServer(executable: executable)
    let (mirrored, plain) = try waiting {
      [places = (server.place("mirrored"), server.place("plain"))] in
      (try await DemoStore(places.0), try await DemoStore(places.1, isMirrored: false))
    }
    var isPaused = false
    func sides(_ objects: Int, repeated: Int, rounds: Int) throws -> SideBySide {
      func save(_ store: DemoStore) throws {
        try waiting {
          for _ in 0..<repeated {
            try await store.save { MeasuredDevice.makeNotes(0..<objects, in: $0) }
          }
        }
      }
      return try SideBySide(
        rounds: rounds, by: .wall,
        prepare: { if !isPaused { try waiting { try await mirrored.container.sync() } } },
        ours: { try save(mirrored) }, reference: { try save(plain) })
    }
    let rounds = sizes.saves.rounds
    let one = try sides(1, repeated: Self.smallSaves, rounds: rounds)
    let alone = try sides(1, repeated: 1, rounds: rounds * Self.smallSaves)
    let many = try sides(sizes.saves.objects, repeated: 1, rounds: rounds)
    try waiting { try await mirrored.container.sync() }
    mirrored.container.pause()
    isPaused = true
    let paused = try sides(1, repeated: 1, rounds: rounds * Self.smallSaves)
    let manyPaused = try sides(sizes.saves.objects, repeated: 1, rounds: rounds)
    return [
      Measured(
        result: paused.result("sync.save.paused", items: 1, limit: nil), spread: paused.spread),
      Measured(
        result: manyPaused.result("sync.save.paused.many", items: sizes.saves.objects, limit: nil),
        spread: manyPaused.spread),
      Measured(result: alone.result("sync.save.alone", items: 1, limit: 1.3), spread: alone.spread),
      Measured(
        result: one.result("sync.save.one", items: Self.smallSaves, limit: 1.3), spread: one.spread),
      Measured(
        result: many.result("sync.save.many", items: sizes.saves.objects, limit: 1.3),
        spread: many.spread),
    ]
  }

  /// The number of single-object saves per round.
  private static let smallSaves = 20
}
