import Foundation
import Synchronization

// Sendable: properties are set before the operation is added.
/// An operation that saves and deletes subscriptions.
open class CKModifySubscriptionsOperation: CKDatabaseOperation, @unchecked Sendable {
  /// The subscriptions to save.
  ///
  /// They replace existing ones with the same IDs.
  open var subscriptionsToSave: [CKSubscription]?
  /// The subscriptions to delete.
  open var subscriptionIDsToDelete: [CKSubscription.ID]?

  /// Called with the result for each saved subscription.
  open var perSubscriptionSaveBlock:
    (@Sendable (CKSubscription.ID, Result<CKSubscription, any Error>) -> Void)?
  /// Called with the result for each deleted subscription.
  open var perSubscriptionDeleteBlock:
    (@Sendable (CKSubscription.ID, Result<Void, any Error>) -> Void)?
  /// Called when the operation completes.
  open var modifySubscriptionsResultBlock: (@Sendable (Result<Void, any Error>) -> Void)?
  /// Called when the operation completes, with the saved and the deleted subscriptions and the
  /// error.
  @available(*, deprecated, message: "Use modifySubscriptionsResultBlock.")
  open var modifySubscriptionsCompletionBlock:
    (@Sendable ([CKSubscription]?, [CKSubscription.ID]?, (any Error)?) -> Void)?
  {
    get { olderFinalBlock }
    set { olderFinalBlock = newValue }
  }

  private var olderFinalBlock:
    (@Sendable ([CKSubscription]?, [CKSubscription.ID]?, (any Error)?) -> Void)?
  private let done = Mutex<(saved: [CKSubscription], deleted: [CKSubscription.ID])>(([], []))

  /// Creates an empty operation.
  public override init() { super.init() }

  /// Creates an operation that saves and deletes subscriptions.
  public convenience init(
    subscriptionsToSave: [CKSubscription]? = nil,
    subscriptionIDsToDelete: [CKSubscription.ID]? = nil
  ) {
    self.init()
    self.subscriptionsToSave = subscriptionsToSave
    self.subscriptionIDsToDelete = subscriptionIDsToDelete
  }

  override func perform(_ work: DatabaseWork) async throws(CKError) {
    var errors = ItemErrors()
    defer { askedDatabase.reportSubscriptionChange() }
    try await work.modifySubscriptions(
      saving: subscriptionsToSave ?? [], deleting: subscriptionIDsToDelete ?? [],
      saved: { name, result in
        errors.note(name, result)
        if case .success(let subscription) = result {
          done.withLock { $0.saved.append(subscription) }
        }
        perSubscriptionSaveBlock?(name, result.plain)
      },
      deleted: { name, result in
        errors.note(name, result)
        if case .success = result { done.withLock { $0.deleted.append(name) } }
        perSubscriptionDeleteBlock?(name, result.plain)
      })
    try errors.check()
  }

  override func failEach(_ error: CKError) {
    for subscription in subscriptionsToSave ?? [] {
      perSubscriptionSaveBlock?(subscription.subscriptionID, .failure(error))
    }
    for name in subscriptionIDsToDelete ?? [] { perSubscriptionDeleteBlock?(name, .failure(error)) }
  }

  // MARK: Long-lived operations

  private enum RequestKey {
    static let saving = "SubscriptionsToSave"
    static let deleting = "SubscriptionIDsToDelete"
  }

  override func encodeRequest(with coder: NSCoder) -> Bool {
    coder.encode(list: subscriptionsToSave, forKey: RequestKey.saving)
    coder.encode(texts: subscriptionIDsToDelete, forKey: RequestKey.deleting)
    return true
  }

  override func decodeRequest(from coder: NSCoder) -> Bool {
    subscriptionsToSave = coder.list(
      of: [CKQuerySubscription.self, CKRecordZoneSubscription.self, CKDatabaseSubscription.self],
      as: CKSubscription.self, RequestKey.saving)
    subscriptionIDsToDelete = coder.texts(RequestKey.deleting)
    return true
  }

  package override func conclude(_ error: CKError?) {
    let done = done.withLock { $0 }
    modifySubscriptionsResultBlock?(Result(error))
    olderFinalBlock?(done.saved, done.deleted, error)
  }
}
