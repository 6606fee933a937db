/// Checks whether the devices and the server agree, and measures latencies.
extension DemoPlayer {
  /// Synchronizes both devices until they agree with the server.
  func agree() async throws {
    while true {
      let failures = try await synchronise()
      let differences = state.differences
      if failures.isEmpty, differences.isEmpty {
        let (notes, digest) = (state.onServer.notes.count, state.onServer.digest)
        return try say("Desk, phone and server agree: \(notes) notes, digest \(digest).")
      }
      guard hasTime else { throw Failure(problems: failures + differences.prefix(10)) }
      for _ in 0..<4 { try await waitForTick() }
    }
  }

  /// Synchronizes both devices twice, and reads their contents and the server's.
  ///
  /// - Returns: The reasons of failed orders; if there are any, nothing is read.
  private func synchronise() async throws -> [String] {
    // Changes that one device sends after the other has fetched arrive in the second round.
    for name in DemoDeviceName.devices + DemoDeviceName.devices { try begin(name, .sync) }
    let failures = try await answers().compactMap { answer in
      if case .refused(let reason) = answer { reason } else { nil }
    }
    guard failures.isEmpty, let witnessPlace else { return failures }
    for name in DemoDeviceName.devices { try begin(name, .show) }
    try begin(.witness, .look(place: witnessPlace))
    try await waitForAll()
    return []
  }

  /// Renames a note repeatedly on the desk, each time after the phone has shown the previous name.
  func measure(_ title: String, _ changes: Int) async throws {
    var (title, latencies) = (title, Latencies())
    for index in 1...changes {
      let name = "Change \(index)"
      let order = try begin(.desk, .rename(title: title, to: name))
      try await waitForAll()
      try await wait("“\(name)” on the phone") { $0.devices[.phone]?.firstSeen[name] != nil }
      guard case .done(let save) = state.answers[order],
        let seen = state.devices[.phone]?.firstSeen[name]
      else {
        throw Failure(problems: ["The time of “\(name)” is not known."])
      }
      latencies.add(DemoSpan.seconds(from: save.began, to: seen))
      title = name
    }
    let latency = DemoSummary.Latency(latencies, changes: changes)
    setLatency(latency)
    try say(latency.line)
  }
}
