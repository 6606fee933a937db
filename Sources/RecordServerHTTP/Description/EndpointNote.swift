import CloudWire

/// The OpenAPI description of an operation on a database.
struct EndpointNote {
  let summary: String
  /// An example of a request's body, or nil if the operation ignores the body.
  let example: String?

  private init(_ summary: String, _ example: String?) {
    self.summary = summary
    self.example = example
  }

  init(of endpoint: Endpoint) {
    self = Self.all[endpoint.rawValue] ?? EndpointNote(endpoint.rawValue, "{}")
  }

  private static let all: [String: EndpointNote] = [
    "records/query": .init(
      "Find records by their fields.",
      #"""
      {"query": {"recordType": "Note", "filterBy": [{"fieldName": "title", "comparator": "BEGINS_WITH",
        "fieldValue": {"value": "Ecl"}}], "sortBy": [{"fieldName": "title", "ascending": true}]}, "resultsLimit": 50}
      """#),
    "records/modify": .init(
      "Create, update, replace and delete records.",
      #"""
      {"operations": [{"operationType": "forceReplace", "record": {"recordName": "first", "recordType": "Note",
        "fields": {"title": {"value": "Eclipse"}, "stars": {"value": 5}}}}], "atomic": false}
      """#),
    "records/lookup": .init(
      "Fetch records by name.", #"{"records": [{"recordName": "first"}]}"#),
    "records/changes": .init(
      "Fetch the changes of one zone.", #"{"zoneID": {"zoneName": "Trips"}}"#),
    "records/resolve": .init(
      "Fetch shares by short name.", #"{"shortGUIDs": [{"value": "0"}]}"#),
    "records/accept": .init("Join shares.", #"{"shortGUIDs": [{"value": "0"}]}"#),
    "records/requestAccess": .init(
      "Request access to shares.", #"{"shortGUIDs": [{"value": "0"}]}"#),
    "zones/list": .init("List the zones of a database.", nil),
    "zones/lookup": .init("Fetch zones by name.", #"{"zones": [{"zoneName": "Trips"}]}"#),
    "zones/modify": .init(
      "Create and delete zones.",
      #"{"operations": [{"operationType": "create", "zone": {"zoneID": {"zoneName": "Trips"}}}]}"#),
    "zones/changes": .init("Fetch the changed zones, for older clients.", "{}"),
    "changes/database": .init("Fetch the changed zones.", "{}"),
    "changes/zone": .init(
      "Fetch the changes of zones.",
      #"{"zones": [{"zoneID": {"zoneName": "Trips"}, "resultsLimit": 50}]}"#),
    "subscriptions/list": .init("List the subscriptions of the user.", nil),
    "subscriptions/lookup": .init(
      "Fetch subscriptions by identifier.",
      #"{"subscriptions": [{"subscriptionID": "notes"}]}"#),
    "subscriptions/modify": .init(
      "Create, update and delete subscriptions.",
      #"""
      {"operations": [{"operationType": "create", "subscription": {"subscriptionID": "notes",
        "subscriptionType": "query", "query": {"recordType": "Note"}, "firesOn": ["create", "update"]}}]}
      """#),
    "users/caller": .init("Fetch the caller.", nil),
    "users/current": .init("Fetch the caller, for older clients.", nil),
    "users/discover": .init(
      "Find discoverable users.", #"{"lookupInfos": [{"emailAddress": "ada@example.com"}]}"#),
    "users/lookup/email": .init(
      "Find users by e-mail address, for older clients.",
      #"{"users": [{"emailAddress": "ada@example.com"}]}"#),
    "users/lookup/id": .init(
      "Find users by record name, for older clients.",
      #"{"users": [{"userRecordName": "_0"}]}"#),
    "users/lookup/contacts": .init(
      "Find users in the caller's address book. This server has none, so it finds no users.", "{}"),
    "assets/upload": .init(
      "Get addresses for uploading files.",
      #"{"tokens": [{"recordType": "Note", "fieldName": "photo"}]}"#),
    "assets/rereference": .init(
      "Use files of records in other records.",
      #"{"assets": [{"recordName": "first", "fieldName": "photo"}]}"#),
    "keyBags/lookup": .init("Fetch sealed keys.", #"{"bags": [{"bagType": "USER_PUBLIC"}]}"#),
    "keyBags/modify": .init(
      "Save sealed keys, and reset zones whose keys were lost.",
      #"""
      {"operations": [{"operationType": "save", "bag": {"bagType": "USER_PUBLIC", "generation": 0, "data": "AAAA"}}]}
      """#),
  ]
}
