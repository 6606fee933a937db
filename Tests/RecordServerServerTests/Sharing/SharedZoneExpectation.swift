import CloudRecords
import RecordServer
import Testing

/// The zone's contents as its owner reads it, and the records that the rules let each user see.
struct SharedZoneExpectation {
  private struct Record {
    var content: String
    var parent: String?
    /// The share of the record.
    var share: String?
    var validated: String?
    /// Each user's role in a share; nil for other records.
    var standings: [String: ShareRole]?
    /// Distinguishes a share from a later one of the same name.
    var incarnation: String?
  }

  private var records: [String: Record] = [:]

  init(_ zone: SharedZone) async throws {
    let page = try await zone.ada.changes(zone: SharedZone.name)["zones"][0]
    #expect(page["moreComing"].flag == false)
    for reply in page["records"].list {
      let to = reply["fields"]["to"]["value"]
      let isShare = reply["recordType"].text == "cloudkit.share"
      records[reply["recordName"].text ?? "?"] = Record(
        content: SharedZoneReader.content(of: reply), parent: reply["parent"]["recordName"].text,
        share: isShare ? nil : reply["share"]["recordName"].text,
        validated: to["action"].text == "VALIDATE" ? to["recordName"].text : nil,
        standings: isShare ? Self.standings(reply["participants"]) : nil,
        incarnation: reply["participants"].list.first { $0["type"].text == "OWNER" }?[
          "participantId"
        ].text)
    }
  }

  private static func standings(_ participants: Reply) -> [String: ShareRole] {
    var standings: [String: ShareRole] = [:]
    for one in participants.list where one["type"].text != "OWNER" {
      let permissions: [String: ShareParticipant.Permission] = [
        "NONE": .none, "READ_ONLY": .readOnly, "READ_WRITE": .readWrite,
      ]
      let permission = permissions[one["permission"].text ?? ""] ?? .none
      let isIn = one["acceptanceStatus"].text == "ACCEPTED"
      standings[one["userIdentity"]["userRecordName"].text ?? "?"] =
        isIn ? .participant(.user, permission) : .invited
    }
    return standings
  }

  /// Expects no reference to a missing record.
  func expectWhole(_ comment: String) {
    for (name, record) in records {
      for target in [record.parent, record.share, record.validated].compactMap(\.self) {
        #expect(records[target] != nil, "\(name) refers to the missing \(target), \(comment)")
      }
      let isRooted = name == "cloudkit.zoneshare" || records.values.contains { $0.share == name }
      #expect(record.standings == nil || isRooted, "\(name) has no root, \(comment)")
    }
  }

  func contents(for client: Client) -> [String: String] {
    records.filter { client.name == "_ada" || shows($0.key, to: client) }.mapValues(\.content)
  }

  private func shows(_ name: String, to client: Client) -> Bool {
    let action: Action = records[name]?.standings == nil ? .readRecord : .readShare
    return Permission.decide(action, by: client.caller, on: subject(name, for: client.name))
      == .allowed
  }

  /// The shares in which a user participates.
  func participations(of user: String) -> [String: SharedZoneView.Participation] {
    records.compactMapValues { record in
      guard case .participant(_, let permission)? = record.standings?[user] else { return nil }
      return .init(incarnation: record.incarnation ?? "", showsRecords: permission != .none)
    }
  }

  /// The share by which a user sees each visible record.
  func sharesByRecord(visibleTo client: Client) -> [String: String] {
    var shares: [String: String] = [:]
    for name in records.keys where shows(name, to: client) {
      shares[name] = records["cloudkit.zoneshare"] == nil ? covering(name) : "cloudkit.zoneshare"
    }
    return shares
  }

  private func covering(_ name: String) -> String? {
    if records[name]?.standings != nil { return name }
    var next: String? = name
    while let one = next {
      if let share = records[one]?.share { return share }
      next = records[one]?.parent
    }
    return nil
  }

  private func subject(_ name: String, for user: String) -> Subject {
    if let standings = records[name]?.standings {
      return .others(standings[user] ?? .outsider, .inTree)
    }
    if let whole = records["cloudkit.zoneshare"]?.standings?[user] {
      return .others(whole, .wholeZone)
    }
    var next: String? = name
    while let one = next {
      if let share = records[one]?.share {
        return .others(records[share]?.standings?[user] ?? .outsider, one == name ? .root : .inTree)
      }
      next = records[one]?.parent
    }
    return .others(.participant(.user, .readWrite), .outsideTree)
  }
}
