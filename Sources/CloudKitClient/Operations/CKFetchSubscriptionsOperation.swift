import Foundation
import Synchronization

// Sendable: properties are set before the operation is added.
/// An operation that fetches subscriptions by their IDs, or all of the user's subscriptions to a
/// database.
open class CKFetchSubscriptionsOperation: CKDatabaseOperation, @unchecked Sendable {
  /// The subscriptions to fetch; nil for all.
  open var subscriptionIDs: [CKSubscription.ID]?

  /// Called with the result for each subscription.
  open var perSubscriptionResultBlock:
    (@Sendable (CKSubscription.ID, Result<CKSubscription, any Error>) -> Void)?
  /// Called when the operation completes.
  open var fetchSubscriptionsResultBlock: (@Sendable (Result<Void, any Error>) -> Void)?
  /// Called when the operation completes, with the fetched subscriptions and the error.
  @available(*, deprecated, message: "Use fetchSubscriptionsResultBlock.")
  open var fetchSubscriptionCompletionBlock:
    (@Sendable ([CKSubscription.ID: CKSubscription]?, (any Error)?) -> Void)?
  {
    get { olderFinalBlock }
    set { olderFinalBlock = newValue }
  }

  private var olderFinalBlock:
    (@Sendable ([CKSubscription.ID: CKSubscription]?, (any Error)?) -> Void)?
  private let fetched = Mutex<[CKSubscription.ID: CKSubscription]>([:])

  /// Creates an operation that fetches all subscriptions.
  public required override init() { super.init() }

  /// Creates an operation that fetches subscriptions.
  public convenience init(subscriptionIDs: [CKSubscription.ID]) {
    self.init()
    self.subscriptionIDs = subscriptionIDs
  }

  /// Creates an operation that fetches all subscriptions.
  public class func fetchAllSubscriptionsOperation() -> Self { self.init() }

  override func perform(_ work: DatabaseWork) async throws(CKError) {
    guard let subscriptionIDs else {
      for subscription in try await work.allSubscriptions() {
        reportResult(subscription.subscriptionID, .success(subscription))
      }
      return
    }
    var errors = ItemErrors()
    var rest = subscriptionIDs[...]
    do throws(CKError) {
      try await work.subscriptions(subscriptionIDs) { name, result in
        rest = rest.dropFirst()
        errors.note(name, result)
        reportResult(name, result)
      }
    } catch {
      for name in rest { reportResult(name, .failure(error)) }
      throw error
    }
    try errors.check()
  }

  private func reportResult(_ name: CKSubscription.ID, _ result: Result<CKSubscription, CKError>) {
    if case .success(let subscription) = result { fetched.withLock { $0[name] = subscription } }
    perSubscriptionResultBlock?(name, result.plain)
  }

  override func failEach(_ error: CKError) {
    for name in subscriptionIDs ?? [] { reportResult(name, .failure(error)) }
  }

  // MARK: Long-lived operations

  private enum RequestKey {
    static let subscriptions = "SubscriptionIDs"
  }

  override func encodeRequest(with coder: NSCoder) -> Bool {
    coder.encode(texts: subscriptionIDs, forKey: RequestKey.subscriptions)
    return true
  }

  override func decodeRequest(from coder: NSCoder) -> Bool {
    subscriptionIDs = coder.texts(RequestKey.subscriptions)
    return true
  }

  package override func conclude(_ error: CKError?) {
    fetchSubscriptionsResultBlock?(Result(error))
    olderFinalBlock?(fetched.withLock { $0 }, error)
  }
}
