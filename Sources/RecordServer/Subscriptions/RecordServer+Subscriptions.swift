package import CloudRecords
import CloudSchema
package import CloudWire
import RecordStorage

extension RecordServer {
  /// `subscriptions/list`: the caller's subscriptions to a database.
  package func listSubscriptions(_ call: Call) async throws(CloudError) -> SubscriptionsResponse {
    try SubscriptionHandler.check(call)
    let store = SubscriptionStore(call)
    let limits = limits
    return try await read(store.owner) { transaction in
      var measure = ResponseSize(limits)
      return SubscriptionsResponse(
        subscriptions: try store.all(of: call.callerName, in: transaction).map { subscription in
          try measure.measured(.subscription(subscription))
        })
    }
  }

  /// `subscriptions/lookup`: subscriptions by identifier, in the requested order.
  package func lookUpSubscriptions(
    _ request: SubscriptionsLookupRequest, _ call: Call
  ) async throws(CloudError) -> SubscriptionsResponse {
    try SubscriptionHandler.check(call)
    let limits = limits
    try limits.check(request.identifiers.count, "subscriptions")
    let store = SubscriptionStore(call)
    return try await read(store.owner) { transaction in
      var measure = ResponseSize(limits)
      return SubscriptionsResponse(
        subscriptions: try request.identifiers.map { identifier in
          guard let found = try store.subscription(identifier, of: call.callerName, in: transaction)
          else {
            return try measure.measured(
              .failed(identifier, SubscriptionHandler.notFound(identifier)))
          }
          return try measure.measured(.subscription(found))
        })
    }
  }

  /// `subscriptions/modify`: creates, changes and deletes subscriptions independently of each
  /// other.
  package func modifySubscriptions(
    _ request: SubscriptionsModifyRequest, _ call: Call
  ) async throws(CloudError) -> SubscriptionsResponse {
    try SubscriptionHandler.check(call)
    try limits.check(request.operations.count, "subscriptions")
    try SubscriptionHandler.checkNames(of: request, call)
    let server = self
    let now = dependencies.now()
    let work = request.operations.map { operation in
      (operation, operation.subscription.identifier ?? UUIDText.text(dependencies.makeName()))
    }
    // A private database is in one partition. Other data, such as a shared zone, is in others.
    let (items, ended) = try await write(call.scope == .private ? call.callerName : nil) {
      transaction in
      let handler = try SubscriptionHandler(call, server, transaction)
      let act = {
        var measure = ResponseSize(server.limits)
        return try work.map { try measure.measured(try handler.item($0, identifier: $1)) }
      }
      let items =
        try RequestMemory(call)?.once(
          in: transaction, at: now, itemCount: work.count, act: act,
          outcomes: { $0.map(\.reportedOutcome) },
          again: { outcomes in
            var measure = ResponseSize(server.limits)
            return try zip(work, outcomes).map {
              try measure.measured(try handler.replay($1, of: $0.0, identifier: $0.1))
            }
          }) ?? act()
      return (items, handler.ended)
    }
    listener?.listeningChanged(.subscriptions(call.realm, call.scope, user: call.callerName))
    if !ended.isEmpty { listener?.listeningChanged(.ended(EndedSubscriptions(call, ended))) }
    return SubscriptionsResponse(subscriptions: items)
  }
}

extension ResponseSize {
  /// Adds an item to the size of the response.
  fileprivate mutating func measured(_ item: SubscriptionsResponse.Item) throws(CloudError)
    -> SubscriptionsResponse.Item
  {
    try add(item.writtenBytes)
    return item
  }
}

extension SubscriptionsResponse.Item {
  fileprivate var writtenBytes: Int { SubscriptionsResponse(subscriptions: [self]).bytes.count }

  /// The outcome that is remembered for a replay.
  fileprivate var reportedOutcome: ReportedOutcome {
    switch self {
    case .subscription: .there
    case .deleted: .gone
    case .failed(_, let error): .failed(error)
    }
  }
}

/// Saves and deletes subscriptions in a transaction.
///
/// Saving an existing identifier replaces the subscription, since clients save theirs at each
/// start. A duplicate of another subscription of the user is rejected, since both would fire for
/// the same changes.
private final class SubscriptionHandler {
  private let call: Call
  private let limits: ServiceLimits
  private let transaction: any StorageWriting
  private let store: SubscriptionStore
  private let schema: SchemaCopy
  /// The subscriptions that were deleted or replaced by another `kind`, as they were before.
  private(set) var ended: [Subscription] = []
  /// The caller's subscriptions, read once for all operations; nil before.
  private var listed: [Listed]?

  /// A subscription, and its size in a list.
  private struct Listed {
    let subscription: Subscription
    let bytes: Int

    init(_ subscription: Subscription) {
      self.subscription = subscription
      bytes = SubscriptionsResponse.Item.subscription(subscription).writtenBytes
    }
  }

  init(_ call: Call, _ server: RecordServer, _ transaction: any StorageWriting) throws {
    self.call = call
    self.transaction = transaction
    limits = server.limits
    store = SubscriptionStore(call)
    schema = try SchemaCopy(of: call.realm, in: transaction, parsed: server.parsedSchemas)
  }

  static func notFound(_ identifier: String) -> CloudError {
    CloudError(
      .notFound,
      "There is no subscription “\(identifier.asNameInSentence)” of the caller to this database."
    )
  }

  /// Throws an error if the caller may not subscribe in the database.
  static func check(_ call: Call) throws(CloudError) {
    let subject: Subject = call.scope == .public ? .publicDatabase : .own(.customZone)
    let permission = Permission.decide(.subscribe, by: call.caller, on: subject)
    if let error = permission.error(
      hiding: CloudError(.accessDenied, "This database is not the caller's."))
    {
      throw error
    }
  }

  static func checkNames(of request: SubscriptionsModifyRequest, _ call: Call) throws(CloudError) {
    guard call.stamp != nil,
      request.operations.contains(where: { $0.subscription.identifier == nil })
    else { return }
    throw CloudError(
      .badRequest,
      "A request with a number must name its subscriptions, since generated names would differ in a replay."
    )
  }

  /// Repeats the outcome of an operation.
  ///
  /// The request contains all properties of its subscription.
  func replay(
    _ reported: ReportedOutcome, of operation: SubscriptionsModifyRequest.Operation,
    identifier: String
  ) throws -> SubscriptionsResponse.Item {
    switch reported {
    case .there:
      .subscription(
        try SubscriptionRules.subscription(
          operation.subscription, identifier: identifier, in: call.scope, caller: call.callerName))
    case .gone: .deleted(identifier)
    case .failed(let error): .failed(identifier, error)
    }
  }

  func item(
    _ operation: SubscriptionsModifyRequest.Operation, identifier: String
  ) throws -> SubscriptionsResponse.Item {
    do {
      let existing = try store.subscription(identifier, of: call.callerName, in: transaction)
      switch operation.kind {
      case .create:
        return .subscription(try save(operation.subscription, identifier, over: existing))
      case .update:
        guard let existing else { throw Self.notFound(identifier) }
        return .subscription(try save(operation.subscription, identifier, over: existing))
      case .delete:
        guard let existing else { throw Self.notFound(identifier) }
        try store.remove(identifier, of: call.callerName, in: transaction)
        listed?.removeAll { $0.subscription.identifier == identifier }
        ended.append(existing)
        return .deleted(identifier)
      }
    } catch let error as CloudError {
      return .failed(identifier, error)
    }
  }

  private func save(
    _ input: SubscriptionInput, _ identifier: String, over existing: Subscription?
  ) throws -> Subscription {
    let subscription = try SubscriptionRules.subscription(
      input, identifier: identifier, in: call.scope, caller: call.callerName)
    try checkKind(subscription.kind)
    let size = SubscriptionEncoding.bytes(subscription).count
    guard size <= limits.subscriptionBytes else {
      throw CloudError(
        .badRequest,
        "The subscription has \(size) bytes; at most \(limits.subscriptionBytes) are allowed.",
        extension: .limitExceeded)
    }
    let (own, others) = (Listed(subscription), try others(than: identifier))
    if existing == nil { try checkRoom(beside: others.count) }
    try checkIsListed(own, over: existing, beside: others)
    try checkIsNoDuplicate(subscription, of: others)
    try store.save(subscription, of: call.callerName, in: transaction)
    listed = others + [own]
    if let existing, existing.kind != subscription.kind { ended.append(existing) }
    return subscription
  }

  private func others(than identifier: String) throws -> [Listed] {
    let all = try listed ?? store.all(of: call.callerName, in: transaction).map { Listed($0) }
    listed = all
    return all.filter { $0.subscription.identifier != identifier }
  }

  /// Throws Apple's code and message, which clients may check, if a subscription is a duplicate.
  private func checkIsNoDuplicate(_ subscription: Subscription, of others: [Listed])
    throws(CloudError)
  {
    guard
      let same = others.first(where: { subscription.firesForTheSame(as: $0.subscription) })
    else { return }
    throw CloudError(
      .internalError,
      "could not find subscription we just created: it is a duplicate of “\(same.subscription.identifier)”, which the caller has already"
    )
  }

  private func checkRoom(beside count: Int) throws(CloudError) {
    guard count < limits.subscriptionsPerDatabase else {
      throw CloudError(
        .quotaExceeded,
        "The user has \(count) subscriptions to the database, which is the maximum. Delete some first.",
        extension: .limitExceeded)
    }
  }

  /// Throws if the list of all subscriptions would exceed a response.
  ///
  /// A single subscription, and a shorter replacement, are always allowed.
  private func checkIsListed(
    _ own: Listed, over existing: Subscription?, beside others: [Listed]
  ) throws(CloudError) {
    let all = own.bytes + others.reduce(0) { $0 + $1.bytes }
    guard all > limits.answerBytes, !others.isEmpty,
      own.bytes > existing.map({ Listed($0).bytes }) ?? 0
    else { return }
    throw CloudError(
      .quotaExceeded,
      "The user's subscriptions to the database would have \(all) bytes in a list; at most \(limits.answerBytes) are allowed (the limit “answer-bytes”). Delete some first.",
      extension: .limitExceeded)
  }

  /// Checks that the caller has access to the zone, and that the query is valid.
  private func checkKind(_ kind: Subscription.Kind) throws {
    switch kind {
    case .query(let query, let zone):
      if let zone { try checkZone(zone) }
      let type = try schema.schema.type(queried: query.recordType, in: call.container.environment)
      for filter in try query.filters(of: type) { try limits.check(filter) }
    case .zone(let zone): try checkZone(zone)
    case .database: break
    }
  }

  private func checkZone(_ zone: RecordZoneIdentifier) throws {
    let access = try ZoneFinder(call: call).find(zone, in: transaction)
    let subject: Subject = access.isPublic ? .publicDatabase : access.subject(of: nil)
    let permission = Permission.decide(.subscribe, by: call.caller, on: subject)
    if let error = permission.error(hiding: ZoneFinder.notFound(zone)) { throw error }
  }
}
