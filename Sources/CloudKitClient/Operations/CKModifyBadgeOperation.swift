/// Sets the number on the program's icon, on all of the user's devices; Apple's SDKs of 2024 and
/// later refuse it, too.
@available(
  *, unavailable, message: "There are no icons with numbers here. Keep the number in a record."
)
open class CKModifyBadgeOperation: CKOperation, @unchecked Sendable {
  /// The number.
  open var badgeValue: Int
  /// Is told the end.
  open var modifyBadgeCompletionBlock: (((any Error)?) -> Void)?

  /// An operation that sets the number.
  public init(badgeValue: Int) {
    self.badgeValue = badgeValue
    super.init()
  }
}
