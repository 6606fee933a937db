import Synchronization

/// The server's metrics, in the text format of Prometheus.
package final class Metrics: Sendable {
  /// The upper bounds of the duration buckets, in seconds.
  private static let classes: [Double] = [
    0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10,
  ]

  private struct Series: Sendable {
    var counts = [Int](repeating: 0, count: Metrics.classes.count + 1)
    var seconds = 0.0
    var total = 0
  }

  private struct Key: Hashable {
    var operation: String
    var status: Int
  }

  private struct Counters {
    var requests: [Key: Int] = [:]
    var rejections: [Int: Int] = [:]
    var durations: [String: Series] = [:]
    var received = 0
    var sent = 0
  }

  private let counters = Mutex(Counters())

  package init() {}

  /// Counts an answered request.
  ///
  /// - Parameter operation: A name from a fixed set, never a text that clients choose.
  package func count(operation: String, status: Int, seconds: Double, received: Int, sent: Int) {
    counters.withLock { counters in
      counters.requests[Key(operation: operation, status: status), default: 0] += 1
      let place = Self.classes.firstIndex { seconds <= $0 } ?? Self.classes.count
      counters.durations[operation, default: Series()].counts[place] += 1
      counters.durations[operation, default: Series()].seconds += seconds
      counters.durations[operation, default: Series()].total += 1
      counters.received += received
      counters.sent += sent
    }
  }

  /// Counts a client that was rejected before a request could be read.
  package func count(rejectionWithStatus status: Int) {
    counters.withLock { $0.rejections[status, default: 0] += 1 }
  }

  /// A metric that is computed when it is read.
  package struct Gauge: Sendable {
    package var name: String
    package var help: String
    package var value: Int

    package init(name: String, help: String, value: Int) {
      self.name = name
      self.help = help
      self.value = value
    }
  }

  /// All metrics as text, in a fixed order.
  package func text(gauges: [Gauge] = []) -> String {
    let now = counters.withLock(\.self)
    var lines = [
      "# HELP parhelion_requests_total Requests that were answered.",
      "# TYPE parhelion_requests_total counter",
    ]
    for (key, count) in now.requests.sorted(by: {
      ($0.key.operation, $0.key.status) < ($1.key.operation, $1.key.status)
    }) {
      lines.append(
        #"parhelion_requests_total{operation="\#(key.operation)",status="\#(key.status)"} \#(count)"#
      )
    }
    lines.append(
      "# HELP parhelion_refusals_total Clients that were rejected before a request could be read."
    )
    lines.append("# TYPE parhelion_refusals_total counter")
    for (status, count) in now.rejections.sorted(by: { $0.key < $1.key }) {
      lines.append(#"parhelion_refusals_total{status="\#(status)"} \#(count)"#)
    }
    lines.append(
      "# HELP parhelion_request_seconds Time from a request's head until its response can be sent."
    )
    lines.append("# TYPE parhelion_request_seconds histogram")
    for (operation, series) in now.durations.sorted(by: { $0.key < $1.key }) {
      lines += Self.lines(operation, series)
    }
    let figures =
      [
        (
          "parhelion_received_bytes_total", "Bytes of request bodies received.", "counter",
          now.received
        ),
        (
          "parhelion_sent_bytes_total", "Bytes of response bodies sent or ready to be sent.",
          "counter", now.sent
        ),
      ] + gauges.map { ($0.name, $0.help, "gauge", $0.value) }
    for (name, help, kind, value) in figures {
      lines += ["# HELP \(name) \(help)", "# TYPE \(name) \(kind)", "\(name) \(value)"]
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func lines(_ operation: String, _ series: Series) -> [String] {
    var lines: [String] = []
    var sum = 0
    for (index, count) in series.counts.enumerated() {
      sum += count
      let end = index < classes.count ? "\(classes[index])" : "+Inf"
      lines.append(
        #"parhelion_request_seconds_bucket{operation="\#(operation)",le="\#(end)"} \#(sum)"#)
    }
    lines.append(#"parhelion_request_seconds_sum{operation="\#(operation)"} \#(series.seconds)"#)
    lines.append(#"parhelion_request_seconds_count{operation="\#(operation)"} \#(series.total)"#)
    return lines
  }
}
