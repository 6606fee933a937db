import CloudRecords
import CloudWire
import RecordServer
import Testing

/// The maximum numbers of items in a request.
@Suite struct `Large requests` {
  /// A request that names a number of items of one kind.
  struct Kind: Sendable, CustomTestStringConvertible {
    let endpoint: Endpoint
    let scope: DatabaseScope
    let what: String
    let body: @Sendable (Int) -> String

    init(
      _ endpoint: Endpoint, _ scope: DatabaseScope = .private, names what: String, in list: String,
      _ item: @escaping @Sendable (Int) -> String
    ) {
      (self.endpoint, self.scope, self.what) = (endpoint, scope, what)
      body = { count in #"{"\#(list)":[\#((0..<count).map(item).joined(separator: ","))]}"# }
    }

    var testDescription: String { "\(endpoint): \(what)" }
  }

  private static func query(_ count: Int, _ list: String, _ item: String) -> String {
    #"{"query":{"recordType":"Note","\#(list)":[\#(Array(repeating: item, count: count).joined(separator: ","))]}}"#
  }

  static let kinds: [Kind] = [
    Kind(.changesZone, names: "zones", in: "zones") { _ in #"{"zoneID":{"zoneName":"Z"}}"# },
    Kind(.zonesLookup, names: "zones", in: "zones") { #"{"zoneName":"Z\#($0)"}"# },
    Kind(.zonesModify, names: "zones", in: "operations") {
      #"{"operationType":"create","zone":{"zoneID":{"zoneName":"Z\#($0)"}}}"#
    },
    Kind(.usersDiscover, names: "users", in: "lookupInfos") { #"{"userRecordName":"_\#($0)"}"# },
    Kind(.usersLookupEmail, names: "users", in: "users") {
      #"{"emailAddress":"\#($0)@example.com"}"#
    },
    Kind(.usersLookupIdentifier, names: "users", in: "users") { #"{"userRecordName":"_\#($0)"}"# },
    Kind(.recordsLookup, names: "records", in: "records") { #"{"recordName":"\#($0)"}"# },
    Kind(.recordsResolve, .public, names: "shares", in: "shortGUIDs") { #"{"value":"\#($0)"}"# },
    Kind(.recordsAccept, .public, names: "shares", in: "shortGUIDs") { #"{"value":"\#($0)"}"# },
    Kind(.recordsRequestAccess, .public, names: "shares", in: "shortGUIDs") {
      #"{"value":"\#($0)"}"#
    },
    Kind(.keyBagsLookup, names: "key bags", in: "bags") {
      #"{"bagType":"USER_PUBLIC","userRecordName":"_\#($0)"}"#
    },
    Kind(.subscriptionsLookup, names: "subscriptions", in: "subscriptions") {
      #"{"subscriptionID":"\#($0)"}"#
    },
    Kind(.subscriptionsModify, names: "subscriptions", in: "operations") {
      #"{"operationType":"delete","subscription":{"subscriptionID":"\#($0)"}}"#
    },
    Kind(.assetsUpload, names: "uploads", in: "tokens") {
      #"{"recordType":"Note","recordName":"\#($0)","fieldName":"file"}"#
    },
    Kind(.assetsRereference, names: "fields", in: "assets") {
      #"{"recordName":"\#($0)","fieldName":"file"}"#
    },
  ]

  @Test(arguments: kinds)
  func `A request with too many items is rejected with the limit`(kind: Kind) async throws {
    var limits = ServiceLimits()
    limits.operationsPerRequest = 3
    limits.recordsPerResponse = 3
    let ada = try await Cloud(limits: limits).user("_ada")
    let fits = try await ada.ask(kind.scope, kind.endpoint, kind.body(3))
    #expect(fits["extensionErrorCode"].text != "LIMIT_EXCEEDED", "\(fits)")
    let refused = try await ada.ask(kind.scope, kind.endpoint, kind.body(4))
    #expect(refused.status == 400 && refused["serverErrorCode"].text == "BAD_REQUEST", "\(refused)")
    #expect(refused["extensionErrorCode"].text == "LIMIT_EXCEEDED")
    let reason = try #require(refused["reason"].text)
    #expect(reason.contains("4 \(kind.what); at most 3 are allowed (the limit “"), "\(reason)")
  }

  @Test(arguments: [
    (
      "filterBy", "filters",
      #"{"fieldName":"title","comparator":"EQUALS","fieldValue":{"value":"x"}}"#
    ),
    ("sortBy", "sorts", #"{"fieldName":"title"}"#),
  ])
  func `A query with too many filters or sorts is rejected with the limit`(
    list: String, what: String, item: String
  ) async throws {
    var limits = ServiceLimits()
    limits.operationsPerRequest = 3
    let ada = try await Cloud(limits: limits).user("_ada")
    _ = try await ada.modify(
      ("create", #""recordName":"a","recordType":"Note","fields":{"title":{"value":"x"}}"#))
    #expect(
      try await ada.ask(.private, .recordsQuery, Self.query(3, list, item)).records == ["a@1"])
    let refused = try await ada.ask(.private, .recordsQuery, Self.query(4, list, item))
    #expect(refused["extensionErrorCode"].text == "LIMIT_EXCEEDED")
    #expect(
      refused["reason"].text?.contains("4 \(what); at most 3 are allowed") == true, "\(refused)")
  }

  /// Values for the whole request are prepared once, not for each item.
  @Test func `A request for many fields of each record is answered`() async throws {
    let ada = try await Cloud().user("_ada")
    try await ada.makeZone("Z")
    let keys = (0..<10_000).map { #""field\#($0)""# }.joined(separator: ",")
    let save = (0..<200).map {
      #"{"operationType":"create","record":{"recordName":"r\#($0)","recordType":"Note","fields":{"field1":{"value":1},"other":{"value":2}}}}"#
    }.joined(separator: ",")
    let zone = #""zoneID":{"zoneName":"Z"}"#
    let saved = try await ada.ask(
      .private, .recordsModify, #"{"operations":[\#(save)],\#(zone),"desiredKeys":[\#(keys)]}"#)
    let names = (0..<200).map { #"{"recordName":"r\#($0)"}"# }.joined(separator: ",")
    let found = try await ada.ask(
      .private, .recordsLookup, #"{"records":[\#(names)],\#(zone),"desiredKeys":[\#(keys)]}"#)
    for reply in [saved, found] {
      #expect(reply["records"].list.count == 200)
      #expect(reply["records"].list.allSatisfy { $0["fields"].keys == ["field1"] })
    }
  }
}
