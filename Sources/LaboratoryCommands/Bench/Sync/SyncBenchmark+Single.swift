import Foundation

extension SyncBenchmark {
  /// The latency of single changes: from the start of the save on one device to the end of the
  /// import's save on the other.
  ///
  /// The parts are the saves on both devices, the server's own time for the two requests, and two
  /// minimal round trips. The rest is the framework's overhead: waking, reading, encoding, sync
  /// metadata, threads, the push. Each is compared with the whole.
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

  /// The latency of single changes in stores with many objects, compared with one object.
  func replica() throws -> Measured {
    let server = try BenchServer(executable: executable)
    let (desk, phone) = try devices(on: server)
    let small = try latencies(desk, phone, server)
    try desk.ask(.measured(.fill(first: 0, count: sizes.changedReplica)))
    // The count includes the note that is changed.
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
    /// The server's time for the requests of one change.
    var serverMilliseconds = 0.0
  }

  /// The requests between the saves: the export, and the fetch from the zone that the push names.
  private static let operations = ["records/modify", "changes/zone"]
  private static let requestsOfChange = Double(operations.count)
  private static let title = "Measured"
  /// The number of warm-up changes, which fill caches and open connections.
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

  // MARK: References

  /// The latency of a request with a minimal response.
  private func roundTrip(_ server: BenchServer) throws -> Latencies {
    let (client, request) = (try server.client(), server.get("/health"))
    var times = Latencies()
    for _ in 0..<sizes.changes { try times.time { _ = try client.ask(request) } }
    return times
  }

  /// The latency of copying one row of plain SQLite over a connection into another database.
  private func floor(_ server: BenchServer) throws -> Latencies {
    let bare = try BareTransfer(path: server.path(of: "single"))
    var times = Latencies()
    for _ in 0..<sizes.changes { times.add(try bare.seconds(rows: 1)) }
    return times
  }
}
