/// Why a part of a response was not taken.
package enum HTTPWriteError: String, Error, Sendable {
  /// Nobody reads it; the handler's task is cancelled, too.
  case clientLeft = "The client left before its response was whole."
  /// The response's head announced fewer bytes.
  case longerThanAnnounced = "The response has more bytes than its length says."
}
