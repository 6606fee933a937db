/// What a server tells about itself while it runs.
package enum HTTPServerEvent: Sendable {
  /// A handler threw what is no `HTTPFailure`; the client got a 500.
  case handlerFailed(HTTPRequestID, any Error)
  /// A handler threw behind the head of its response; the client's connection was cut.
  case responseFailed(HTTPRequestID, any Error)
  /// Somebody was turned away before a handler heard of it.
  case refused(HTTPRejection, SocketAddress)
  /// The system has no descriptors left; connections are refused until some are free.
  case outOfDescriptors
  /// A client and this server could not agree on TLS.
  case handshakeFailed(SocketAddress)
}
