import Foundation

/// The server's time for its requests, from its own metrics.
struct ServerTimes {
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

  /// The sum of these requests' mean times since an earlier measurement.
  func milliseconds(of operations: [String], since earlier: ServerTimes) throws -> Double {
    try operations.reduce(0) { whole, operation in
      let count = (counts[operation] ?? 0) - (earlier.counts[operation] ?? 0)
      guard count > 0 else { throw Missing(operation: operation) }
      return whole + ((sums[operation] ?? 0) - (earlier.sums[operation] ?? 0)) / count * 1_000
    }
  }

  /// The error if the server did not receive the requests that a change needs.
  struct Missing: Error, CustomStringConvertible {
    let operation: String
    var description: String { "The server's metrics have no times of \(operation)." }
  }
}
