/// How long a client may take, and how little it may send or read meanwhile.
package struct HTTPTimeouts: Sendable {
  /// For a handshake of TLS, and for a head from its first byte to its last.
  package var head: Duration = .seconds(15)
  /// Without a request.
  ///
  /// Proxies keep connections for about a minute, and must be the first to close them.
  package var idle: Duration = .seconds(75)
  /// How often the pace of bodies is looked at, in both directions.
  package var pacePeriod: Duration = .seconds(20)
  /// How much of a request's body must come in a period; of a response, ten times as much must go.
  package var minimalBytesPerPeriod = 10 << 10
  /// For the client's end after the last response.
  package var linger: Duration = .seconds(3)

  package init() {}

  func nanoseconds(of timer: HTTPConnectionMachine.Timer) -> Int64 {
    switch timer {
    case .idle: idle.nanoseconds
    case .head: head.nanoseconds
    case .body: pacePeriod.nanoseconds
    case .linger: linger.nanoseconds
    }
  }

  var outputNanoseconds: Int64 { pacePeriod.nanoseconds }
  /// How much of a response must go in a period: what it holds in memory is bounded for all clients
  /// together.
  var minimalOutputBytes: Int { 10 * minimalBytesPerPeriod }
}
