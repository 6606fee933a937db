package import JSONCoding

/// `subscriptions/modify`: creates, changes and deletes subscriptions.
package struct SubscriptionsModifyRequest: DatabaseRequest, Hashable {
  package typealias Response = SubscriptionsResponse
  package static let endpoint = Endpoint.subscriptionsModify

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
      operations: try reader.list(under: Key.operations) { (reader) throws(JSONError) in
        try Operation(from: &reader)
      })
  }

  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("operations")
    writer.beginArray()
    for operation in operations {
      writer.beginObject()
      writer.text("operationType", operation.kind.rawValue)
      writer.key("subscription")
      writer.subscription(operation.subscription)
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
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

/// `subscriptions/lookup`: fetches subscriptions by identifier.
package struct SubscriptionsLookupRequest: DatabaseRequest, Hashable {
  package typealias Response = SubscriptionsResponse
  package static let endpoint = Endpoint.subscriptionsLookup

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

  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("subscriptions")
    writer.beginArray()
    for identifier in identifiers {
      writer.beginObject()
      writer.text("subscriptionID", identifier)
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
  }
}

/// `subscriptions/list`: fetches all subscriptions.
///
/// The body is ignored.
package struct SubscriptionsListRequest: DatabaseRequest, Hashable {
  package typealias Response = SubscriptionsResponse
  package static let endpoint = Endpoint.subscriptionsList
  package static let hasBody = false

  package init() {}

  package init(from reader: inout JSONReader) throws(JSONError) { try reader.skip() }

  package func write(to writer: inout JSONWriter) { writer.emptyObject() }
}
