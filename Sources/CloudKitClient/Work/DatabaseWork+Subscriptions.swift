import CloudRecords
import CloudWire
import Foundation

extension DatabaseWork {
  /// Fetches all of the user's subscriptions to the database.
  func allSubscriptions() async throws(CKError) -> [CKSubscription] {
    let coding = try await coding()
    var subscriptions: [CKSubscription] = []
    for answer in try await call(SubscriptionsListRequest()).subscriptions {
      if case .subscription(let subscription) = answer,
        let known = coding.subscription(subscription)
      {
        subscriptions.append(known)
      }
    }
    return subscriptions
  }

  /// Fetches subscriptions by their IDs.
  func subscriptions(
    _ subscriptionIDs: [CKSubscription.ID],
    _ each: (CKSubscription.ID, Result<CKSubscription, CKError>) -> Void
  ) async throws(CKError) {
    let coding = try await coding()
    try await inBatches(subscriptionIDs) { batch throws(CKError) in
      let answers = try await call(SubscriptionsLookupRequest(identifiers: Array(batch)))
        .subscriptions
      try check(answers.count, of: batch.count)
      for (subscriptionID, answer) in zip(batch, answers) {
        each(subscriptionID, Self.result(answer, subscriptionID, coding))
      }
    }
  }

  private static func result(
    _ answer: SubscriptionsResponse.Item, _ subscriptionID: CKSubscription.ID,
    _ coding: RecordCoding
  ) -> Result<CKSubscription, CKError> {
    switch answer {
    case .failed(_, let error): return .failure(CKError(error))
    case .deleted:
      return .failure(CKError(.unknownItem, "The subscription \(subscriptionID) was deleted."))
    case .subscription(let subscription):
      guard let known = coding.subscription(subscription) else {
        return .failure(
          CKError(.incompatibleVersion, "The subscription \(subscriptionID) has an unknown kind."))
      }
      return .success(known)
    }
  }

  /// A change of a subscription.
  private enum Change {
    case save(CKSubscription)
    case delete(CKSubscription.ID)
  }

  /// Saves and deletes subscriptions.
  func modifySubscriptions(
    saving subscriptions: [CKSubscription], deleting subscriptionIDs: [CKSubscription.ID],
    saved: (CKSubscription.ID, Result<CKSubscription, CKError>) -> Void,
    deleted: (CKSubscription.ID, Result<Void, CKError>) -> Void
  ) async throws(CKError) {
    var rest = (subscriptions.map { Change.save($0) } + subscriptionIDs.map { .delete($0) })[...]
    func report(_ change: Change, _ error: CKError?) {
      switch change {
      case .save(let subscription):
        saved(subscription.subscriptionID, error.map { .failure($0) } ?? .success(subscription))
      case .delete(let name): deleted(name, error.map { .failure($0) } ?? .success(()))
      }
    }
    do throws(CKError) {
      let coding = try await coding()
      var sound: [(change: Change, operation: SubscriptionsModifyRequest.Operation)] = []
      for change in rest {
        do throws(CKError) { sound.append((change, try operation(change, coding))) } catch {
          report(change, error)
        }
      }
      rest = sound.map(\.change)[...]
      try await inBatches(sound) { batch throws(CKError) in
        let reply = try await session.reply(
          to: SubscriptionsModifyRequest(operations: batch.map(\.operation)), scope, options)
        try check(reply.response.subscriptions.count, of: batch.count)
        for (change, answer) in zip(batch.map(\.change), reply.response.subscriptions) {
          guard case .failed(_, let error) = answer else {
            report(change, nil)
            continue
          }
          var isDone = false
          if case .delete = change { isDone = reply.mayBeRepeated && error.code == .notFound }
          report(change, isDone ? nil : CKError(error))
        }
        rest = rest.dropFirst(batch.count)
      }
    } catch {
      for change in rest { report(change, error) }
      throw error
    }
  }

  private func operation(
    _ change: Change, _ coding: RecordCoding
  ) throws(CKError) -> SubscriptionsModifyRequest.Operation {
    switch change {
    // Creating a subscription replaces an existing one.
    case .save(let subscription):
      do {
        return .init(.create, try coding.input(subscription))
      } catch {
        throw error as? CKError ?? CKError(.invalidArguments, "\(error)")
      }
    case .delete(let name):
      var input = SubscriptionInput()
      input.identifier = name
      return .init(.delete, input)
    }
  }
}
