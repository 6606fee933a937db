extension HTTPConnectionMachine {
  /// Actions that the owner of the socket performs, in order.
  package enum Action: Equatable, Sendable {
    /// Pass a request to the handler.
    case begin(HTTPRequestHead, RequestBodyStart)
    /// Pass more of the body to the handler.
    case body([UInt8])
    /// Signal to the handler that the body is complete.
    case endBody
    /// Signal to the handler that the body failed.
    case failBody(HTTPParseError)
    /// Cancel the handler's task, because no client waits for its response.
    case cancelHandler
    /// Write the response for a rejected request after all other output. The connection then ends.
    case refuse(HTTPParseError)
    /// Write bytes after all previous ones.
    case write([UInt8])
    /// Start a timer in place of the current one, or stop it.
    case arm(Timer?)
    /// Read from the socket, or stop reading from it.
    case read(Bool)
    /// Signal to the client that no more output follows.
    case finishOutput
    /// Close the socket.
    case close
    /// Close the socket so that the client detects a failure.
    case abort
  }

  /// The event that a timer limits.
  ///
  /// At most one timer runs.
  package enum Timer: Equatable, Sendable {
    /// The first byte of a request.
    case idle
    /// The rest of a head.
    case head
    /// The minimum rate of a body. This timer fires repeatedly.
    case body
    /// The client's end of the connection after the last response.
    case linger
  }
}

/// The state of a request's body when the handler starts.
package enum RequestBodyStart: Equatable, Sendable {
  /// The body is complete. It may be empty.
  case whole([UInt8])
  /// The body arrives in pieces.
  case stream
}
