public import Foundation

// What of sharing needs a server that makes addresses for one use, which Parhelion's does not yet.

@available(
  *, unavailable,
  message:
    "The server makes no addresses for one use yet. Add participants, or set publicPermission."
)
extension CKShare {
  /// An address by which one participant can accept the share, once.
  public func oneTimeURL(for participantID: String) -> URL? { nil }
}

@available(
  *, unavailable,
  message:
    "The server makes no addresses for one use yet. Look participants up, or set publicPermission."
)
extension CKShareParticipant {
  /// A participant whom only an address for one use names.
  public class func oneTimeURLParticipant() -> CKShareParticipant {
    preconditionFailure("It cannot be called.")
  }
}
