import CloudRecords
package import JSONCoding

extension SharesResponse {
  private enum Key: String, JSONKey {
    case results
    static let table = JSONKeyTable<Key>()
  }

  package init(from reader: inout JSONReader) throws(JSONError) {
    var results: [Item]?
    var object = try reader.beginObject(Key.self)
    while try reader.nextKey(of: &object) != nil {
      results = try reader.items { (reader) throws(JSONError) in
        var members = ShareMembers()
        try members.read(&reader)
        return .share(try members.metadata(&reader))
      } failed: { item, error in
        .failed(shortIdentifier: item.shortIdentifier ?? "", error)
      }
    }
    guard let results else { throw reader.missingKey(Key.results) }
    self.init(results: results)
  }
}

/// The members of a share in a response.
private struct ShareMembers {
  private var shortIdentifier: String?
  private var container: String?
  private var environment: CloudEnvironment?
  private var scope = DatabaseScope.shared
  private var zone: RecordZoneIdentifier?
  private var share: JSONReader.SavedPosition?
  private var rootName: String?
  private var root: JSONReader.SavedPosition?
  private var owner = UserIdentity()
  private var role = ShareParticipant.Role.user
  private var acceptance: ShareParticipant.Acceptance? = .invited
  private var permission = ShareParticipant.Permission.none
  private var potentialMatches: [ShareParticipant] = []
  private var webpageURL: String?

  private enum Key: String, JSONKey {
    case shortGUID, containerIdentifier, environment, databaseScope, zoneID, share, rootRecordName,
      rootRecord
    case ownerIdentity, participantType, participantStatus, participantPermission,
      potentialMatchList, webpageURL
    case serverErrorCode
    static let table = JSONKeyTable<Key>()
  }

  mutating func read(_ reader: inout JSONReader) throws(JSONError) {
    var object = try reader.beginObject(Key.self)
    while let key = try reader.nextKey(of: &object) {
      switch key {
      case .shortGUID: shortIdentifier = try ShareLookup(from: &reader).shortIdentifier
      case .containerIdentifier: container = try reader.string()
      case .environment:
        environment = try reader.word("an environment") {
          CloudEnvironment(rawValue: $0.lowercased())
        }
      case .databaseScope:
        scope =
          try reader.word("a database's scope") { DatabaseScope(name: $0.lowercased()) } ?? scope
      case .zoneID: zone = try RecordZoneIdentifier(answered: &reader)
      case .share: share = try reader.skipForLater()
      case .rootRecordName: rootName = try reader.optionalText()
      case .rootRecord: root = try reader.null() ? nil : reader.skipForLater()
      case .webpageURL: webpageURL = try reader.optionalText()
      case .ownerIdentity: owner = try reader.optionalIdentity() ?? owner
      case .participantType, .participantStatus, .participantPermission, .potentialMatchList:
        try readOwnPart(key, &reader)
      case .serverErrorCode: throw reader.itemIsError()
      }
    }
  }

  /// Reads the caller's own participation in the share.
  private mutating func readOwnPart(_ key: Key, _ reader: inout JSONReader) throws(JSONError) {
    switch key {
    case .participantType:
      role = try reader.word("a type", isTolerant: true, ShareParticipant.Role.init(name:)) ?? role
    case .participantStatus:
      let word = try reader.optionalText()
      acceptance =
        word == ShareMetadata.notInvited
        ? nil : word.flatMap(ShareParticipant.Acceptance.init(name:)) ?? acceptance
    case .participantPermission:
      permission =
        try reader.word("a permission", isTolerant: true, ShareParticipant.Permission.init(name:))
        ?? permission
    default:
      potentialMatches =
        try reader.optional { (reader) throws(JSONError) in
          try reader.list { (reader) throws(JSONError) in try Self.match(&reader) }
        } ?? []
    }
  }

  private enum MatchKey: String, JSONKey {
    case participantId, contactInformation
    static let table = JSONKeyTable<MatchKey>()
  }

  /// Reads an invitation that may be the caller's, with the visible part of its address.
  private static func match(_ reader: inout JSONReader) throws(JSONError) -> ShareParticipant {
    var identifier = ""
    var identity = UserIdentity()
    var object = try reader.beginObject(MatchKey.self)
    while let key = try reader.nextKey(of: &object) {
      switch key {
      case .participantId: identifier = try reader.optionalText() ?? ""
      case .contactInformation:
        identity.lookupInfo = try reader.optionalText().map {
          $0.contains("@") ? .emailAddress($0) : .phoneNumber($0)
        }
      }
    }
    return ShareParticipant(
      identifier: identifier, identity: identity, role: .user, permission: .none,
      acceptance: .invited)
  }

  func metadata(_ reader: inout JSONReader) throws(JSONError) -> ShareMetadata {
    guard let shortIdentifier else { throw reader.missingKey(Key.shortGUID) }
    guard let container else { throw reader.missingKey(Key.containerIdentifier) }
    guard let environment else { throw reader.missingKey(Key.environment) }
    guard let zone else { throw reader.missingKey(Key.zoneID) }
    guard let share else { throw reader.missingKey(Key.share) }
    let shown = try Self.record(share, in: zone, &reader)
    var shownRoot: VisibleRecord?
    if let root { shownRoot = try Self.record(root, in: zone, &reader) }
    // A share of a whole zone has no root, so the root's name is the share's own.
    let isOfZone = rootName == shown.record.identifier.recordName
    return ShareMetadata(
      shortIdentifier: shortIdentifier,
      container: ContainerAddress(container: container, environment: environment),
      scope: scope, zone: zone, share: shown, rootName: isOfZone ? nil : rootName, root: shownRoot,
      owner: owner,
      role: role, acceptance: acceptance, permission: permission,
      potentialMatches: potentialMatches,
      webpageURL: webpageURL)
  }

  private static func record(
    _ place: JSONReader.SavedPosition, in zone: RecordZoneIdentifier, _ reader: inout JSONReader
  ) throws(JSONError) -> VisibleRecord {
    try reader.read(place) { (reader) throws(JSONError) in
      try VisibleRecord(answered: &reader, in: zone)
    }
  }
}
