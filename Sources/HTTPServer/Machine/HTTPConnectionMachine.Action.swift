extension HTTPConnectionMachine {
  /// What the owner of the socket has to do, in this order.
  package enum Action: Equatable, Sendable {
    /// Give a request to the handler.
    case begin(HTTPRequestHead, RequestBodyStart)
    /// Give more of the body to the handler.
    case body([UInt8])
    /// Tell the handler that the body is whole.
    case endBody
    /// Tell the handler why the body will not be whole.
    case failBody(HTTPParseError)
    /// Cancel the handler's task: nobody waits for its answer.
    case cancelHandler
    /// Write behind everything else why there is no request; the connection ends with it.
    case refuse(HTTPParseError)
    /// Write bytes behind all that were given before.
    case write([UInt8])
    /// Let a timer run, from now on, in place of the one that runs.
    case arm(Timer?)
    /// Read from the socket, or leave its bytes where they are.
    case read(Bool)
    /// Tell the client that nothing more comes.
    case finishOutput
    /// Close the socket.
    case close
    /// Close the socket so that the client sees that something went wrong.
    case abort
  }

  /// What a timer waits for.
  ///
  /// At most one runs.
  package enum Timer: Equatable, Sendable {
    /// The first byte of a request.
    case idle
    /// The rest of a head.
    case head
    /// The least that must come of a body; fires again and again.
    case body
    /// The client's end, after the last response.
    case linger
  }
}

/// How a request's body begins.
package enum RequestBodyStart: Equatable, Sendable {
  /// It is whole already, and perhaps empty.
  case whole([UInt8])
  /// It comes piece by piece.
  case stream
}
