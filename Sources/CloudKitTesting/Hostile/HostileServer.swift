internal import CloudEncryption
internal import CloudRecords
internal import CloudTransport
internal import Cryptography
internal import Foundation
internal import Synchronization

/// Decides what the hostile server does, and keeps what it has seen.
final class HostileServer: Sendable {
  typealias Attack = HostileCloud.Attack

  /// The treatment of a request.
  enum Outcome {
    /// The honest server answers, and the answer may be altered.
    case answered
    case replaced(TransportResponse)
    case lost
    case delayed
    case answerLost
  }

  struct State {
    var isHostile = true
    var devices = 0
    var plan: [Attack] = []
    var always: Set<Attack> = []
    var performed: [Attack] = []
    var leaks: Set<HostileCloud.Leak> = []
    var sealed: [String: [HostileCloud.SentField]] = [:]
    var chance: HostileChance
    /// Requests that are performed later.
    var delayed: [(request: TransportRequest, base: any CloudTransport)] = []
    /// The keys that the server has made for people.
    var identities: [String: UserKeys] = [:]
    /// The forgers with the keys of people who help the server, by zone.
    var forgers: [String: HostileForger] = [:]
    /// All versions of key bags, by place.
    var bags: [String: [String]] = [:]
    /// All versions of records' fields, by zone and name, as JSON.
    var versions: [String: [[String: HostileJSON]]] = [:]
  }

  let state: Mutex<State>
  private let container: ContainerAddress
  private let attacks: [Attack]
  private let probability: Double

  init(container: String, seed: UInt64, attacks: [Attack], probability: Double) {
    precondition((0...1).contains(probability), "A probability lies between 0 and 1.")
    self.container = ContainerAddress(container: container, environment: .development)
    self.attacks = attacks
    self.probability = probability
    state = Mutex(State(chance: HostileChance(seed: seed)))
  }

  func learn(_ ring: KeyRing) {
    let forger = HostileForger(ring, in: container)
    state.withLock { $0.forgers[forger.zoneName] = forger }
  }

  // MARK: Deciding

  /// Chooses the attack to perform among the possible ones; nil for none.
  private func chosen(
    among admitted: [Attack], with probability: Double, _ state: inout State
  ) -> Attack? {
    if let next = state.plan.first, admitted.contains(next) {
      state.plan.removeFirst()
      state.performed.append(next)
      return next
    }
    let standing = admitted.first { state.always.contains($0) }
    let possible = admitted.filter(attacks.contains)
    guard
      let attack = standing
        ?? (state.isHostile && state.plan.isEmpty && !possible.isEmpty
          && state.chance.isTrue(probability) ? state.chance.element(of: possible) : nil)
    else { return nil }
    state.performed.append(attack)
    return attack
  }

  func outcome(of call: HostileCall) -> Outcome {
    state.withLock { state in
      var admitted: [Attack] = [.loseRequest, .failAfterDelivery, .delayRequest, .refuse]
      let isOfZone = ["records/", "changes/zone", "keyBags/"].contains {
        call.operation.hasPrefix($0)
      }
      if isOfZone, call.database != "public" { admitted += [.deleteZone, .resetZone] }
      // Failures are rarer than altered answers, because few flows complete on a server that fails.
      guard let attack = chosen(among: admitted, with: probability / 4, &state) else {
        return .answered
      }
      switch attack {
      case .loseRequest: return .lost
      case .failAfterDelivery: return .answerLost
      case .delayRequest: return .delayed
      case .deleteZone: return .replaced(Self.refusal("ZONE_NOT_FOUND", 404, "USER_DELETED_ZONE"))
      case .resetZone:
        return .replaced(Self.refusal("ZONE_NOT_FOUND", 404, "ENCRYPTED_DATA_RESET"))
      default: return .replaced(Self.refusal("TRY_AGAIN_LATER", 503))
      }
    }
  }

  private static func refusal(_ code: String, _ status: Int, _ details: String? = nil)
    -> TransportResponse
  {
    let more = details.map { #","extensionErrorCode":"\#($0)""# } ?? ""
    let body = #"{"serverErrorCode":"\#(code)","reason":"The server says so."\#(more)}"#
    return TransportResponse(
      status: status, headers: [("Content-Type", "application/json")], body: Array(body.utf8))
  }

  func delay(_ request: TransportRequest, by base: any CloudTransport) {
    state.withLock { $0.delayed.append((request, base)) }
  }

  /// The delayed requests that arrive now: half of them, so that their order changes.
  func takeDelayed() -> [(request: TransportRequest, base: any CloudTransport)] {
    state.withLock { state in
      var now: [(request: TransportRequest, base: any CloudTransport)] = []
      var later = now
      for request in state.delayed {
        if state.chance.isTrue(0.5) { now.append(request) } else { later.append(request) }
      }
      state.delayed = later
      return now.reversed()
    }
  }

  // MARK: Watching

  /// Records what a device sends.
  func note(_ call: HostileCall) {
    state.withLock { state in
      let operations = call.body["operations"] as? [[String: Any]] ?? []
      for operation in operations {
        if let bag = operation["bag"] as? [String: Any], let text = bag["data"] as? String {
          noteBag(bag, text, call, &state)
        }
        if let record = operation["record"] as? [String: Any],
          let name = record["recordName"] as? String
        {
          noteFields(record, name, call, &state)
        }
      }
    }
  }

  private func noteBag(
    _ bag: [String: Any], _ text: String, _ call: HostileCall, _ state: inout State
  ) {
    state.bags[Self.place(bag, call), default: []].append(text)
    guard let data = Data(base64Encoded: text) else { return }
    for (name, keys) in state.identities
    where data.range(of: Data(keys.identity.signingKey.bytes)) != nil {
      state.leaks.insert(
        HostileCloud.Leak(
          giver: call.user, userRecordName: name,
          isInvented: name == HostileCloud.inventedUserRecordName))
    }
  }

  private func noteFields(
    _ record: [String: Any], _ name: String, _ call: HostileCall, _ state: inout State
  ) {
    for (field, value) in record["fields"] as? [String: [String: Any]] ?? [:] {
      guard value["isEncrypted"] as? Bool == true || value["type"] as? String == "ENCRYPTED_BYTES",
        let text = value["value"] as? String, let bytes = Data(base64Encoded: text)
      else { continue }
      state.sealed[name, default: []].append(
        HostileCloud.SentField(
          user: call.user, device: call.device, recordType: record["recordType"] as? String ?? "",
          field: field,
          bytes: [UInt8](bytes)))
    }
  }

  static func place(_ bag: [String: Any], _ call: HostileCall) -> String {
    let zone = bag["zoneID"] as? [String: Any]
    let owner = zone?["ownerRecordName"] as? String ?? call.user
    let type = bag["bagType"] as? String ?? ""
    let user = type.hasPrefix("USER") ? bag["userRecordName"] as? String ?? call.user : owner
    let parts = [
      type, user, zone?["zoneName"] as? String ?? "", bag["shareName"] as? String ?? "",
    ]
    return parts.joined(separator: "/")
  }

  // MARK: Altering answers

  /// The answer that the device gets instead of the honest one; nil for the honest one.
  func altered(_ body: [UInt8], of call: HostileCall) -> [UInt8]? {
    guard
      let answer = (try? JSONSerialization.jsonObject(with: Data(body))) as? [String: Any]
    else { return nil }
    return state.withLock { state in
      var changed = HostileAnswer(answer: answer, call: call)
      learn(changed, &state)
      let admitted = changed.admitted(state)
      guard let attack = chosen(among: admitted, with: probability, &state) else {
        // An invented person has keys whenever a device asks.
        return changed.showInvented(self, &state) ? changed.bytes : nil
      }
      changed.perform(attack, self, &state)
      _ = changed.showInvented(self, &state)
      return changed.bytes
    }
  }

  private func learn(_ answer: HostileAnswer, _ state: inout State) {
    for bag in answer.bags {
      guard let text = bag["data"] as? String else { continue }
      let place = Self.place(bag, answer.call)
      if state.bags[place]?.contains(text) != true { state.bags[place, default: []].append(text) }
    }
    for record in answer.records {
      guard let fields = record["fields"] as? [String: Any], let name = answer.key(of: record)
      else { continue }
      let version = fields.compactMapValues { HostileJSON($0) }
      if state.versions[name]?.contains(version) != true {
        state.versions[name, default: []].append(version)
      }
    }
  }

  /// The public bag of keys that the server has made for a person.
  func publicBag(of user: String, _ state: inout State) -> String {
    Data(keys(of: user, &state).publicBag(in: container)).base64EncodedString()
  }

  /// The keys that the server makes for a person.
  func keys(of user: String, _ state: inout State) -> UserKeys {
    let keys =
      state.identities[user]
      ?? UserKeys(SecretBytes(state.chance.bytes(32)), userRecordName: user)
    state.identities[user] = keys
    return keys
  }
}

/// A JSON value that can be compared.
struct HostileJSON: Hashable, Sendable {
  let text: String

  init?(_ value: Any) {
    guard
      let data = try? JSONSerialization.data(
        withJSONObject: value, options: [.sortedKeys, .fragmentsAllowed])
    else { return nil }
    text = String(decoding: data, as: UTF8.self)
  }

  var value: Any {
    (try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed))
      ?? NSNull()
  }
}

/// Random choices that a seed determines.
struct HostileChance: RandomNumberGenerator, Sendable {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func isTrue(_ probability: Double) -> Bool {
    Double.random(in: 0..<1, using: &self) < probability
  }

  mutating func element<Element>(of list: [Element]) -> Element? {
    list.randomElement(using: &self)
  }

  mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) }
  }
}
