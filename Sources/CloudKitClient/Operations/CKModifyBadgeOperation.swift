/// An operation that sets the badge of the app's icon on all of the user's devices.
///
/// Unavailable, as in Apple's SDKs since 2024.
@available(
  *, unavailable, message: "There are no badges on this platform. Store the number in a record."
)
open class CKModifyBadgeOperation: CKOperation, @unchecked Sendable {
  /// The badge's number.
  open var badgeValue: Int
  /// Called when the operation completes.
  open var modifyBadgeCompletionBlock: (((any Error)?) -> Void)?

  /// Creates an operation that sets the badge.
  public init(badgeValue: Int) {
    self.badgeValue = badgeValue
    super.init()
  }
}
