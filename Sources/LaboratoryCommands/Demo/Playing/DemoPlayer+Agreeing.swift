/// How the player finds out whether all agree, and how long a change takes.
extension DemoPlayer {
  /// Lets both devices send and receive until they have what the server has.
  func agree() async throws {
    while true {
      let obstacles = try await synchronise()
      let differences = state.differences
      if obstacles.isEmpty, differences.isEmpty {
        let (notes, digest) = (state.onServer.notes.count, state.onServer.digest)
        return try say("Desk, phone and server agree: \(notes) notes, digest \(digest).")
      }
      guard hasTime else { throw Failure(problems: obstacles + differences.prefix(10)) }
      for _ in 0..<4 { try await waitForTick() }
    }
  }

  /// Lets both devices send and receive once, and looks at what all have.
  ///
  /// - Returns: What stood in the way.
  private func synchronise() async throws -> [String] {
    // What one sends after the other has received comes with the second round.
    for name in DemoDeviceName.devices + DemoDeviceName.devices { try begin(name, .sync) }
    let obstacles = try await answers().compactMap { answer in
      if case .refused(let reason) = answer { reason } else { nil }
    }
    guard obstacles.isEmpty, let witnessPlace else { return obstacles }
    for name in DemoDeviceName.devices { try begin(name, .show) }
    try begin(.witness, .look(place: witnessPlace))
    try await waitForAll()
    return []
  }

  /// Renames a note again and again on the desk, each time when the phone has shown the last name.
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
