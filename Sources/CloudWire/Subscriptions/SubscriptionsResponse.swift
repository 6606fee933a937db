package import CloudRecords
package import JSONCoding

/// The subscriptions that a request fetched or changed, in the request's order.
package struct SubscriptionsResponse: ClientResponse, Hashable {
  package enum Item: Hashable, Sendable {
    case subscription(Subscription)
    case deleted(String)
    case failed(String, CloudError)
  }

  package var subscriptions: [Item]

  package init(subscriptions: [Item]) { self.subscriptions = subscriptions }

  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("subscriptions")
    writer.beginArray()
    for item in subscriptions {
      switch item {
      case .subscription(let subscription): writer.subscription(subscription)
      case .deleted(let identifier):
        writer.beginObject()
        writer.text("subscriptionID", identifier)
        writer.bool("deleted", true)
        writer.endObject()
      case .failed(let identifier, let error):
        writer.beginObject()
        writer.text("subscriptionID", identifier)
        writer.errorMembers(error)
        writer.endObject()
      }
    }
    writer.endArray()
    writer.endObject()
  }
}

// MARK: - Reading

extension SubscriptionsResponse {
  private enum Key: String, JSONKey {
    case subscriptions
    static let table = JSONKeyTable<Key>()
  }

  private enum DeletedKey: String, JSONKey {
    case subscriptionID, deleted
    static let table = JSONKeyTable<DeletedKey>()
  }

  package init(from reader: inout JSONReader) throws(JSONError) {
    var subscriptions: [Item]?
    var object = try reader.beginObject(Key.self)
    while try reader.nextKey(of: &object) != nil {
      subscriptions = try reader.items { (reader) throws(JSONError) in
        let place = try reader.savedPosition()
        if let name = try Self.deletedName(&reader) { return .deleted(name) }
        return .subscription(
          try reader.read(place) { (reader) throws(JSONError) in try Subscription(answered: &reader)
          })
      } failed: { item, error in
        .failed(item.subscriptionIdentifier ?? "", error)
      }
    }
    guard let subscriptions else { throw reader.missingKey(Key.subscriptions) }
    self.init(subscriptions: subscriptions)
  }

  /// Reads the identifier of a deleted subscription, or nil for an existing one.
  private static func deletedName(_ reader: inout JSONReader) throws(JSONError) -> String? {
    var (name, isDeleted): (String?, Bool) = (nil, false)
    var object = try reader.beginObject(DeletedKey.self)
    while let key = try reader.nextKey(of: &object) {
      switch key {
      case .subscriptionID: name = try reader.optionalText()
      case .deleted: isDeleted = try reader.optionalBool() ?? false
      }
    }
    return isDeleted ? name : nil
  }
}

extension Subscription {
  private enum ErrorKey: String, JSONKey {
    case serverErrorCode
    static let table = JSONKeyTable<ErrorKey>()
  }

  /// Reads a subscription of a response.
  ///
  /// Its kind follows from its type, or from its members if there is no type.
  init(answered reader: inout JSONReader) throws(JSONError) {
    let place = try reader.savedPosition()
    var object = try reader.beginObject(ErrorKey.self)
    while try reader.nextKey(of: &object) != nil { throw reader.itemIsError() }
    let input = try reader.read(place) { (reader) throws(JSONError) in
      try SubscriptionInput(from: &reader)
    }
    guard let identifier = input.identifier else {
      throw reader.invalidValue("the key “subscriptionID” is missing")
    }
    guard let kind = input.kind else {
      throw reader.invalidValue("the subscription listens to nothing that is known")
    }
    self.init(
      identifier: identifier, kind: kind, firesOn: Set(input.firesOn ?? []),
      firesOnce: input.firesOnce,
      notification: input.notification)
  }
}

extension SubscriptionInput {
  /// The kind of the subscription, or nil if members are missing or the type is unknown.
  fileprivate var kind: Subscription.Kind? {
    let zone = zone?.identifier(caller: RecordZoneIdentifier.currentOwnerName)
    switch type?.lowercased() ?? (query != nil ? "query" : zone != nil ? "zone" : "database") {
    case "query":
      guard let query else { return nil }
      let text = query.filters.isEmpty ? nil : queryText
      return .query(SubscriptionQuery(recordType: query.recordType, filters: text), zone: zone)
    case "zone": return zone.map { .zone($0) }
    case "database": return .database
    default: return nil
    }
  }
}
