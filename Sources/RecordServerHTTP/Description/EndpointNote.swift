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
      "Fetch records by their names.", #"{"records": [{"recordName": "first"}]}"#),
    "records/changes": .init(
      "Fetch what changed in one zone.", #"{"zoneID": {"zoneName": "Trips"}}"#),
    "records/resolve": .init(
      "Look at shares by their short names.", #"{"shortGUIDs": [{"value": "0"}]}"#),
    "records/accept": .init("Join shares.", #"{"shortGUIDs": [{"value": "0"}]}"#),
    "records/requestAccess": .init(
      "Ask to be let into shares.", #"{"shortGUIDs": [{"value": "0"}]}"#),
    "zones/list": .init("List the zones of a database.", nil),
    "zones/lookup": .init("Fetch zones by their names.", #"{"zones": [{"zoneName": "Trips"}]}"#),
    "zones/modify": .init(
      "Create and delete zones.",
      #"{"operations": [{"operationType": "create", "zone": {"zoneID": {"zoneName": "Trips"}}}]}"#),
    "zones/changes": .init("Fetch the zones that changed, as older clients do.", "{}"),
    "changes/database": .init("Fetch the zones that changed.", "{}"),
    "changes/zone": .init(
      "Fetch what changed in zones.",
      #"{"zones": [{"zoneID": {"zoneName": "Trips"}, "resultsLimit": 50}]}"#),
    "subscriptions/list": .init("List the subscriptions of the user.", nil),
    "subscriptions/lookup": .init(
      "Fetch subscriptions by their identifiers.",
      #"{"subscriptions": [{"subscriptionID": "notes"}]}"#),
    "subscriptions/modify": .init(
      "Create, update and delete subscriptions.",
      #"""
      {"operations": [{"operationType": "create", "subscription": {"subscriptionID": "notes",
        "subscriptionType": "query", "query": {"recordType": "Note"}, "firesOn": ["create", "update"]}}]}
      """#),
    "users/caller": .init("Tell who the caller is.", nil),
    "users/current": .init("Tell who the caller is, as older clients ask.", nil),
    "users/discover": .init(
      "Find users who can be found.", #"{"lookupInfos": [{"emailAddress": "ada@example.com"}]}"#),
    "users/lookup/email": .init(
      "Find users by their addresses, as older clients do.",
      #"{"users": [{"emailAddress": "ada@example.com"}]}"#),
    "users/lookup/id": .init(
      "Find users by their record names, as older clients do.",
      #"{"users": [{"userRecordName": "_0"}]}"#),
    "users/lookup/contacts": .init("Find users of whom the caller knows; nobody, here.", "{}"),
    "assets/upload": .init(
      "Get addresses to send files to.",
      #"{"tokens": [{"recordType": "Note", "fieldName": "photo"}]}"#),
    "assets/rereference": .init(
      "Use files of records in other records.",
      #"{"assets": [{"recordName": "first", "fieldName": "photo"}]}"#),
    "keyBags/lookup": .init("Fetch sealed keys.", #"{"bags": [{"bagType": "USER_PUBLIC"}]}"#),
    "keyBags/modify": .init(
      "Save sealed keys, and reset zones whose keys are lost.",
      #"""
      {"operations": [{"operationType": "save", "bag": {"bagType": "USER_PUBLIC", "generation": 0, "data": "AAAA"}}]}
      """#),
  ]
}
