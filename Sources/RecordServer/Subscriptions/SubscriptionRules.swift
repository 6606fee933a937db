import CloudRecords
import CloudSchema
import CloudWire
import JSONCoding

/// Validates subscriptions without the storage.
enum SubscriptionRules {
  /// Creates the subscription for a client's input.
  ///
  /// - Parameter identifier: Its identifier, generated if the client gave none.
  static func subscription(
    _ input: SubscriptionInput, identifier: String, in scope: DatabaseScope, caller: String
  ) throws(CloudError) -> Subscription {
    if let defect = CloudName.subscriptionIdentifier.defect(in: identifier) {
      throw CloudError(
        .badRequest, "The subscriptionID “\(identifier.asNameInSentence)” \(defect).")
    }
    guard let type = input.type else {
      throw CloudError(
        .badRequest,
        "The subscription “\(identifier)” needs a subscriptionType: query, zone or database.")
    }
    var subscription = Subscription(
      identifier: identifier, kind: .database, notification: input.notification)
    switch type.lowercased() {
    case "query":
      subscription.kind = try query(input, identifier, in: scope, caller)
      subscription.firesOn = Set(input.firesOn ?? [])
      subscription.firesOnce = input.firesOnce
      guard !subscription.firesOn.isEmpty else {
        throw CloudError(
          .badRequest,
          "The query subscription “\(identifier)” needs firesOn: one or more of create, update, delete."
        )
      }
    case "zone":
      try refuseInPublic("zone", scope)
      guard let zone = input.zone else {
        throw CloudError(.badRequest, "The zone subscription “\(identifier)” needs a zoneID.")
      }
      subscription.kind = .zone(zone.identifier(caller: caller))
    case "database": try refuseInPublic("database", scope)
    default:
      throw CloudError(
        .badRequest,
        "There is no subscriptionType “\(type.cut(toBytes: 64))”. The types are query, zone and database."
      )
    }
    return subscription
  }

  private static func refuseInPublic(_ kind: String, _ scope: DatabaseScope) throws(CloudError) {
    guard scope == .public else { return }
    throw CloudError(
      .badRequest,
      "The public database has query subscriptions only, since its zone has no feed; this is a \(kind) one."
    )
  }

  /// The kind of a query subscription.
  ///
  /// An explicit zone takes precedence over `zoneWide`, which is true by default.
  private static func query(
    _ input: SubscriptionInput, _ identifier: String, in scope: DatabaseScope, _ caller: String
  ) throws(CloudError) -> Subscription.Kind {
    guard let query = input.query else {
      throw CloudError(.badRequest, "The query subscription “\(identifier)” needs a query.")
    }
    if let defect = CloudName.recordType.defect(in: query.recordType) {
      throw CloudError(
        .badRequest, "The record type “\(query.recordType.asNameInSentence)” \(defect).")
    }
    let kept = SubscriptionQuery(
      recordType: query.recordType, filters: query.filters.isEmpty ? nil : input.queryText)
    if let zone = input.zone { return .query(kept, zone: zone.identifier(caller: caller)) }
    if input.zoneWide ?? true { return .query(kept, zone: nil) }
    guard scope != .shared else {
      throw CloudError(
        .badRequest,
        "The shared database has no default zone. Name a zone in the subscription “\(identifier)”.")
    }
    return .query(kept, zone: ZoneReference().identifier(caller: caller))
  }
}

extension Subscription {
  /// Whether both are query subscriptions that always fire together.
  func firesForTheSame(as other: Subscription) -> Bool {
    guard case .query = kind else { return false }
    return kind == other.kind && firesOn == other.firesOn && firesOnce == other.firesOnce
  }
}

extension SubscriptionQuery {
  /// The filters, prepared for matching.
  ///
  /// - Throws: The error of an invalid filter, as for a query.
  func filters(of type: RecordTypeDefinition) throws(CloudError) -> [RecordFilter] {
    guard let filters else { return [] }
    var ready: [RecordFilter] = []
    for filter in try WrittenQuery(body: filters).query.filters {
      ready.append(try RecordFilter(filter, type: type))
    }
    return ready
  }

  /// A query, decoded from the text that the subscription keeps.
  private struct WrittenQuery: WireRequest {
    var query: QueryInput

    init(from reader: inout JSONReader) throws(JSONError) { query = try QueryInput(from: &reader) }
  }
}
