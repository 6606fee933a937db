/// Notes that the user has seen notifications; Apple's SDKs of 2024 and later refuse it, too.
@available(
  *, unavailable,
  message:
    "Servers keep no notifications that were told. Use CKDatabaseSubscription, CKFetchDatabaseChangesOperation and CKFetchRecordZoneChangesOperation."
)
open class CKMarkNotificationsReadOperation: CKOperation, @unchecked Sendable {
  /// The names of the notifications.
  open var notificationIDs: [CKNotification.ID]?
  /// Is told the end.
  open var markNotificationsReadCompletionBlock: (([CKNotification.ID]?, (any Error)?) -> Void)?

  /// An operation that notes that the user has seen notifications.
  public init(notificationIDsToMarkRead notificationIDs: [CKNotification.ID]) {
    self.notificationIDs = notificationIDs
    super.init()
  }
}
