extension ServerBenchmark {
  /// Reads all records of a zone, page by page, compared with reading the same rows from plain
  /// SQLite.
  func pull() throws -> [LocalBenchmark.Measured] {
    let zone = try stage.largeZone(sizes.largeZone)
    let bare = try BareRecordStore(path: zone.server.path(of: "pull.sqlite"))
    for start in stride(from: 0, to: zone.count, by: 5_000) {
      try bare.append(BenchRecords.names(min(5_000, zone.count - start)))
    }
    var processor = 0.0
    let sides = try SideBySide(
      rounds: sizes.rounds, by: .wall,
      ours: {
        let begun = try zone.server.figures.processorSeconds()
        let records = try zone.pull().records
        processor += try zone.server.figures.processorSeconds() - begun
        guard records == zone.count else {
          throw Failure.otherRecords(stored: records, acknowledged: zone.count)
        }
      },
      reference: {
        guard try bare.read().records == zone.count else { throw LocalBenchmark.Disagreement() }
      })
    let rate = sides.rate("server.pull.rate", items: zone.count, limit: nil)
    // The processor time includes the warm-up round.
    let pulled = Double(zone.count * (sizes.rounds + 1))
    return [
      .figure("server.pull.rate", rate.value, "/s", atLeast: 70_000),
      .figure(
        "server.pull.processor", processor / pulled * 1e6, "µs/record", beside: 1e6 / rate.reference
      ),
    ]
  }

  /// Reads the last ten changes of a small zone and of a large one, alternating.
  func changes() throws -> [LocalBenchmark.Measured] {
    let small = try BenchZone("small", on: try stage.server())
    try small.fill(to: sizes.smallZone)
    let (smallQuestion, largeQuestion) = (
      try Self.lastChanges(of: small),
      try Self.lastChanges(of: try stage.largeZone(sizes.largeZone))
    )
    let client = try stage.server().client()
    var latencies = (small: Latencies(), large: Latencies())
    for number in 0..<sizes.questions {
      // The order alternates, because the first in a round may find the machine in another state.
      let isSmallFirst = number.isMultiple(of: 2)
      if isSmallFirst { latencies.small.add(try Self.seconds(of: smallQuestion, client)) }
      latencies.large.add(try Self.seconds(of: largeQuestion, client))
      if !isSmallFirst { latencies.small.add(try Self.seconds(of: smallQuestion, client)) }
    }
    let (smallMedian, largeMedian) = (latencies.small.median, latencies.large.median)
    return [
      .figure("server.changes.small", smallMedian, "ms", atMost: 1),
      .figure("server.changes.large", largeMedian, "ms", beside: smallMedian, limit: 1.1),
      .figure("server.changes.small.p99", latencies.small.tail, "ms", beside: smallMedian),
      .figure("server.changes.large.p99", latencies.large.tail, "ms", beside: latencies.small.tail),
    ]
  }

  private static let changesAsked = 10

  /// Makes ten changes, and returns the request for them.
  private static func lastChanges(of zone: BenchZone) throws -> [UInt8] {
    let token = try zone.pull(onlyNames: true).token
    let names = BenchRecords.names(changesAsked)
    try zone.push(zone.creation(of: names), of: names.count)
    return zone.changesRequest(since: token)
  }

  private static func seconds(of question: [UInt8], _ client: BenchClient) throws -> Double {
    let begun = SideBySide.Clock.wall.seconds
    let bytes = try client.ask(question)
    let seconds = SideBySide.Clock.wall.seconds - begun
    let answer = ZoneAnswer(bytes)
    guard answer.records == changesAsked, !answer.hasMore else {
      throw BenchClient.Refused(answer: answer.text)
    }
    return seconds
  }
}
