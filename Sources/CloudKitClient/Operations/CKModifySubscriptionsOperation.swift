import Foundation
import Synchronization

// Sendable: the program sets properties before it adds the operation.
/// Makes, changes and ends subscriptions.
open class CKModifySubscriptionsOperation: CKDatabaseOperation, @unchecked Sendable {
  /// The subscriptions to save; one with the name of another takes its place.
  open var subscriptionsToSave: [CKSubscription]?
  /// The names of the subscriptions to end.
  open var subscriptionIDsToDelete: [CKSubscription.ID]?

  /// Is told what became of each subscription that was to be saved.
  open var perSubscriptionSaveBlock:
    (@Sendable (CKSubscription.ID, Result<CKSubscription, any Error>) -> Void)?
  /// Is told what became of each subscription that was to be ended.
  open var perSubscriptionDeleteBlock:
    (@Sendable (CKSubscription.ID, Result<Void, any Error>) -> Void)?
  /// Is told the end.
  open var modifySubscriptionsResultBlock: (@Sendable (Result<Void, any Error>) -> Void)?
  /// Is told the end: the subscriptions that were saved, the names of those that were ended, and
  /// the error.
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

  /// An operation that does nothing until it is told what.
  public override init() { super.init() }

  /// An operation that saves and ends.
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
    defer { database?.noteSubscriptionsChanged() }
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

  private enum WishKey {
    static let saving = "SubscriptionsToSave"
    static let deleting = "SubscriptionIDsToDelete"
  }

  override func encodeWish(with coder: NSCoder) -> Bool {
    coder.encode(list: subscriptionsToSave, forKey: WishKey.saving)
    coder.encode(texts: subscriptionIDsToDelete, forKey: WishKey.deleting)
    return true
  }

  override func decodeWish(from coder: NSCoder) -> Bool {
    subscriptionsToSave = coder.list(
      of: [CKQuerySubscription.self, CKRecordZoneSubscription.self, CKDatabaseSubscription.self],
      as: CKSubscription.self, WishKey.saving)
    subscriptionIDsToDelete = coder.texts(WishKey.deleting)
    return true
  }

  package override func conclude(_ error: CKError?) {
    let done = done.withLock { $0 }
    modifySubscriptionsResultBlock?(Result(error))
    olderFinalBlock?(done.saved, done.deleted, error)
  }
}
