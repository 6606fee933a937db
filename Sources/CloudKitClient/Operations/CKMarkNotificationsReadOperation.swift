/// An operation that marks notifications as read.
///
/// Unavailable, as in Apple's SDKs since 2024.
@available(
  *, unavailable,
  message:
    "Servers do not keep delivered notifications. Use CKDatabaseSubscription, CKFetchDatabaseChangesOperation and CKFetchRecordZoneChangesOperation."
)
open class CKMarkNotificationsReadOperation: CKOperation, @unchecked Sendable {
  /// The IDs of the notifications.
  open var notificationIDs: [CKNotification.ID]?
  /// Called when the operation completes.
  open var markNotificationsReadCompletionBlock: (([CKNotification.ID]?, (any Error)?) -> Void)?

  /// Creates an operation that marks notifications as read.
  public init(notificationIDsToMarkRead notificationIDs: [CKNotification.ID]) {
    self.notificationIDs = notificationIDs
    super.init()
  }
}
