internal import Foundation

/// An answer of the honest server, which the hostile one changes.
struct HostileAnswer {
  private var answer: [String: Any]
  let call: HostileCall

  init(answer: [String: Any], call: HostileCall) { (self.answer, self.call) = (answer, call) }

  var bytes: [UInt8]? {
    (try? JSONSerialization.data(withJSONObject: answer)).map { [UInt8]($0) }
  }

  // MARK: Parts

  var bags: [[String: Any]] {
    call.operation == "keyBags/lookup" ? answer["bags"] as? [[String: Any]] ?? [] : []
  }

  /// The records of a lookup, a query or the pages of feeds.
  var records: [[String: Any]] {
    pages.isEmpty
      ? answer["records"] as? [[String: Any]] ?? []
      : pages.flatMap { $0["records"] as? [[String: Any]] ?? [] }
  }

  private var pages: [[String: Any]] {
    call.operation == "changes/zone" ? answer["zones"] as? [[String: Any]] ?? [] : []
  }

  /// The key of a record in `HostileServer.State.versions`: its zone and its name.
  func key(of record: [String: Any]) -> String? {
    guard let name = record["recordName"] as? String else { return nil }
    let zone = record["zoneID"] as? [String: Any]
    let named = zone?["zoneName"] as? String ?? requestedZone
    return "\(named)/\(name)"
  }

  private var requestedZone: String {
    let zone = call.body["zoneID"] as? [String: Any]
    let first = (call.body["zones"] as? [[String: Any]])?.first?["zoneID"] as? [String: Any]
    return (zone ?? first)?["zoneName"] as? String ?? ""
  }

  private mutating func changeRecords(_ change: ([String: Any]) -> [String: Any]?) {
    if pages.isEmpty {
      guard let records = answer["records"] as? [[String: Any]] else { return }
      answer["records"] = records.compactMap(change)
      return
    }
    answer["zones"] = pages.map { page in
      var page = page
      if let records = page["records"] as? [[String: Any]] {
        page["records"] = records.compactMap(change)
      }
      return page
    }
  }

  private mutating func changeBags(_ change: ([String: Any]) -> [String: Any]) {
    answer["bags"] = bags.map(change)
  }

  // MARK: Attacks

  /// The attacks that are possible on this answer.
  func admitted(_ state: HostileServer.State) -> [HostileCloud.Attack] {
    var attacks: [HostileCloud.Attack] = []
    if !bags.isEmpty {
      attacks += [.hideKeys, .damageKeys]
      let hasFormer = bags.contains { (state.bags[HostileServer.place($0, call)]?.count ?? 0) > 1 }
      if hasFormer { attacks.append(.replayKeys) }
      if bags.contains(where: isOfOther) { attacks.append(.forgeKeys) }
    }
    guard isReading else { return attacks }
    if call.operation == "changes/zone", !records.isEmpty { attacks.append(.hideRecord) }
    if records.contains(where: hasSealedField) {
      attacks += [.forgeValue, .damageValue, .removeValue, .omitValue, .moveValue]
      if records.contains(where: { forger(of: $0, state) != nil }) { attacks.append(.impersonate) }
      let hasFormer = records.contains { record in
        (key(of: record).flatMap { state.versions[$0]?.count } ?? 0) > 1
      }
      if hasFormer { attacks += [.replayRecord, .mixVersions] }
    }
    if call.database == "private" {
      if records.contains(where: isShare) { attacks.append(.inventParticipant) }
      let lacksShare = records.contains {
        $0["recordName"] as? String == Self.zoneShare && $0["serverErrorCode"] != nil
      }
      if lacksShare || call.operation == "changes/zone" && !pages.isEmpty {
        attacks.append(.inventShare)
      }
    }
    return attacks
  }

  private static let zoneShare = "cloudkit.zoneshare"

  private var isReading: Bool {
    ["records/lookup", "records/query", "changes/zone"].contains(call.operation)
  }

  /// Whether a key bag has the public keys of another user.
  private func isOfOther(_ bag: [String: Any]) -> Bool {
    bag["bagType"] as? String == "USER_PUBLIC" && bag["userRecordName"] as? String != call.user
  }

  private func isShare(_ record: [String: Any]) -> Bool {
    record["recordType"] as? String == "cloudkit.share"
  }

  private func isSealed(_ field: Any) -> Bool {
    (field as? [String: Any])?["type"] as? String == "ENCRYPTED_BYTES"
  }

  /// Returns the forger that can write values of a record in other users' names.
  private func forger(of record: [String: Any], _ state: HostileServer.State) -> HostileForger? {
    let zone = record["zoneID"] as? [String: Any]
    return state.forgers[zone?["zoneName"] as? String ?? requestedZone]
  }

  private func hasSealedField(_ record: [String: Any]) -> Bool {
    (record["fields"] as? [String: Any])?.values.contains(where: isSealed) ?? false
  }

  mutating func perform(
    _ attack: HostileCloud.Attack, _ server: HostileServer, _ state: inout HostileServer.State
  ) {
    let former = self
    switch attack {
    case .hideKeys:
      changeBags { bag in
        bag.filter { !["data", "generation", "modified", "now"].contains($0.key) }
          .merging(["serverErrorCode": "NOT_FOUND", "reason": "The server says so."]) { $1 }
      }
    case .damageKeys:
      changeBags { former.with($0, "data", Self.damaged($0["data"], &state.chance)) }
    case .replayKeys:
      changeBags { bag in
        former.with(
          bag, "data",
          state.chance.element(of: state.bags[HostileServer.place(bag, former.call)] ?? []))
      }
    case .forgeKeys:
      changeBags { bag in
        guard former.isOfOther(bag), let user = bag["userRecordName"] as? String else { return bag }
        return former.shown(bag, server.publicBag(of: user, &state))
      }
    case .hideRecord:
      let hidden = state.chance.element(of: records).flatMap(former.key)
      changeRecords { former.key(of: $0) == hidden ? nil : $0 }
    case .inventParticipant: changeRecords { former.isShare($0) ? former.withInvented($0) : $0 }
    case .inventShare: inventShare()
    default: changeFields(attack, server, &state)
    }
  }

  private func with(_ part: [String: Any], _ key: String, _ value: Any?) -> [String: Any] {
    guard let value, part[key] != nil else { return part }
    var part = part
    part[key] = value
    return part
  }

  /// The answer for a key bag that exists and has the given data.
  private func shown(_ bag: [String: Any], _ data: String) -> [String: Any] {
    var bag = bag.filter { !["serverErrorCode", "reason"].contains($0.key) }
    bag["data"] = data
    bag["generation"] = bag["generation"] ?? 1
    bag["modified"] = bag["modified"] ?? 0
    return bag
  }

  private static func damaged(_ value: Any?, _ chance: inout HostileChance) -> String? {
    guard let text = value as? String, var data = Data(base64Encoded: text), !data.isEmpty else {
      return nil
    }
    let place = Int.random(in: data.indices, using: &chance)
    data[place] ^= 1 << UInt8.random(in: 0..<8, using: &chance)
    return data.base64EncodedString()
  }

  // MARK: Fields

  private mutating func changeFields(
    _ attack: HostileCloud.Attack, _ server: HostileServer, _ state: inout HostileServer.State
  ) {
    let former = self
    changeRecords { record in
      guard var fields = record["fields"] as? [String: Any], former.hasSealedField(record) else {
        return record
      }
      let versions = former.key(of: record).flatMap { state.versions[$0] } ?? []
      switch attack {
      case .replayRecord:
        fields = state.chance.element(of: versions)?.mapValues(\.value) ?? fields
      case .mixVersions:
        for name in fields.keys.sorted() {
          fields[name] = state.chance.element(of: versions)?[name]?.value ?? fields[name]
        }
      case .moveValue:
        let others = state.versions.sorted { $0.key < $1.key }.flatMap(\.value).flatMap(\.values)
          .filter { former.isSealed($0.value) }.sorted { $0.text < $1.text }
        former.changeSealed(&fields) { _, _ in state.chance.element(of: others)?.value }
      case .forgeValue:
        former.changeSealed(&fields) { _, _ in
          ["value": "forged", "type": "STRING", "isEncrypted": state.chance.isTrue(0.5)]
        }
      case .damageValue:
        former.changeSealed(&fields) { _, field in
          (field as? [String: Any]).map {
            former.with($0, "value", Self.damaged($0["value"], &state.chance))
          }
        }
      case .removeValue: fields = fields.filter { !former.isSealed($0.value) }
      case .omitValue:
        let sealed = fields.filter { former.isSealed($0.value) }.keys.sorted()
        if let name = state.chance.element(of: sealed) { fields[name] = nil }
      case .impersonate:
        guard let forger = former.forger(of: record, state) else { break }
        former.changeSealed(&fields) { name, field in
          guard let field = field as? [String: Any], let text = field["value"] as? String else {
            return nil
          }
          let owner = server.keys(of: HostileCloud.inventedUserRecordName, &state)
          return former.with(
            field, "value",
            forger.forged(text, field: name, of: record, signingWith: owner, &state.chance))
        }
      default: break
      }
      return former.with(record, "fields", fields)
    }
  }

  private func changeSealed(_ fields: inout [String: Any], _ change: (String, Any) -> Any?) {
    for name in fields.keys.sorted() {
      if let field = fields[name], isSealed(field) { fields[name] = change(name, field) ?? field }
    }
  }

  // MARK: Invented people

  /// Shows keys for the person that the server invented.
  ///
  /// - Returns: Whether a device has asked for them.
  mutating func showInvented(_ server: HostileServer, _ state: inout HostileServer.State) -> Bool {
    let former = self
    let invented = HostileCloud.inventedUserRecordName
    guard bags.contains(where: { $0["userRecordName"] as? String == invented }) else {
      return false
    }
    changeBags { bag in
      bag["userRecordName"] as? String == invented
        ? former.shown(bag, server.publicBag(of: invented, &state)) : bag
    }
    return true
  }

  private static var invented: [String: Any] {
    [
      "participantId": "invented", "type": "USER", "permission": "READ_WRITE",
      "acceptanceStatus": "ACCEPTED",
      "userIdentity": ["userRecordName": HostileCloud.inventedUserRecordName],
      "joinProof": Data(repeating: 7, count: 32).base64EncodedString(),
    ]
  }

  private func withInvented(_ share: [String: Any]) -> [String: Any] {
    var share = share
    share["participants"] = (share["participants"] as? [[String: Any]] ?? []) + [Self.invented]
    // A changed record has another tag.
    share["recordChangeTag"] = "\(share["recordChangeTag"] as? String ?? "1")i"
    return share
  }

  private mutating func inventShare() {
    let former = self
    let stamp: [String: Any] = ["timestamp": 0, "userRecordName": call.user, "deviceID": "1"]
    let owner: [String: Any] = [
      "participantId": "owner", "type": "OWNER", "permission": "READ_WRITE",
      "acceptanceStatus": "ACCEPTED", "userIdentity": ["userRecordName": call.user],
    ]
    func share(_ zone: Any?) -> [String: Any] {
      var share: [String: Any] = [
        "recordName": Self.zoneShare, "recordType": "cloudkit.share", "fields": [String: Any](),
        "recordChangeTag": "invented", "created": stamp, "modified": stamp,
        "shortGUID": "invented", "publicPermission": "NONE",
        "participants": [owner, Self.invented], "owner": owner, "currentUserParticipant": owner,
      ]
      if let zone { share["zoneID"] = zone }
      return share
    }
    if pages.isEmpty {
      changeRecords { record in
        record["recordName"] as? String == Self.zoneShare && record["serverErrorCode"] != nil
          ? share(record["zoneID"] ?? former.call.body["zoneID"]) : record
      }
    } else {
      answer["zones"] = pages.map { page in
        var page = page
        let records = (page["records"] as? [[String: Any]] ?? []).filter {
          $0["recordName"] as? String != Self.zoneShare
        }
        if page["serverErrorCode"] == nil { page["records"] = records + [share(page["zoneID"])] }
        return page
      }
    }
  }
}
