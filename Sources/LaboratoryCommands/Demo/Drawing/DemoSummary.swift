/// The results of the demonstration.
package struct DemoSummary: Codable, Equatable, Sendable {
  /// A completed scene.
  package struct Scene: Codable, Equatable, Sendable {
    package let title: String
    package let seconds: Double
  }

  /// The latency from the save on one device until the other shows the change.
  package struct Latency: Codable, Equatable, Sendable {
    package let changes: Int
    package let medianMilliseconds: Double
    package let worstMilliseconds: Double

    package init(_ latencies: Latencies, changes: Int) {
      self.changes = changes
      medianMilliseconds = latencies.median.inTenths
      worstMilliseconds = latencies.milliseconds(at: 1).inTenths
    }

    /// The latency as a line of text.
    package var line: String {
      "Latency of one change: \(medianMilliseconds) ms (p50), \(worstMilliseconds) ms (worst of \(changes))"
    }
  }

  package internal(set) var scenes: [Scene] = []
  package internal(set) var latency: Latency?
  /// The final number of notes, and the digest of all content.
  package internal(set) var notes = 0
  package internal(set) var digest = ""
  package internal(set) var seconds = 0.0
  /// The time until the first scene started.
  package internal(set) var startSeconds = 0.0
  /// The failures; empty if every device agrees with the server.
  package internal(set) var problems: [String] = []

  package init() {}

  /// Whether every device agrees with the server, and all expectations were met.
  package var isGood: Bool { problems.isEmpty }

  mutating func add(_ title: String, seconds: Double) {
    scenes.append(Scene(title: title, seconds: seconds.inTenths))
  }

  /// The summary as text.
  package var lines: [String] {
    var lines = [
      "", "Summary, after \(seconds.inTenths) s (ready after \(startSeconds.inTenths) s):",
    ]
    lines += scenes.map { "  ✓ \($0.title) (\($0.seconds) s)" }
    if let latency { lines.append("  \(latency.line)") }
    lines += problems.map { "  ✗ \($0)" }
    let end = "Both devices agree with the server: \(notes) notes, digest \(digest)."
    lines.append(isGood ? end : "The demonstration failed.")
    return lines
  }
}

extension Double {
  /// The value, rounded to a tenth.
  fileprivate var inTenths: Double { (self * 10).rounded() / 10 }
}
