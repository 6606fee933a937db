internal import CloudTransport

/// Where an answer goes.
///
/// The thread of the transfers calls it.
protocol ResponseSink: AnyObject {
  /// The head is whole.
  func begin(_ head: TransportResponse) throws(TransportError)
  /// Takes bytes of the body; false where there is no room for them now.
  func take(_ bytes: UnsafeRawBufferPointer) throws(TransportError) -> Bool
  /// The transfer is over; a success is the answer's head.
  func finish(_ result: Result<TransportResponse, TransportError>)
}
