/// An operation that fetches earlier notifications.
///
/// Unavailable, as in Apple's SDKs since 2024.
@available(
  *, unavailable,
  message:
    "Servers do not keep delivered notifications. Use CKDatabaseSubscription, CKFetchDatabaseChangesOperation and CKFetchRecordZoneChangesOperation."
)
open class CKFetchNotificationChangesOperation: CKOperation, @unchecked Sendable {
  /// The token of the previous fetch.
  open var previousServerChangeToken: CKServerChangeToken?
  /// The maximum number of notifications.
  open var resultsLimit = 0
  /// Whether more notifications are available.
  open var moreComing: Bool { false }
  /// Called for each notification.
  open var notificationChangedBlock: ((CKNotification) -> Void)?
  /// Called when the operation completes.
  open var fetchNotificationChangesCompletionBlock: ((CKServerChangeToken?, (any Error)?) -> Void)?

  /// Creates an operation that fetches the notifications since a token.
  public init(previousServerChangeToken: CKServerChangeToken?) {
    self.previousServerChangeToken = previousServerChangeToken
    super.init()
  }
}
