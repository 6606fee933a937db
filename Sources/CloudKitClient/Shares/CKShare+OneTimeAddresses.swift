public import Foundation

// Sharing by one-time URLs, which the server does not support yet.

@available(
  *, unavailable,
  message:
    "The server does not support one-time URLs yet. Add participants, or set publicPermission."
)
extension CKShare {
  /// A URL by which one participant can accept the share once.
  public func oneTimeURL(for participantID: String) -> URL? { nil }
}

@available(
  *, unavailable,
  message:
    "The server does not support one-time URLs yet. Fetch participants, or set publicPermission."
)
extension CKShareParticipant {
  /// Creates a participant for a one-time URL.
  public class func oneTimeURLParticipant() -> CKShareParticipant {
    preconditionFailure("Unavailable methods cannot be called.")
  }
}
