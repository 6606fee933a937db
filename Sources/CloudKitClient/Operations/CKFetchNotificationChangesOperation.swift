/// Fetches notifications that were told before; Apple's SDKs of 2024 and later refuse it, too.
@available(
  *, unavailable,
  message:
    "Servers keep no notifications that were told. Use CKDatabaseSubscription, CKFetchDatabaseChangesOperation and CKFetchRecordZoneChangesOperation."
)
open class CKFetchNotificationChangesOperation: CKOperation, @unchecked Sendable {
  /// The place where an earlier operation ended.
  open var previousServerChangeToken: CKServerChangeToken?
  /// How many notifications are fetched at most.
  open var resultsLimit = 0
  /// Whether there are more.
  open var moreComing: Bool { false }
  /// Is told of each notification.
  open var notificationChangedBlock: ((CKNotification) -> Void)?
  /// Is told the end.
  open var fetchNotificationChangesCompletionBlock: ((CKServerChangeToken?, (any Error)?) -> Void)?

  /// An operation that fetches notifications since a place.
  public init(previousServerChangeToken: CKServerChangeToken?) {
    self.previousServerChangeToken = previousServerChangeToken
    super.init()
  }
}
