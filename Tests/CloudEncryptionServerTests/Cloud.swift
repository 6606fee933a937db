import CloudEncryption
import CloudRecords
import CloudWire
import Cryptography
import EncryptionTestSupport
import Foundation
import RecordServer
import RecordStorage
import Synchronization
import Testing

/// The real server on storage in memory, and devices that use it.
final class Cloud: Sendable {
  static let container = ContainerAddress.test

  let server: RecordServer
  let engine = MemoryStorageEngine()
  private let clock = Clock()

  /// Advances the server's clock; the devices' own clocks stand still.
  func pass(seconds: Int64) { clock.milliseconds.withLock { $0 += seconds * 1_000 } }

  private final class Clock: Sendable {
    let milliseconds = Mutex<Int64>(1_700_000_000_000)

    var now: Timestamp { Timestamp(milliseconds: milliseconds.withLock(\.self)) }
  }

  init() {
    let (names, clock) = (Names(), clock)
    let dependencies = ServerDependencies(
      now: { clock.now }, makeName: { names.make() }, limits: ServiceLimits())
    let tickets = AssetTickets(
      secretBytes: [UInt8](repeating: 7, count: 32), dependencies: dependencies)
    server = RecordServer(
      engine: engine, dependencies: dependencies, addresses: tickets, receipts: tickets,
      sealer: ValueSealer(SealingKey(SecretBytes([UInt8](repeating: 9, count: 32)))))
  }

  /// A user's device with its key store.
  func device(
    _ user: String, keeping store: any KeyStore = MemoryKeyStore(),
    randomBytes: @escaping RandomBytes = { SecureRandom.bytes($0) }
  ) async throws -> Device {
    let realm = try await server.makeRealm(of: Self.container)
    let exchange = ServerExchange(server: server, realm: realm, user: user)
    let engine = EncryptionEngine(
      account: EncryptionAccount(container: Self.container, userRecordName: user), store: store,
      exchange: exchange,
      dependencies: EncryptionEngine.Dependencies(
        now: { Timestamp(milliseconds: 1_700_000_000_000) }, randomBytes: randomBytes))
    return Device(user: user, engine: engine, exchange: exchange, store: store)
  }

  /// A device whose user has just got keys.
  func started(_ user: String) async throws -> Device {
    let device = try await device(user)
    _ = try await device.engine.start()
    return device
  }

  /// Whether any of the server's data contains these bytes.
  func knows(_ bytes: [UInt8]) async throws -> Bool {
    let entries = try await engine.read { try $0.entries(in: .all) }
    return entries.contains { Data($0.value).range(of: Data(bytes)) != nil }
  }
}

/// Makes predictable names.
private final class Names: Sendable {
  private let last = Mutex(0)

  func make() -> String {
    let number = last.withLock { last in
      last += 1
      return last
    }
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 32 - digits.count) + digits
  }
}

/// Calls the server in process, and can be made to lie like a hostile server.
final class ServerExchange: KeyBagExchange {
  typealias ForgedAnswer = @Sendable (KeyBagPlace, KeyBagResult) -> KeyBagResult

  let server: RecordServer
  let realm: Realm
  let user: String
  private let forgedAnswer = Mutex<ForgedAnswer?>(nil)
  private let savesLeft = Mutex<Int?>(nil)
  private let meanwhile = Mutex<(@Sendable () async throws -> Void)?>(nil)
  private let counts = Mutex<(lookUps: Int, saves: Int)>((0, 0))
  private let faults = Mutex<[Fault]>([])
  private let sentData = Mutex<[[UInt8]]>([])
  private let held = Mutex<(count: Int, waiting: [CheckedContinuation<Void, Never>])>((0, []))
  private let firstHeld = Mutex<(isThere: Bool, observer: CheckedContinuation<Void, Never>?)>(
    (false, nil))

  /// A fault of one save.
  enum Fault: Sendable, CaseIterable {
    case none
    /// The request does not arrive.
    case lostRequest
    /// The server applies the request, and its answer does not arrive.
    case lostResponse
    /// The answer is lost, and the request is repeated automatically. The server then reports a
    /// conflict.
    case sentTwice
    /// The server does nothing and reports a conflict.
    case falseConflict
  }

  init(server: RecordServer, realm: Realm, user: String) {
    self.server = server
    self.realm = realm
    self.user = user
  }

  var lookUps: Int { counts.withLock(\.lookUps) }
  var saves: Int { counts.withLock(\.saves) }

  /// Makes the network fail after a number of saves.
  func failSaves(after count: Int?) { savesLeft.withLock { $0 = count } }

  /// Runs a block once, after the server has saved a bag and before the device gets the answer.
  func afterSave(_ body: @escaping @Sendable () async throws -> Void) {
    meanwhile.withLock { $0 = body }
  }

  /// Makes the next saves fail in this order.
  func fail(_ next: Fault...) { faults.withLock { $0 += next } }

  /// The private key bags that the device sent, whether or not they arrived.
  var sent: [[UInt8]] { sentData.withLock(\.self) }

  /// Shows a bag at one place instead of the server's.
  func show(_ data: [UInt8], at shown: KeyBagPlace) {
    forgedAnswer { place, result in
      place == shown
        ? .bag(generation: 1, modified: Timestamp(milliseconds: 0), data: data) : result
    }
  }

  /// Holds the answers to lookups until a number of them wait, so that calls overlap.
  func holdLookUps(_ count: Int) { held.withLock { $0.count = count } }

  /// Returns when the first held answer waits.
  func lookUpIsHeld() async {
    await withCheckedContinuation { continuation in
      firstHeld.withLock { first in
        if first.isThere { continuation.resume() } else { first.observer = continuation }
      }
    }
  }

  private func waitForOthers() async {
    await withCheckedContinuation { continuation in
      let ready = held.withLock { held -> [CheckedContinuation<Void, Never>] in
        guard held.count > 0 else { return [continuation] }
        held.waiting.append(continuation)
        firstHeld.withLock { first in
          first.observer?.resume()
          first = (true, nil)
        }
        guard held.waiting.count >= held.count else { return [] }
        defer { held = (0, []) }
        return held.waiting
      }
      for continuation in ready { continuation.resume() }
    }
  }

  func forgedAnswer(_ forgedAnswer: ForgedAnswer?) {
    self.forgedAnswer.withLock { $0 = forgedAnswer }
  }

  func call(_ scope: DatabaseScope) -> Call {
    Call(
      container: Cloud.container, realm: realm, scope: scope, caller: .user(user),
      serverAddress: "https://server")
  }

  func lookUp(_ request: KeyBagsLookupRequest, in database: DatabaseScope) async throws
    -> [KeyBagResult]
  {
    counts.withLock { $0.lookUps += 1 }
    let response = try await server.lookUpKeyBags(request, call(database))
    await waitForOthers()
    let forgedAnswer = forgedAnswer.withLock(\.self)
    return response.items.map { forgedAnswer?($0.place, $0.result) ?? $0.result }
  }

  func modify(_ request: KeyBagsModifyRequest, in database: DatabaseScope) async throws
    -> [KeyBagResult]
  {
    counts.withLock { $0.saves += 1 }
    try savesLeft.withLock { left in
      guard let count = left else { return }
      guard count > 0 else {
        throw CloudError(.tryAgainLater, "The network failed, as the test wants it.")
      }
      left = count - 1
    }
    sentData.withLock { $0 += request.operations.filter { $0.place == .privateUser }.map(\.data) }
    let fault = faults.withLock { $0.isEmpty ? .none : $0.removeFirst() }
    switch fault {
    case .none, .lostResponse: break
    case .sentTwice: _ = try await server.modifyKeyBags(request, call(database))
    case .lostRequest:
      throw CloudError(.tryAgainLater, "The request was lost, as the test wants it.")
    case .falseConflict:
      return request.operations.map { _ in .failed(CloudError(.conflict, "As the test wants it.")) }
    }
    let results = try await server.modifyKeyBags(request, call(database)).items.map(\.result)
    let body = meanwhile.withLock { meanwhile in
      defer { meanwhile = nil }
      return meanwhile
    }
    try await body?()
    if fault == .lostResponse {
      throw CloudError(.tryAgainLater, "The answer was lost, as the test wants it.")
    }
    return results
  }

  /// A bag on the server.
  func data(_ place: KeyBagPlace, in database: DatabaseScope = .private) async throws -> [UInt8]? {
    let response = try await server.lookUpKeyBags(
      KeyBagsLookupRequest(places: [place]), call(database))
    guard case .bag(_, _, let data, _) = response.items[0].result else { return nil }
    return data
  }
}

/// A device: an engine, and record requests of its user.
struct Device: Sendable {
  let user: String
  let engine: EncryptionEngine
  let exchange: ServerExchange
  let store: any KeyStore

  func zone(_ name: String = "Z", owner: String? = nil) -> RecordZoneIdentifier {
    RecordZoneIdentifier(zoneName: name, ownerName: owner ?? user)
  }

  func record(_ name: String = "r", owner: String? = nil) -> RecordIdentifier {
    RecordIdentifier(recordName: name, zone: zone(owner: owner))
  }

  /// Invites people, as a program does, and delivers the keys.
  func deliver(_ scope: KeyScope, to users: Set<String>) async throws -> KeyDelivery {
    try await engine.decide(on: scope, ShareDecisions(inviting: users))
    return try await engine.deliverKeys(of: scope, to: users)
  }

  /// Seals a text as the field `secret` of a record.
  func seal(_ text: String, as record: String = "r", owner: String? = nil, share: String? = nil)
    async throws
    -> CloudRecord
  {
    let identifier = self.record(record, owner: owner)
    let fields: RecordFields = [
      "secret": Field(.string(text), isEncrypted: true), "plain": Field(.int64(1)),
    ]
    return Self.note(identifier, try await seal(fields, of: identifier, share: share).fields)
  }

  /// Seals the fields of a record.
  func seal(
    _ fields: RecordFields, of record: RecordIdentifier, share: String? = nil
  ) async throws -> SealedRecord {
    let toSeal = RecordToSeal(fields, of: record, recordType: "Note", shareName: share)
    return try await engine.seal([toSeal])[0].get()
  }

  static func note(_ identifier: RecordIdentifier, _ fields: RecordFields) -> CloudRecord {
    let stamp = RecordStamp(time: Timestamp(milliseconds: 0), userRecordName: "_x")
    return CloudRecord(
      identifier: identifier, recordType: "Note", changeTag: "1", fields: fields, created: stamp,
      modified: stamp)
  }

  /// The text of `secret`, or the error that stops it from being read.
  func read(_ record: CloudRecord) async -> String {
    do {
      guard case .string(let text)? = try await engine.open(record).fields["secret"]?.value else {
        return "no text"
      }
      return text
    } catch {
      return code(of: error)
    }
  }

  // MARK: Requests

  /// Sends a request with a JSON body.
  func ask(_ scope: DatabaseScope, _ endpoint: Endpoint, _ body: String) async throws -> Tree {
    let answer = await exchange.server.answer(
      to: endpoint, body: Array(body.utf8), exchange.call(scope), requestIdentifier: "request")
    return Tree(value: try JSONSerialization.jsonObject(with: Data(answer.body)))
  }

  func makeZone(_ name: String = "Z") async throws {
    let reply = try await ask(
      .private, .zonesModify,
      #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"\#(name)"}}}]}"#)
    #expect(reply["zones"][0]["syncToken"].text != nil, "\(reply)")
  }

  func deleteZone(_ name: String = "Z") async throws {
    _ = try await ask(
      .private, .zonesModify,
      #"{"operations":[{"operationType":"delete","zone":{"zoneID":{"zoneName":"\#(name)"}}}]}"#)
  }

  /// Carries out operations in the zone Z: each has a type, and the members of the record's JSON.
  func modify(
    in scope: DatabaseScope = .private, owner: String? = nil, _ operations: (String, String)...
  ) async throws
    -> Tree
  {
    let list = operations.map { #"{"operationType":"\#($0.0)","record":{\#($0.1)}}"# }.joined(
      separator: ",")
    let zone = #"{"zoneName":"Z","ownerRecordName":"\#(owner ?? user)"}"#
    return try await ask(scope, .recordsModify, #"{"operations":[\#(list)],"zoneID":\#(zone)}"#)
  }

  /// Saves a sealed record and returns it from the server.
  func sendAndFetch(_ record: CloudRecord) async throws -> CloudRecord {
    let fields = record.fields.map { entry in
      switch entry.field.value {
      case .bytes(let bytes):
        return
          #""\#(entry.name)":{"value":"\#(Data(bytes).base64EncodedString())","type":"ENCRYPTED_BYTES","isEncrypted":true}"#
      default: return #""\#(entry.name)":{"value":1}"#
      }
    }
    let saved = try await modify(
      (
        "forceUpdate",
        #""recordName":"\#(record.identifier.recordName)","recordType":"Note","fields":{\#(fields.joined(separator: ","))}"#
      ))
    #expect(saved["records"][0]["recordChangeTag"].text != nil, "\(saved)")
    return try await fetch(record.identifier.recordName)
  }

  /// A record from the server.
  func fetch(_ name: String, in scope: DatabaseScope = .private, owner: String? = nil) async throws
    -> CloudRecord
  {
    let zone = #"{"zoneName":"Z","ownerRecordName":"\#(owner ?? user)"}"#
    let found = try await ask(
      scope, .recordsLookup, #"{"records":[{"recordName":"\#(name)"}],"zoneID":\#(zone)}"#)
    let secret = found["records"][0]["fields"]["secret"]
    #expect(secret["type"].text == "ENCRYPTED_BYTES", "\(found)")
    let bytes = try #require(Data(base64Encoded: secret["value"].text ?? "-"))
    return Self.note(
      record(name, owner: owner), ["secret": Field(.bytes([UInt8](bytes)), isEncrypted: true)])
  }
}

/// An answer of the server.
struct Tree: CustomStringConvertible {
  let value: Any?

  subscript(key: String) -> Tree { Tree(value: (value as? [String: Any])?[key]) }

  subscript(index: Int) -> Tree {
    let list = value as? [Any] ?? []
    return Tree(value: list.indices.contains(index) ? list[index] : nil)
  }

  var text: String? { value as? String }
  var flag: Bool? { value as? Bool }
  var description: String { value.map { "\($0)" } ?? "nothing" }
}
