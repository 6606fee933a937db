extension ServerBenchmark {
  /// Writes batches of 200 records in sequence, compared with the same rows in plain SQLite.
  func batches() throws -> [LocalBenchmark.Measured] {
    let server = try stage.server()
    let zone = try BenchZone("batches", on: server)
    let bare = try BareRecordStore(path: server.path(of: "batches.sqlite"))
    var (requests, names): ([[UInt8]], [[String]]) = ([], [])
    var (own, reference, processor) = (Latencies(), Latencies(), 0.0)
    let sides = try SideBySide(
      rounds: sizes.rounds, by: .wall,
      prepare: {
        names = (0..<sizes.batches).map { _ in BenchRecords.names(BenchZone.batch) }
        requests = names.map(zone.creation)
      },
      ours: {
        let begun = try server.figures.processorSeconds()
        for request in requests { try own.time { try zone.push(request, of: BenchZone.batch) } }
        processor += try server.figures.processorSeconds() - begun
      },
      reference: { for batch in names { try reference.time { try bare.append(batch) } } })
    try zone.verify()
    let time = sides.result(
      "server.batches.time", items: sizes.batches * BenchZone.batch, limit: 1.67)
    return [
      LocalBenchmark.Measured(result: time, spread: sides.spread),
      .figure(
        "server.batches.processor", processor / Double(zone.count) * 1e6, "µs/record", atMost: 40),
      .figure("server.batches.p50", own.median, "ms", beside: reference.median),
      .figure("server.batches.p99", own.tail, "ms", beside: reference.tail),
    ]
  }

  /// Writes batches of 200 records with several concurrent clients, which keep the server busy,
  /// compared with the same rows in plain SQLite.
  func batchesTogether() throws -> [LocalBenchmark.Measured] {
    let server = try stage.server()
    let zone = try BenchZone("together", on: server)
    let bare = try BareRecordStore(path: server.path(of: "together.sqlite"))
    var (requests, names): ([[[UInt8]]], [[String]]) = ([], [])
    var own = Latencies()
    let all = sizes.batchers * sizes.batches
    let sides = try SideBySide(
      rounds: sizes.rounds, by: .wall,
      prepare: {
        names = (0..<all).map { _ in BenchRecords.names(BenchZone.batch) }
        requests = (0..<sizes.batchers).map { client in
          stride(from: client, to: all, by: sizes.batchers).map { zone.creation(of: names[$0]) }
        }
      },
      ours: {
        for latencies in try Self.push(requests, of: BenchZone.batch, to: server.port) {
          own.add(latencies)
        }
        zone.pushed(all * BenchZone.batch)
      },
      reference: { for batch in names { try bare.append(batch) } })
    try zone.verify()
    let time = sides.result("server.batches.together", items: all * BenchZone.batch, limit: 1.67)
    return [
      LocalBenchmark.Measured(result: time, spread: sides.spread),
      .figure("server.batches.together.p99", own.tail, "ms", beside: own.median),
    ]
  }

  /// Writes single records with many concurrent clients, compared with a commit for each in plain
  /// SQLite.
  func writes() throws -> [LocalBenchmark.Measured] {
    let server = try stage.server()
    let zone = try BenchZone("writes", on: server)
    let bare = try BareRecordStore(path: server.path(of: "writes.sqlite"))
    let (clients, writes) = sizes.writers
    let all = clients * writes
    // The reference commits only an eighth: on a slow disk, commits would take most of the time.
    let references = max(1, all / 8)
    var requests: [[[UInt8]]] = []
    var (own, reference, processor) = (Latencies(), Latencies(), 0.0)
    let sides = try SideBySide(
      rounds: sizes.rounds, by: .wall, referenceShare: Double(references) / Double(all),
      prepare: {
        requests = (0..<clients).map { _ in
          BenchRecords.names(writes).map { zone.creation(of: [$0]) }
        }
      },
      ours: {
        let begun = try server.figures.processorSeconds()
        for latencies in try Self.push(requests, of: 1, to: server.port) { own.add(latencies) }
        processor += try server.figures.processorSeconds() - begun
        zone.pushed(all)
      },
      reference: {
        for name in BenchRecords.names(references) {
          try reference.time { try bare.append([name]) }
        }
      })
    try zone.verify()
    // The target is 10,000 writes per second on a disk on which the reference makes 6,800.
    let rate = sides.rate("server.writes.rate", items: all, limit: 0.68)
    return [
      LocalBenchmark.Measured(result: rate, spread: sides.spread),
      .figure(
        "server.writes.processor", processor / Double(zone.count) * 1e6, "µs/record",
        beside: 1e6 / rate.reference),
      .figure("server.writes.p50", own.median, "ms", beside: reference.median),
      .figure("server.writes.p99", own.tail, "ms", beside: reference.tail),
    ]
  }

  /// Pushes records with concurrent clients, one for each list of requests.
  private static func push(_ requests: [[[UInt8]]], of count: Int, to port: UInt16) throws
    -> [Latencies]
  {
    try Parallel.run(requests.count) { number in
      let client = try BenchClient(port: port)
      var latencies = Latencies()
      for request in requests[number] {
        try latencies.time { try BenchZone.push(request, of: count, by: client) }
      }
      return latencies
    }
  }
}
