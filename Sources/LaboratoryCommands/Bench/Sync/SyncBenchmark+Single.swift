import Foundation

extension SyncBenchmark {
  /// One change at a time: from the beginning of its save on one device to the end of the save that
  /// brings it to the other.
  ///
  /// Its parts are those that lie one behind the other: the saves on both devices, what the server
  /// says that it took for the three requests, and the time of three small answers. The rest is
  /// ours: waking, reading, encoding, the ledger, the threads, the push.
  func changes() throws -> [Measured] {
    let server = try BenchServer(executable: executable)
    let (desk, phone) = try devices(on: server)
    let single = try latencies(desk, phone, server)
    let wire = try Self.requestsOfChange * roundTrip(server).median
    let bare = try floor(server)
    let rest = single.all.median - single.store.median - single.serverMilliseconds - wire
    let whole = single.all.median
    return [
      .figure("push.p50", whole, "ms", atMost: 10),
      .figure("push.p99", single.all.tail, "ms", atMost: 50),
      .figure("push.store", single.store.median, "ms", beside: whole),
      .figure("push.server", single.serverMilliseconds, "ms", beside: whole),
      .figure("push.wire", wire, "ms", beside: whole),
      .figure("push.rest", max(0, rest), "ms", beside: whole),
      .figure("push.floor", whole, "ms", beside: bare.median),
    ]
  }

  /// The same in a replica of many objects, beside one of none.
  func replica() throws -> Measured {
    let server = try BenchServer(executable: executable)
    let (desk, phone) = try devices(on: server)
    let small = try latencies(desk, phone, server)
    try desk.ask(.measured(.fill(first: 0, count: sizes.changedReplica)))
    // The note that is changed is there, too.
    try phone.ask(.measured(.waitForNotes(sizes.changedReplica + 1)))
    try check(desk, phone, notes: sizes.changedReplica + 1)
    let large = try latencies(desk, phone, server)
    return .figure("push.replica", large.all.median, "ms", beside: small.all.median, limit: 1.2)
  }

  // MARK: Changes

  private struct Single {
    var all = Latencies()
    /// The saves on both devices.
    var store = Latencies()
    /// What the server took for the requests of one change.
    var serverMilliseconds = 0.0
  }

  /// The requests that lie between the saves: sending, asking the database, asking the zone.
  private static let operations = ["records/modify", "changes/database", "changes/zone"]
  private static let requestsOfChange = Double(operations.count)
  private static let title = "Measured"
  /// Changes that come first and do not count: caches fill, connections open.
  private static let changesAhead = 5

  private func latencies(_ desk: BenchDevice, _ phone: BenchDevice, _ server: BenchServer) throws
    -> Single
  {
    let name = "Begin \(UUID().uuidString)"
    if try desk.sum().notes == 0 { try desk.ask(.add(folder: "Measured", titles: [Self.title])) }
    for number in 0..<Self.changesAhead { _ = try change("\(name) \(number)", desk, phone) }
    for device in [desk, phone] { try device.ask(.sync) }
    var single = Single()
    let before = try ServerTimes(server)
    for number in 1...sizes.changes {
      let (began, seen) = try change("\(name): \(number)", desk, phone)
      single.all.add(DemoSpan.seconds(from: began.began, to: seen.ended))
      single.store.add(began.seconds + seen.seconds)
    }
    single.serverMilliseconds = try ServerTimes(server).milliseconds(
      of: Self.operations, since: before)
    return single
  }

  private func change(
    _ text: String, _ desk: BenchDevice, _ phone: BenchDevice
  ) throws -> (began: DemoSpan, seen: DemoSpan) {
    let waiting = try phone.begin(.measured(.waitForText(text)))
    let began = try desk.ask(.write(title: Self.title, text: text))
    return (began, try phone.end(waiting))
  }

  // MARK: Beside it

  /// A request that is answered with next to nothing.
  private func roundTrip(_ server: BenchServer) throws -> Latencies {
    let (client, request) = (try server.client(), server.get("/health"))
    var times = Latencies()
    for _ in 0..<sizes.changes { try times.time { _ = try client.ask(request) } }
    return times
  }

  /// One row of plain SQLite, sent over a connection, into another database.
  private func floor(_ server: BenchServer) throws -> Latencies {
    let bare = try BareTransfer(path: server.path(of: "single"))
    var times = Latencies()
    for _ in 0..<sizes.changes { times.add(try bare.seconds(rows: 1)) }
    return times
  }
}

/// How long the server took for its requests, as its own figures tell.
private struct ServerTimes {
  private var sums: [String: Double] = [:]
  private var counts: [String: Double] = [:]

  init(_ server: BenchServer) throws {
    let text = String(decoding: try server.client().ask(server.get("/metrics")), as: UTF8.self)
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: "\"")
      guard parts.count == 3,
        let value = parts[2].split(separator: " ").last.flatMap({ Double($0) })
      else { continue }
      switch parts[0] {
      case "parhelion_request_seconds_sum{operation=": sums[String(parts[1])] = value
      case "parhelion_request_seconds_count{operation=": counts[String(parts[1])] = value
      default: break
      }
    }
  }

  /// What one request of each of these took since an earlier time, taken together.
  func milliseconds(of operations: [String], since earlier: ServerTimes) throws -> Double {
    try operations.reduce(0) { whole, operation in
      let count = (counts[operation] ?? 0) - (earlier.counts[operation] ?? 0)
      guard count > 0 else { throw Missing(operation: operation) }
      return whole + ((sums[operation] ?? 0) - (earlier.sums[operation] ?? 0)) / count * 1_000
    }
  }

  /// The server was not asked for what a change has to ask for.
  struct Missing: Error, CustomStringConvertible {
    let operation: String
    var description: String { "The measured server has no times of \(operation)." }
  }
}
