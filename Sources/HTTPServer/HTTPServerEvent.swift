/// An event of a running server.
package enum HTTPServerEvent: Sendable {
  /// A handler threw an unexpected error. The client received status 500.
  case handlerFailed(HTTPRequestID, any Error)
  /// A handler threw an error after the head of its response. The connection was aborted.
  case responseFailed(HTTPRequestID, any Error)
  /// A request or a connection was rejected before a handler ran.
  case rejected(HTTPRejection, SocketAddress)
  /// The system has no file descriptors left. Connections are refused until some are free.
  case outOfDescriptors
  /// A TLS handshake failed.
  case handshakeFailed(SocketAddress)
}
