package import CloudRecords
package import JSONCoding

/// `subscriptions/modify`: makes, changes and ends subscriptions.
package struct SubscriptionsModifyRequest: WireRequest, Hashable {
  package struct Operation: Hashable, Sendable {
    package enum Kind: String, JSONKey {
      case create, update, delete
      package static let table = JSONKeyTable<Kind>()
    }

    package var kind: Kind
    package var subscription: SubscriptionInput

    package init(_ kind: Kind, _ subscription: SubscriptionInput) {
      self.kind = kind
      self.subscription = subscription
    }
  }

  package var operations: [Operation]

  package init(operations: [Operation]) { self.operations = operations }

  private enum Key: String, JSONKey {
    case operations
    static let table = JSONKeyTable<Key>()
  }

  package init(from reader: inout JSONReader) throws(JSONError) {
    self.init(
      operations: try reader.list(under: Key.operations) { (reader) throws(JSONError) in try Operation(from: &reader) })
  }
}

extension SubscriptionsModifyRequest.Operation {
  private enum Key: String, JSONKey {
    case operationType, subscription
    static let table = JSONKeyTable<Key>()
  }

  init(from reader: inout JSONReader) throws(JSONError) {
    var (kind, subscription): (Kind?, SubscriptionInput?) = (nil, nil)
    var object = try reader.beginObject(Key.self)
    while let key = try reader.nextKey(of: &object) {
      switch key {
      case .operationType:
        kind = try reader.word(Kind.self)
        if kind == nil { throw reader.invalidValue("expected create, update or delete") }
      case .subscription: subscription = try SubscriptionInput(from: &reader)
      }
    }
    guard let kind else { throw reader.missingKey(Key.operationType) }
    guard let subscription else { throw reader.missingKey(Key.subscription) }
    self.init(kind, subscription)
  }
}

/// `subscriptions/lookup`: tells of subscriptions by their identifiers.
package struct SubscriptionsLookupRequest: WireRequest, Hashable {
  package var identifiers: [String]

  package init(identifiers: [String]) { self.identifiers = identifiers }

  private enum Key: String, JSONKey {
    case subscriptions
    static let table = JSONKeyTable<Key>()
  }

  package init(from reader: inout JSONReader) throws(JSONError) {
    let wanted = try reader.list(under: Key.subscriptions) { (reader) throws(JSONError) in
      try SubscriptionInput(from: &reader)
    }
    self.init(identifiers: wanted.map { $0.identifier ?? "" })
  }
}

/// `subscriptions/list`: tells of all subscriptions.
///
/// The body says nothing.
package struct SubscriptionsListRequest: WireRequest, Hashable {
  package init() {}

  package init(from reader: inout JSONReader) throws(JSONError) { try reader.skip() }
}

package struct SubscriptionsResponse: WireResponse, Hashable {
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
