/// A fault of a connection.
package enum NetworkFault: Sendable {
  /// The end of a connection.
  package enum Ending: Sendable {
    /// Both sides get a reset immediately, and data in transit is lost.
    case reset
    /// Both sides see a regular end.
    case close
    /// No more data passes, and neither side notices.
    case stall
    /// The client sees an end, and the server does not.
    case unnoticed
  }

  /// The response, of those to two equal requests, that reaches the client.
  package enum Answer: Sendable {
    case first, second
  }

  case none
  /// After this many bytes reach the server, the connection ends.
  case up(Int, Ending)
  /// After this many bytes of responses reach the client, the connection ends.
  case down(Int, Ending)
  /// Every request gets these bytes as its response and never reaches the server; then the
  /// connection ends.
  case answer([UInt8], Ending)
  /// All data is delayed by these numbers of milliseconds, to the server and back.
  case delay(upMilliseconds: CInt, downMilliseconds: CInt)
  /// Each request reaches the server twice, the second time after the first response, and one of
  /// the responses reaches the client.
  case duplicate(answering: Answer)
  /// The connection is reset as soon as a request is complete; the request reaches the server after
  /// the next one.
  case late
}
