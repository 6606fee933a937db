/// What the demonstration came to.
package struct DemoSummary: Codable, Equatable, Sendable {
  /// A scene that was played to its end.
  package struct Scene: Codable, Equatable, Sendable {
    package let title: String
    package let seconds: Double
  }

  /// From the save on one device until the other shows the change.
  package struct Latency: Codable, Equatable, Sendable {
    package let changes: Int
    package let medianMilliseconds: Double
    package let worstMilliseconds: Double

    package init(_ latencies: Latencies, changes: Int) {
      self.changes = changes
      medianMilliseconds = latencies.median.inTenths
      worstMilliseconds = latencies.milliseconds(at: 1).inTenths
    }

    /// The latency in a line.
    package var line: String {
      "One change, from save to sight: \(medianMilliseconds) ms (p50), \(worstMilliseconds) ms (worst of \(changes))"
    }
  }

  package internal(set) var scenes: [Scene] = []
  package internal(set) var latency: Latency?
  /// The notes that all have at the end, and the digest of everything.
  package internal(set) var notes = 0
  package internal(set) var digest = ""
  package internal(set) var seconds = 0.0
  /// How long it took until the first scene could begin.
  package internal(set) var startSeconds = 0.0
  /// What went wrong; empty where every device agrees with the server.
  package internal(set) var problems: [String] = []

  package init() {}

  /// Whether every device agrees with the server, and everything was as expected.
  package var isGood: Bool { problems.isEmpty }

  mutating func add(_ title: String, seconds: Double) {
    scenes.append(Scene(title: title, seconds: seconds.inTenths))
  }

  /// The summary for people.
  package var lines: [String] {
    var lines = [
      "", "Summary, after \(seconds.inTenths) s (ready after \(startSeconds.inTenths) s):",
    ]
    lines += scenes.map { "  ✓ \($0.title) (\($0.seconds) s)" }
    if let latency { lines.append("  \(latency.line)") }
    lines += problems.map { "  ✗ \($0)" }
    let end = "Both devices agree with the server: \(notes) notes, digest \(digest)."
    lines.append(isGood ? end : "It did not come to a good end.")
    return lines
  }
}

extension Double {
  /// Rounded to a tenth.
  fileprivate var inTenths: Double { (self * 10).rounded() / 10 }
}
