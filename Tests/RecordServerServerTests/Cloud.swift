import CloudRecords
import CloudWire
import Cryptography
import Foundation
import JSONCoding
import RecordServer
import RecordStorage
import Synchronization
import Testing

/// The real server on storage in memory, with a clock that stands still until it is moved and
/// predictable names.
final class Cloud: Sendable {
  let server: RecordServer
  private let clock = ManualClock()
  let notices = Notices()
  let tickets: AssetTickets

  init(
    container: String = "iCloud.test", limits: ServiceLimits = ServiceLimits(),
    engine: (any StorageEngine)? = nil,
    sealer: ValueSealer = Cloud.sealer, listener: (any ChangeListener)? = nil,
    sendsMail: Bool = false
  ) {
    let names = Mutex(0)
    let clock = clock
    var dependencies = ServerDependencies(
      now: { clock.now },
      makeName: {
        let number = names.withLock { last in
          last += 1
          return last
        }
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 32 - digits.count) + digits
      }, limits: limits)
    if sendsMail { dependencies.mailAdded = {} }
    tickets = AssetTickets(
      secretBytes: [UInt8](repeating: 7, count: 32), dependencies: dependencies)
    server = RecordServer(
      engine: engine ?? MemoryStorageEngine(), dependencies: dependencies, addresses: tickets,
      receipts: tickets,
      sealer: sealer, listener: listener ?? notices)
  }

  /// The sealer of all clouds that have no other.
  static let sealer = ValueSealer(SealingKey(SecretBytes([UInt8](repeating: 9, count: 32))))

  func pass(seconds: Int64) { clock.pass(seconds: seconds) }

  func user(_ name: String, environment: CloudEnvironment = .development) async throws -> Client {
    try await Client(self, .user(name), environment)
  }

  func client(_ caller: Caller, environment: CloudEnvironment = .development) async throws -> Client
  {
    try await Client(self, caller, environment)
  }
}

/// Records the server's change notices.
final class Notices: ChangeListener {
  private let all = Mutex<[ZoneNotice]>([])

  func zonesChanged(_ notices: [ZoneNotice]) { all.withLock { $0 += notices } }

  func listeningChanged(_ change: ListeningChange) {}

  func take() -> [ZoneNotice] {
    all.withLock { all in
      defer { all = [] }
      return all
    }
  }
}

final class ManualClock: Sendable {
  private let time = Mutex<Int64>(1_700_000_000_000)

  var now: Timestamp { Timestamp(milliseconds: time.withLock(\.self)) }

  func pass(seconds: Int64) { time.withLock { $0 += seconds * 1_000 } }
}

/// A caller of the cloud.
struct Client: Sendable {
  let cloud: Cloud
  let caller: Caller
  let container: ContainerAddress
  let realm: Realm
  /// The calling device.
  var deviceToken: String?
  /// The caller's session.
  var session: String?
  /// The number of the next request.
  var stamp: RequestStamp?

  init(_ cloud: Cloud, _ caller: Caller, _ environment: CloudEnvironment) async throws {
    self.cloud = cloud
    self.caller = caller
    container = ContainerAddress(container: "iCloud.test", environment: environment)
    realm = try await cloud.server.makeRealm(of: container)
  }

  var name: String { caller.userRecordName ?? "" }

  /// Sends a request with a JSON body.
  func ask(
    _ scope: DatabaseScope, _ endpoint: Endpoint, _ body: String = "{}", ownClient: Bool = false
  ) async throws -> Reply {
    let call = call(scope, ownClient: ownClient)
    let answer = await cloud.server.answer(
      to: endpoint, body: Array(body.utf8), call, requestIdentifier: "request")
    return Reply(
      status: answer.status, tree: try JSONSerialization.jsonObject(with: Data(answer.body)))
  }

  func call(_ scope: DatabaseScope, ownClient: Bool = false) -> Call {
    var call = Call(
      container: container, realm: realm, scope: scope, caller: caller, session: session,
      isOwnClient: ownClient,
      deviceToken: deviceToken, serverAddress: "https://server")
    call.stamp = stamp
    return call
  }

  func makeZone(_ zone: String) async throws {
    let reply = try await ask(
      .private, .zonesModify,
      #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"\#(zone)"}}}]}"#)
    #expect(reply["zones"][0]["syncToken"].text != nil, "\(reply)")
  }

  /// Sends operations; each has a type and the members of its record.
  func modify(
    in scope: DatabaseScope = .private, zone: String? = nil, owner: String? = nil,
    atomic: Bool? = nil,
    _ operations: (String, String)...
  ) async throws -> Reply {
    let list = operations.map { #"{"operationType":"\#($0.0)","record":{\#($0.1)}}"# }.joined(
      separator: ",")
    let place = zone.map { #","zoneID":\#(Self.zoneID($0, owner))"# } ?? ""
    let whole = atomic.map { #","atomic":\#($0)"# } ?? ""
    return try await ask(scope, .recordsModify, #"{"operations":[\#(list)]\#(place)\#(whole)}"#)
  }

  static func zoneID(_ zone: String, _ owner: String?) -> String {
    let owner = owner.map { #","ownerRecordName":"\#($0)""# } ?? ""
    return #"{"zoneName":"\#(zone)"\#(owner)}"#
  }

  func lookUp(
    in scope: DatabaseScope = .private, zone: String? = nil, owner: String? = nil,
    _ names: String...
  ) async throws -> Reply {
    let list = names.map { #"{"recordName":"\#($0)"}"# }.joined(separator: ",")
    let place = zone.map { #","zoneID":\#(Self.zoneID($0, owner))"# } ?? ""
    return try await ask(scope, .recordsLookup, #"{"records":[\#(list)]\#(place)}"#)
  }

  /// One page of a zone's feed.
  func changes(
    in scope: DatabaseScope = .private, zone: String, owner: String? = nil,
    since token: String? = nil,
    limit: Int? = nil, reverse: Bool? = nil, ownClient: Bool = false
  ) async throws -> Reply {
    let since = token.map { #","syncToken":"\#($0)""# } ?? ""
    let most = limit.map { #","resultsLimit":\#($0)"# } ?? ""
    let order = reverse.map { #","reverse":\#($0)"# } ?? ""
    return try await ask(
      scope, .changesZone,
      #"{"zones":[{"zoneID":\#(Self.zoneID(zone, owner))\#(since)\#(most)\#(order)}]}"#,
      ownClient: ownClient)
  }

  func databaseChanges(in scope: DatabaseScope = .private, since token: String? = nil) async throws
    -> Reply
  {
    try await ask(scope, .changesDatabase, token.map { #"{"syncToken":"\#($0)"}"# } ?? "{}")
  }
}

/// An answer of the server.
struct Reply: CustomStringConvertible {
  var status = 200
  let tree: Any?

  subscript(key: String) -> Reply { Reply(tree: (tree as? [String: Any])?[key]) }

  subscript(index: Int) -> Reply {
    let list = tree as? [Any] ?? []
    return Reply(tree: list.indices.contains(index) ? list[index] : nil)
  }

  var text: String? { tree as? String }
  var number: Double? { (tree as? NSNumber)?.doubleValue }
  var flag: Bool? { tree as? Bool }
  var isThere: Bool { tree != nil }
  var list: [Reply] { (tree as? [Any] ?? []).map { Reply(tree: $0) } }
  var keys: [String] { (tree as? [String: Any] ?? [:]).keys.sorted() }

  /// A summary of each record: its name with its tag, or its error.
  ///
  /// A reply without a list of records, such as an error, is an issue.
  var records: [String] {
    if self["records"].tree as? [Any] == nil { Issue.record("no records in \(self)") }
    return self["records"].list.map(\.record)
  }

  var record: String {
    let name = self["recordName"].text ?? "?"
    if let code = self["serverErrorCode"].text { return "\(name): \(code)" }
    if self["deleted"].flag == true { return "\(name): deleted" }
    return "\(name)@\(self["recordChangeTag"].text ?? "?")"
  }

  /// The value of a record's field as text.
  func field(_ name: String) -> String? {
    let value = self["fields"][name]["value"]
    if let text = value.text { return text }
    return value.tree.map { "\($0)" }
  }

  var description: String { "\(status) \(tree.map { "\($0)" } ?? "nothing")" }
}
