import CloudRecords
import CloudWire
import RecordServer
import Testing

/// A zone of Ada's, parts of which she shares with others.
struct SharedZone {
  static let name = "Z"

  let cloud: Cloud
  let ada: Client

  init(_ cloud: Cloud) async throws {
    self.cloud = cloud
    ada = try await cloud.user("_ada")
    try await ada.makeZone(Self.name)
  }

  /// Sends a client's operations as one batch.
  ///
  /// - Parameter knowing: The client's feed token at the time of the request.
  @discardableResult
  func modify(
    by client: Client? = nil, atomic: Bool = true, knowing: String? = nil,
    _ operations: SharedZoneOperation...
  ) async throws -> Reply {
    try await modify(by: client, atomic: atomic, knowing: knowing, operations)
  }

  @discardableResult
  func modify(
    by client: Client? = nil, atomic: Bool = true, knowing: String? = nil,
    _ operations: [SharedZoneOperation]
  ) async throws -> Reply {
    let list = operations.map { #"{"operationType":"\#($0.kind)","record":{\#($0.record)}}"# }
      .joined(separator: ",")
    let since = knowing.map { #","syncToken":"\#($0)""# } ?? ""
    return try await (client ?? ada).ask(
      scope(of: client), .recordsModify,
      #"{"operations":[\#(list)],"zoneID":\#(Client.zoneID(Self.name, "_ada")),"atomic":\#(atomic)\#(since)}"#
    )
  }

  /// A client's records by name, each in short.
  func lookUp(by client: Client? = nil, _ names: String...) async throws -> [String] {
    try await lookUp(by: client, names).records
  }

  func lookUp(by client: Client? = nil, _ names: [String]) async throws -> Reply {
    let list = names.map { #"{"recordName":"\#($0)"}"# }.joined(separator: ",")
    return try await (client ?? ada).ask(
      scope(of: client), .recordsLookup,
      #"{"records":[\#(list)],"zoneID":\#(Client.zoneID(Self.name, "_ada"))}"#)
  }

  /// Shares a tree, and lets users join.
  func share(_ share: String, of root: String, with people: [(Client, String)]) async throws {
    let reply = try await modify(.share(share, of: root, with: people.map { ($0.0.name, $0.1) }))
    let link = try #require(reply["records"][0]["shortGUID"].text, "\(reply)")
    for (client, _) in people { try await accept(link, client) }
  }

  /// Invites a user to an existing share and lets the user join.
  func join(_ share: String, _ client: Client, beside others: [(String, String)] = []) async throws
  {
    let reply = try await modify(.people(others + [(client.name, "READ_ONLY")], of: share))
    try await accept(try #require(reply["records"][0]["shortGUID"].text, "\(reply)"), client)
  }

  /// Opens a share to all users with its link, and lets one join.
  func open(_ share: String, to client: Client) async throws {
    let reply = try await modify(.open(share, "READ_ONLY"))
    try await accept(try #require(reply["records"][0]["shortGUID"].text, "\(reply)"), client)
  }

  func accept(_ link: String, _ client: Client) async throws {
    let reply = try await client.ask(
      .public, .recordsAccept, #"{"shortGUIDs":[{"value":"\#(link)"}]}"#)["results"][0]
    #expect(reply["participantStatus"].text == "ACCEPTED", "\(reply)")
  }

  /// The token at the end of the owner's feed.
  func token() async throws -> String? {
    try await ada.changes(zone: Self.name)["zones"][0]["syncToken"].text
  }

  func scope(of client: Client?) -> DatabaseScope {
    client == nil || client?.name == ada.name ? .private : .shared
  }
}

/// An operation on a record of a shared zone.
struct SharedZoneOperation {
  var kind: String
  var record: String

  /// Saves a record, whether or not it exists; nil keeps its parent.
  static func save(
    _ name: String, under parent: Parent? = nil, _ link: Link? = nil, text: String = ""
  ) -> Self {
    let under = parent.map { #","parent":\#($0.json)"# } ?? ""
    let to = link.map { #","to":\#($0.json)"# } ?? ""
    return Self(
      kind: "forceUpdate",
      record:
        #""recordName":"\#(name)","recordType":"Node","fields":{"t":{"value":"\#(text)"}\#(to)}\#(under)"#
    )
  }

  static func delete(_ name: String) -> Self {
    Self(kind: "forceDelete", record: #""recordName":"\#(name)""#)
  }

  static func share(_ name: String, of root: String, with people: [(String, String)]) -> Self {
    Self(
      kind: "create",
      record:
        #""recordName":"\#(name)","recordType":"cloudkit.share","fields":{},"forRecord":{"recordName":"\#(root)"},\#(participants(people))"#
    )
  }

  /// Sets the permission of all users with a share's link.
  static func open(_ share: String, _ permission: String) -> Self {
    Self(
      kind: "forceUpdate", record: #""recordName":"\#(share)","publicPermission":"\#(permission)""#)
  }

  /// Lets users with a share's link request access.
  static func allowRequests(_ share: String) -> Self {
    Self(kind: "forceUpdate", record: #""recordName":"\#(share)","denyAccessRequests":false"#)
  }

  static func shareZone(with people: [(String, String)]) -> Self {
    Self(
      kind: "create",
      record:
        #""recordName":"cloudkit.zoneshare","recordType":"cloudkit.share","fields":{},\#(participants(people))"#
    )
  }

  /// Sets the participants of a share and their permissions.
  static func people(_ people: [(String, String)], of share: String) -> Self {
    Self(kind: "forceUpdate", record: #""recordName":"\#(share)",\#(participants(people))"#)
  }

  private static func participants(_ people: [(String, String)]) -> String {
    let list = people.map {
      #"{"userIdentity":{"userRecordName":"\#($0.0)"},"type":"USER","permission":"\#($0.1)","acceptanceStatus":"PENDING"}"#
    }
    return #""participants":[\#(list.joined(separator: ","))]"#
  }

  enum Parent {
    case none
    case record(String)

    fileprivate var json: String {
      switch self {
      case .none: "null"
      case .record(let name): #"{"recordName":"\#(name)"}"#
      }
    }
  }

  /// A field that refers to a record.
  struct Link {
    var target: String
    var action: String

    init(to target: String, _ action: String) { (self.target, self.action) = (target, action) }

    fileprivate var json: String { #"{"value":{"recordName":"\#(target)","action":"\#(action)"}}"# }
  }
}

/// A device that follows the shared zone by tokens, in one direction.
struct SharedZoneReader {
  let client: Client
  let zone: SharedZone
  var reverse = false
  private var token: String?
  /// The device's records by name, with version and text.
  private(set) var contents: [String: String] = [:]
  /// The names of records that were reported as gone, with repetitions.
  private(set) var told: [String] = []
  /// The number of times that it had to start over.
  private(set) var beginnings = 0

  init(_ client: Client, _ zone: SharedZone, reverse: Bool = false) {
    (self.client, self.zone, self.reverse) = (client, zone, reverse)
  }

  var names: [String] { contents.keys.sorted() }

  static func content(of record: Reply) -> String { "\(record.record) \(record.field("t") ?? "")" }

  /// The result of reading a page.
  enum Outcome {
    /// There is more to read, or not.
    case more, end
    /// The device has to start over.
    case expired
    /// The zone does not exist for the device.
    case hidden
  }

  /// Reads a page, and returns whether there is more.
  mutating func readOn(limit: Int) async throws -> Bool {
    let outcome = try await readPage(limit: limit)
    return outcome == .more || outcome == .expired
  }

  mutating func readPage(limit: Int) async throws -> Outcome {
    let page = try await client.changes(
      in: zone.scope(of: client), zone: SharedZone.name, owner: "_ada", since: token, limit: limit,
      reverse: reverse)[
        "zones"][0]
    if let code = page["serverErrorCode"].text {
      let isExpired = page["extensionErrorCode"].text == "CHANGE_TOKEN_EXPIRED"
      #expect(code == "ZONE_NOT_FOUND" || (isExpired && token != nil), "\(page)")
      (token, contents) = (nil, [:])
      beginnings += isExpired ? 1 : 0
      return isExpired ? .expired : .hidden
    }
    for record in page["records"].list {
      let name = try #require(record["recordName"].text)
      let isGone = record["deleted"].flag == true
      contents[name] = isGone ? nil : Self.content(of: record)
      if isGone { told.append(name) }
    }
    token = page["syncToken"].text
    #expect(token != nil, "\(page)")
    return page["moreComing"].flag == true ? .more : .end
  }

  /// The names that were reported as gone since the last call.
  mutating func takeTold() -> [String] {
    defer { told = [] }
    return told
  }

  /// Reads everything: the rest of the current listing, and the changes since its start.
  mutating func catchUp(limit: Int = 2) async throws {
    for _ in 0..<2 { while try await readOn(limit: limit) {} }
  }

  /// The state of a new device.
  func anew() async throws -> [String: String] {
    var other = Self(client, zone, reverse: reverse)
    try await other.catchUp(limit: 50)
    #expect(client.name == zone.ada.name || other.told.isEmpty, "\(other.told)")
    return other.contents
  }
}
