import MirrorModel

/// Defects in how a device applies pages of changes.
struct BrokenPages {
  let mutation: Mutation
  let memory: TransportMemory

  /// A zone of a response with the defect.
  ///
  /// - Parameter asked: The request for the zone.
  func changed(_ zone: WireObject, asked: WireObject) -> WireObject {
    var zone = zone
    guard zone["records"] != nil else { return zone }
    let records = zone.list("records")
    switch mutation {
    case .skipPage: if memory.countPage() % 3 == 0 { zone["records"] = [WireObject]() }
    case .hearNothing:
      guard memory.countPage() % 2 == 0, let token = asked.text("syncToken") else { return zone }
      (zone["records"], zone["moreComing"], zone["syncToken"]) = ([WireObject](), false, token)
    case .forgetDeletions: zone["records"] = records.filter(\.isRecord)
    case .replayPage, .returnToFormer:
      let former = memory.exchange(records, of: zone.zoneName).filter(\.isRecord)
      zone["records"] = replayed(former, over: records)
    case .deleteInstead: zone["records"] = Self.deletingLast(records)
    case .loseRecord:
      if let last = records.lastIndex(where: \.isRecord) {
        zone["records"] = Array(records[..<last] + records[(last + 1)...])
      }
    case .forgetPairs:
      zone["records"] = records.filter { $0.text("recordType") != MirrorNames.joinType }
    case .confuseParents: zone["records"] = Self.confusingParents(records)
    default: break
    }
    return zone
  }

  /// A page with records of the page before.
  ///
  /// With `returnToFormer`, former versions get the present tag, as if the server sent them now.
  private func replayed(_ former: [WireObject], over records: [WireObject]) -> [WireObject] {
    let byName = Dictionary(former.map { ($0.recordName, $0) }, uniquingKeysWith: { $1 })
    let present = Set(records.map(\.recordName))
    return records.map { record in
      guard var earlier = byName[record.recordName] else { return record }
      if mutation == .returnToFormer {
        guard record.isRecord else { return record }
        earlier["recordChangeTag"] = record["recordChangeTag"]
      }
      return earlier
    } + former.filter { !present.contains($0.recordName) }
  }

  private static func deletingLast(_ records: [WireObject]) -> [WireObject] {
    guard let last = records.lastIndex(where: \.isRecord) else { return records }
    var records = records
    records[last] = [
      "recordName": records[last].recordName, "recordType": records[last].text("recordType") ?? "",
      "deleted": true,
    ]
    return records
  }

  /// The page with each contribution's parent taken from the next one.
  private static func confusingParents(_ records: [WireObject]) -> [WireObject] {
    let parents = records.filter(\.isRecord).map { $0.fields["CD_parent"] }
    var next = (parents.dropFirst() + parents.prefix(1)).makeIterator()
    return records.map { record in
      guard record.isRecord, let parent = next.next() else { return record }
      var record = record
      record.fields["CD_parent"] = parent
      return record
    }
  }

  /// A value of a response without some fields of its records.
  static func without(_ fields: [String], _ value: Any) -> Any {
    if let list = value as? [Any] { return list.map { without(fields, $0) } }
    guard let object = value as? WireObject else { return value }
    return object.reduce(into: WireObject()) { result, member in
      guard member.key == "fields", let record = member.value as? WireObject else {
        result[member.key] = without(fields, member.value)
        return
      }
      result[member.key] = record.filter { !fields.contains($0.key) }
    }
  }
}

extension Mutation {
  /// Whether it changes pages of changes.
  var changesPages: Bool {
    switch self {
    case .skipPage, .hearNothing, .forgetDeletions, .replayPage, .returnToFormer, .deleteInstead,
      .loseRecord, .forgetPairs, .confuseParents:
      true
    default: false
    }
  }

  /// The fields that it drops from what a device receives.
  var missingFields: [String] {
    switch self {
    case .forgetReferences: ["CD_parent"]
    case .forgetFiles: ["CD_data_ckAsset"]
    case .forgetOrders: ["PH_cards_order"]
    case .forgetClaims: ["CD_member"]
    case .forgetKinds: ["CD_entityName"]
    case .forgetMoves: [MirrorNames.moves]
    default: []
    }
  }
}
