/// What happens to a connection.
package enum NetworkFault: Sendable {
  /// How a connection stops being one.
  package enum Ending: Sendable {
    /// Both sides are told at once, and what was on its way is lost.
    case reset
    /// Both sides see an end.
    case close
    /// Nothing passes any more, and nobody is told.
    case stall
    /// The client sees an end, and the server is not told.
    case unnoticed
  }

  /// Which of two equal requests' answers reaches the client.
  package enum Answer: Sendable {
    case first, second
  }

  case none
  /// So many bytes reach the server, then it ends.
  case up(Int, Ending)
  /// So many bytes of answers reach the client, then it ends.
  case down(Int, Ending)
  /// Whatever is asked is answered with these bytes, and never reaches the server; then it ends.
  case answer([UInt8], Ending)
  /// Whatever comes waits for so many milliseconds before it goes on, on its way to the server and
  /// back.
  case delay(upMilliseconds: CInt, downMilliseconds: CInt)
  /// Each request reaches the server twice, one behind the answer to the other, and one of the
  /// answers reaches the client.
  case duplicate(answering: Answer)
  /// The connection is reset as soon as a request is whole; the request reaches the server behind
  /// the next one.
  case late
}
