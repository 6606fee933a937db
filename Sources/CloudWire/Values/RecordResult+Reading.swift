import CloudRecords
import JSONCoding

extension RecordResult {
  /// Reads the results of records in a response.
  ///
  /// - Parameter zone: The zone of records that name none.
  static func list(
    _ reader: inout JSONReader, in zone: RecordZoneIdentifier = .ownDefaultZone
  ) throws(JSONError) -> [RecordResult] {
    try reader.items { (reader) throws(JSONError) in
      var members = RecordMembers()
      try members.read(&reader)
      return try members.result(&reader, in: zone)
    } failed: { item, error in
      .failed(recordName: item.recordName ?? "", error)
    }
  }
}

extension RecordZoneIdentifier {
  /// The caller's default zone, for responses that name no zone.
  static let ownDefaultZone = RecordZoneIdentifier(
    zoneName: defaultZoneName, ownerName: currentOwnerName)
}

extension VisibleRecord {
  /// Reads a record that is alone in a response.
  init(answered reader: inout JSONReader, in zone: RecordZoneIdentifier) throws(JSONError) {
    var members = RecordMembers()
    try members.read(&reader)
    self = try members.record(&reader, in: zone)
  }
}

/// The members of a record in a response.
private struct RecordMembers {
  private var recordName: String?
  private var recordType: String?
  private var changeTag = ""
  private var fields = RecordFields()
  private var created: RecordStamp?
  private var modified: RecordStamp?
  private var isDeleted = false
  private var zone: RecordZoneIdentifier?
  private var parentName: String?
  private var shareName: String?
  private var shortIdentifier: String?
  private var share = ShareMembers()

  private enum Key: String, JSONKey {
    case recordName, recordType, recordChangeTag, fields, created, modified, deleted, zoneID,
      parent, share, shortGUID
    case publicPermission, participants, owner, currentUserParticipant, forRecord, shareURL,
      serverErrorCode
    case denyAccessRequests, requesters, blocked
    static let table = JSONKeyTable<Key>()
  }

  mutating func read(_ reader: inout JSONReader) throws(JSONError) {
    var object = try reader.beginObject(Key.self)
    while let key = try reader.nextKey(of: &object) {
      switch key {
      case .recordName: recordName = try reader.string()
      case .recordType: recordType = try reader.optionalText()
      case .recordChangeTag: changeTag = try reader.optionalText() ?? ""
      case .fields: fields = try RecordFields(answered: &reader)
      case .created: created = try Self.stamp(&reader)
      case .modified: modified = try Self.stamp(&reader)
      case .deleted: isDeleted = try reader.optionalBool() ?? false
      case .zoneID: zone = try Self.zone(&reader)
      case .parent: parentName = try reader.linkedName()
      case .share: shareName = try reader.linkedName()
      case .shortGUID: shortIdentifier = try reader.optionalText()
      case .publicPermission: try share.takePermission(&reader)
      case .participants: try share.takeParticipants(&reader)
      case .owner: share.owner = try Self.participant(&reader)
      case .currentUserParticipant: share.own = try Self.participant(&reader)
      case .forRecord: share.rootName = try reader.linkedName()
      case .denyAccessRequests: share.requests.areAllowed = try reader.areRequestsAllowed() ?? false
      case .requesters: share.requests.requesters = try reader.people() ?? []
      case .blocked: share.requests.blocked = try reader.people() ?? []
      case .shareURL: share.url = try reader.optionalText()
      case .serverErrorCode: throw reader.itemIsError()
      }
    }
  }

  func result(_ reader: inout JSONReader, in zone: RecordZoneIdentifier) throws(JSONError)
    -> RecordResult
  {
    guard isDeleted else { return .record(try record(&reader, in: zone)) }
    guard let recordName else { throw reader.missingKey(Key.recordName) }
    return .deleted(DeletedRecord(recordName: recordName, zone: self.zone, recordType: recordType))
  }

  func record(_ reader: inout JSONReader, in zone: RecordZoneIdentifier) throws(JSONError)
    -> VisibleRecord
  {
    guard let recordName else { throw reader.missingKey(Key.recordName) }
    guard let recordType else { throw reader.missingKey(Key.recordType) }
    var record = CloudRecord(
      identifier: RecordIdentifier(recordName: recordName, zone: self.zone ?? zone),
      recordType: recordType,
      changeTag: changeTag, fields: fields, created: created ?? .unknown,
      modified: modified ?? .unknown)
    record.parentName = parentName
    record.shareName = shareName
    record.shortIdentifier = shortIdentifier
    if recordType == ShareDetails.recordType || share.isShare { record.share = share.details }
    return VisibleRecord(record: record, ownParticipant: share.own, shareURL: share.url)
  }

  private static func zone(_ reader: inout JSONReader) throws(JSONError) -> RecordZoneIdentifier? {
    try reader.optional { (reader) throws(JSONError) in try RecordZoneIdentifier(answered: &reader)
    }
  }

  private static func participant(_ reader: inout JSONReader) throws(JSONError) -> ShareParticipant?
  {
    try reader.optional { (reader) throws(JSONError) in try ShareParticipant(answered: &reader) }
  }

  private enum StampKey: String, JSONKey {
    case timestamp, userRecordName, deviceID
    static let table = JSONKeyTable<StampKey>()
  }

  private static func stamp(_ reader: inout JSONReader) throws(JSONError) -> RecordStamp? {
    if try reader.null() { return nil }
    var stamp = RecordStamp.unknown
    var object = try reader.beginObject(StampKey.self)
    while let key = try reader.nextKey(of: &object) {
      switch key {
      case .timestamp: stamp.time = try FieldValue.timestamp(&reader)
      case .userRecordName: stamp.userRecordName = try reader.optionalText() ?? ""
      case .deviceID: stamp.deviceIdentifier = try reader.optionalText() ?? ""
      }
    }
    return stamp
  }
}

extension JSONReader {
  /// Reads the record name of a reference, or nil if there is none.
  mutating func linkedName() throws(JSONError) -> String? {
    guard case .record(let name) = try RecordInput.Parent(from: &self) else { return nil }
    return name
  }
}

extension RecordStamp {
  /// The stamp of a record without one: no user, and the year 1970.
  fileprivate static let unknown = RecordStamp(time: Timestamp(milliseconds: 0), userRecordName: "")
}

/// The members of a share in addition to those of every record.
private struct ShareMembers {
  private var publicPermission: ShareParticipant.Permission?
  private var participants: [ShareParticipant]?
  var owner: ShareParticipant?
  var own: ShareParticipant?
  var rootName: String?
  var url: String?
  var requests = ShareRequests()

  /// Whether the record is a share, whatever its type.
  var isShare: Bool { publicPermission != nil || participants != nil }

  var details: ShareDetails {
    var participants = participants ?? []
    if let owner, !participants.contains(where: { $0.role == .owner }) {
      participants.insert(owner, at: 0)
    }
    var details = ShareDetails(
      publicPermission: publicPermission ?? .none, participants: participants, rootName: rootName)
    details.requests = requests
    return details
  }

  mutating func takePermission(_ reader: inout JSONReader) throws(JSONError) {
    publicPermission = try reader.word(
      "a permission", isTolerant: true, ShareParticipant.Permission.init(name:))
  }

  mutating func takeParticipants(_ reader: inout JSONReader) throws(JSONError) {
    participants = try reader.optional { (reader) throws(JSONError) in
      try reader.list { (reader) throws(JSONError) in try ShareParticipant(answered: &reader) }
    }
  }
}

extension RecordFields {
  /// Reads the fields of a record in a response.
  init(answered reader: inout JSONReader) throws(JSONError) {
    if try reader.null() {
      self.init()
      return
    }
    var entries: [Entry] = []
    entries.reserveCapacity(Limits.usualFields)
    try reader.beginObject()
    while let name = try reader.nextKey() {
      if let field = try Field(answered: &reader) {
        entries.append(Entry(name: name, field: field))
      }
    }
    guard let fields = RecordFields(unsorted: entries) else {
      throw reader.invalidValue("a field appears twice")
    }
    self = fields
  }
}

extension Field {
  /// Reads a field of a response, or nil if it has no value or one of an unknown kind.
  fileprivate init?(answered reader: inout JSONReader) throws(JSONError) {
    self.init(input: try FieldInput(from: &reader, isAnswer: true))
  }

  /// Reads a bare value of a response, or nil if its kind is unknown.
  init?(bare reader: inout JSONReader) throws(JSONError) {
    self.init(input: try FieldInput(bare: &reader))
  }

  private init?(input: FieldInput) {
    switch input.content {
    case .clear: return nil
    case .stated(let value), .inferred(let value): self.init(value, isEncrypted: input.isEncrypted)
    // The type of the members is unknown. An empty list fits any type.
    case .emptyList: self.init(.list(of: .string, []), isEncrypted: input.isEncrypted)
    }
  }
}
