internal import CloudTransport

/// The destination of a response.
///
/// The thread that drives the transfers calls it.
protocol ResponseSink: AnyObject {
  /// Receives the complete head.
  func begin(_ head: TransportResponse) throws(TransportError)
  /// Receives bytes of the body, or returns false if they must be delivered again later.
  func take(_ bytes: UnsafeRawBufferPointer) throws(TransportError) -> Bool
  /// Receives the end of the transfer. A success carries the head.
  func finish(_ result: Result<TransportResponse, TransportError>)
}
