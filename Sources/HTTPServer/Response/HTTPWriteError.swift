/// An error of writing a part of a response.
package enum HTTPWriteError: String, Error, Sendable {
  /// The client has disconnected. The handler's task is cancelled, too.
  case clientLeft = "The client disconnected before its response was complete."
  /// The part exceeds the length that the response's head announced.
  case longerThanAnnounced = "The response has more bytes than its announced length."
}
