import CloudKitClient
import Foundation

/// Shares as people read them in a terminal.
enum ShareText {
  /// A share in one line.
  static func line(_ share: CKShare) -> String {
    let role = share.currentUserParticipant?.role == .owner ? "yours" : "by \(owner(share))"
    let count = share.participants.count - 1
    let people = count == 1 ? "1 person" : "\(count) people"
    let link = share.url?.absoluteString ?? "no link yet"
    let place = "\(isOfZone(share) ? "" : "a record in ")zone \(zone(share))"
    return "\(title(share))  (\(role), \(place), \(people))  \(link)"
  }

  /// A share in full.
  static func lines(_ share: CKShare) -> [String] {
    let isOwner = share.currentUserParticipant?.role == .owner
    let isManager = isOwner || share.currentUserParticipant?.role == .administrator
    var lines = [
      title(share),
      "  zone      \(zone(share))\(isOfZone(share) ? "" : ": one record and its descendants")",
      "  link      \(share.url?.absoluteString ?? "none yet")",
      "  owner     \(isOwner ? "you" : owner(share))",
      "  access    \(access(share.publicPermission))",
    ]
    if isManager {
      lines.append("  requests  \(share.allowsAccessRequests ? "allowed" : "not allowed")")
    }
    let people = share.participants.filter { $0.role != .owner }
    if !people.isEmpty { lines.append("people") }
    for person in people {
      lines.append("  \(who(person.userIdentity))  \(state(person))  [\(person.participantID)]")
      if let url = share.oneTimeURL(for: person.participantID), person.acceptanceStatus == .pending
      {
        lines.append("    \(url.absoluteString)")
      }
    }
    if !share.requesters.isEmpty { lines.append("access requests") }
    for person in share.requesters { lines.append("  \(who(person.userIdentity))") }
    if !share.blockedIdentities.isEmpty { lines.append("blocked") }
    for person in share.blockedIdentities { lines.append("  \(who(person.userIdentity))") }
    return lines.map(plain)
  }

  private static func title(_ share: CKShare) -> String {
    share[CKShare.SystemFieldKey.title] ?? "Untitled share"
  }

  private static func zone(_ share: CKShare) -> String { share.recordID.zoneID.zoneName }

  private static func isOfZone(_ share: CKShare) -> Bool {
    share.recordID.recordName == CKRecordNameZoneWideShare
  }

  private static func owner(_ share: CKShare) -> String {
    name(of: share.owner.userIdentity) ?? "another user"
  }

  private static func access(_ permission: CKShare.ParticipantPermission) -> String {
    switch permission {
    case .readOnly: "everyone with the link may read"
    case .readWrite: "everyone with the link may read and write"
    case .none, .unknown: "invited people only"
    }
  }

  static func name(of identity: CKUserIdentity) -> String? {
    let parts = [identity.nameComponents?.givenName, identity.nameComponents?.familyName]
    let name = parts.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: " ")
    return name.isEmpty ? nil : name
  }

  private static func who(_ identity: CKUserIdentity) -> String {
    let address = identity.lookupInfo?.emailAddress ?? identity.lookupInfo?.phoneNumber
    switch (name(of: identity), address) {
    case (let name?, let address?) where name != address: return "\(name) <\(address)>"
    case (let name?, _): return name
    case (nil, let address?): return address
    case (nil, nil): return identity.userRecordID?.recordName ?? "the first user of this link"
    }
  }

  /// A participant's role, state and permission.
  static func state(_ person: CKShare.Participant) -> String {
    let permission = person.permission == .readWrite ? "may read and write" : "may read"
    let role =
      switch person.role {
      case .administrator: "administrator, "
      case .publicUser: "by the link, "
      default: ""
      }
    let status = person.acceptanceStatus == .accepted ? "takes part" : "invited"
    return "\(role)\(status), \(permission)"
  }

  /// A text without characters that control a terminal: titles and names come from others.
  static func plain(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : $0 }))
  }
}

/// A share in JSON.
struct ShareDocument: Encodable {
  private struct Person: Encodable {
    var identifier: String?
    var name: String?
    var address: String?
    var role: String?
    var permission: String?
    var status: String?
    var oneTimeLink: String?
  }

  private let title: String?
  private let link: String?
  private let zone: String
  private let owner: String
  private let record: String
  private let role: String?
  private let publicPermission: String
  private let allowsAccessRequests: Bool
  private let participants: [Person]
  private let requesters: [Person]
  private let blocked: [Person]

  init(_ share: CKShare) {
    title = share[CKShare.SystemFieldKey.title]
    link = share.url?.absoluteString
    zone = share.recordID.zoneID.zoneName
    owner = share.recordID.zoneID.ownerName
    record = share.recordID.recordName
    role = (share.currentUserParticipant?.role).map { "\($0)" }
    publicPermission = "\(share.publicPermission)"
    allowsAccessRequests = share.allowsAccessRequests
    participants = share.participants.map { person in
      var document = Self.person(person.userIdentity)
      document.identifier = person.participantID
      document.role = "\(person.role)"
      document.permission = "\(person.permission)"
      document.status = "\(person.acceptanceStatus)"
      document.oneTimeLink =
        person.acceptanceStatus == .pending
        ? share.oneTimeURL(for: person.participantID)?.absoluteString : nil
      return document
    }
    requesters = share.requesters.map { Self.person($0.userIdentity) }
    blocked = share.blockedIdentities.map { Self.person($0.userIdentity) }
  }

  private static func person(_ identity: CKUserIdentity) -> Person {
    Person(
      name: ShareText.name(of: identity),
      address: identity.lookupInfo?.emailAddress ?? identity.lookupInfo?.phoneNumber)
  }
}
