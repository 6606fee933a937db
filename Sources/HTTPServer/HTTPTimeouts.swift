/// The time limits of clients, and the minimum rates at which they must send and read.
package struct HTTPTimeouts: Sendable {
  /// The time limit of a TLS handshake, and of a request's head from its first byte to its last.
  package var head: Duration = .seconds(15)
  /// The time for which a connection may stay open without a request.
  ///
  /// Proxies keep connections for about a minute, and must be the first to close them.
  package var idle: Duration = .seconds(75)
  /// The interval at which the rate of bodies is checked, in both directions.
  package var pacePeriod: Duration = .seconds(20)
  /// The bytes of a request's body that must arrive in each period.
  ///
  /// Ten times as many bytes of a response must be sent.
  package var minimalBytesPerPeriod = 10 << 10
  /// The bytes that must arrive or be sent in each period while the memory that holds them is
  /// short.
  ///
  /// By default 128 KB a second, about one megabit.
  package var minimalBytesPerPeriodInShortage = 2_560 << 10
  /// The time that a client has to close its end after the last response.
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
  /// Returns the bytes of a response that must be sent in each period.
  ///
  /// The number is higher while memory is short, because queued responses use a budget that all
  /// clients share.
  func minimalOutputBytes(isMemoryShort: Bool) -> Int {
    isMemoryShort ? minimalBytesPerPeriodInShortage : 10 * minimalBytesPerPeriod
  }
}
