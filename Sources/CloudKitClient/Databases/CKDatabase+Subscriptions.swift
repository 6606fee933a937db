import Foundation

extension CKDatabase {
  /// Fetches a subscription.
  public func subscription(for subscriptionID: CKSubscription.ID) async throws -> CKSubscription {
    try await only(subscriptions(for: [subscriptionID]), subscriptionID)
  }

  /// Fetches all of the user's subscriptions to the database.
  public func allSubscriptions() async throws -> [CKSubscription] {
    try await work().allSubscriptions()
  }

  /// Fetches subscriptions by their IDs.
  public func subscriptions(
    for ids: [CKSubscription.ID]
  ) async throws -> [CKSubscription.ID: Result<CKSubscription, any Error>] {
    try await results(for: ids) { try await work().subscriptions(ids, $0) }
  }

  /// Saves a subscription.
  ///
  /// It replaces an existing one with the same ID.
  @discardableResult
  public func save(_ subscription: CKSubscription) async throws -> CKSubscription {
    try await only(
      modifySubscriptions(saving: [subscription], deleting: []).saveResults,
      subscription.subscriptionID)
  }

  /// Deletes a subscription.
  @discardableResult
  public func deleteSubscription(withID subscriptionID: CKSubscription.ID) async throws
    -> CKSubscription.ID
  {
    try await only(
      modifySubscriptions(saving: [], deleting: [subscriptionID]).deleteResults, subscriptionID)
    return subscriptionID
  }

  /// Saves and deletes subscriptions.
  public func modifySubscriptions(
    saving subscriptionsToSave: [CKSubscription],
    deleting subscriptionIDsToDelete: [CKSubscription.ID]
  ) async throws -> (
    saveResults: [CKSubscription.ID: Result<CKSubscription, any Error>],
    deleteResults: [CKSubscription.ID: Result<Void, any Error>]
  ) {
    let results = ModificationResults<CKSubscription.ID, CKSubscription>()
    defer { reportSubscriptionChange() }
    return try await results.collect {
      try await work().modifySubscriptions(
        saving: subscriptionsToSave, deleting: subscriptionIDsToDelete, saved: results.addSaved,
        deleted: results.addDeleted)
    }
  }

  /// Notifies sync engines of this process, which may depend on the changed subscriptions.
  func reportSubscriptionChange() {
    try? container.binding().reportSubscriptionChange(in: databaseScope)
  }

  // MARK: Completion handlers

  /// Fetches a subscription.
  public func fetch(
    withSubscriptionID subscriptionID: CKSubscription.ID,
    completionHandler: @escaping @Sendable (CKSubscription?, (any Error)?) -> Void
  ) {
    answer(completionHandler) { try await self.subscription(for: subscriptionID) }
  }

  /// Fetches all of the user's subscriptions to the database.
  public func fetchAllSubscriptions(
    completionHandler: @escaping @Sendable ([CKSubscription]?, (any Error)?) -> Void
  ) {
    answer(completionHandler) { try await self.allSubscriptions() }
  }

  /// Fetches subscriptions by their IDs.
  public func fetch(
    withSubscriptionIDs subscriptionIDs: [CKSubscription.ID],
    completionHandler:
      @escaping @Sendable (
        Result<[CKSubscription.ID: Result<CKSubscription, any Error>], any Error>
      ) -> Void
  ) {
    answer(completionHandler) { try await self.subscriptions(for: subscriptionIDs) }
  }

  /// Saves a subscription.
  ///
  /// It replaces an existing one with the same ID.
  public func save(
    _ subscription: CKSubscription,
    completionHandler: @escaping @Sendable (CKSubscription?, (any Error)?) -> Void
  ) {
    answer(completionHandler) { try await self.save(subscription) }
  }

  /// Deletes a subscription.
  public func delete(
    withSubscriptionID subscriptionID: CKSubscription.ID,
    completionHandler: @escaping @Sendable (CKSubscription.ID?, (any Error)?) -> Void
  ) {
    answer(completionHandler) { try await self.deleteSubscription(withID: subscriptionID) }
  }

  /// Saves and deletes subscriptions.
  public func modifySubscriptions(
    saving subscriptionsToSave: [CKSubscription],
    deleting subscriptionIDsToDelete: [CKSubscription.ID],
    completionHandler:
      @escaping @Sendable (
        Result<
          (
            saveResults: [CKSubscription.ID: Result<CKSubscription, any Error>],
            deleteResults: [CKSubscription.ID: Result<Void, any Error>]
          ), any Error
        >
      ) -> Void
  ) {
    answer(completionHandler) {
      try await self.modifySubscriptions(
        saving: subscriptionsToSave, deleting: subscriptionIDsToDelete)
    }
  }
}
