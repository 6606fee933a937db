package import CloudRecords
import JSONCoding

/// A record to save, as sent by a client.
package struct RecordInput: Hashable, Sendable {
  /// The change of a record's reference to its parent.
  package enum Parent: Hashable, Sendable {
    case unchanged
    case none
    case record(String)
  }

  /// The root record of a share.
  package struct Root: Hashable, Sendable {
    package var recordName: String
    package var recordChangeTag: String?

    package init(recordName: String, recordChangeTag: String? = nil) {
      self.recordName = recordName
      self.recordChangeTag = recordChangeTag
    }
  }

  /// A field with its name.
  package struct NamedField: Hashable, Sendable {
    package var name: String
    package var field: FieldInput

    package init(name: String, field: FieldInput) {
      self.name = name
      self.field = field
    }
  }

  package var recordName: String?
  package var recordType: String?
  package var recordChangeTag: String?
  package var fields: [NamedField] = []
  package var zone: ZoneReference?
  package var desiredKeys: [String]?
  package var createShortGUID = false
  package var parent = Parent.unchanged
  /// The root record, for shares of a record.
  package var root: Root?
  package var publicPermission: ShareParticipant.Permission?
  package var participants: [ParticipantInput]?
  package var requests = ShareRequestsInput()
  package var deviceIdentifier: String?

  package init() {}
}

extension RecordInput {
  private enum Key: String, JSONKey {
    case recordName, recordType, recordChangeTag, fields, zoneID, desiredKeys, createShortGUID,
      parent, forRecord
    case publicPermission, participants, denyAccessRequests, deniedRequesters, blocked, modified
    static let table = JSONKeyTable<Key>()
  }

  init(from reader: inout JSONReader) throws(JSONError) {
    var object = try reader.beginObject(Key.self)
    while let key = try reader.nextKey(of: &object) {
      switch key {
      case .recordName: recordName = try reader.optionalText()
      case .recordType: recordType = try reader.optionalText()
      case .recordChangeTag: recordChangeTag = try reader.optionalText()
      case .fields: fields = try Self.fields(&reader)
      case .zoneID:
        zone = try reader.optional { (reader) throws(JSONError) in try ZoneReference(from: &reader)
        }
      case .desiredKeys: desiredKeys = try reader.optionalTexts()
      case .createShortGUID: createShortGUID = try reader.optionalBool() ?? false
      case .parent: parent = try Parent(from: &reader)
      case .forRecord:
        root = try reader.optional { (reader) throws(JSONError) in try Root(from: &reader) }
      case .publicPermission:
        publicPermission = try reader.word("a permission", ShareParticipant.Permission.init(name:))
      case .participants:
        participants = try reader.optional { (reader) throws(JSONError) in
          try reader.list(most: Limits.itemsOfRequest) { (reader) throws(JSONError) in
            try ParticipantInput(from: &reader)
          }
        }
      case .denyAccessRequests: requests.areAllowed = try reader.areRequestsAllowed()
      case .deniedRequesters: requests.denied = try reader.people() ?? []
      case .blocked: requests.blocked = try reader.people()
      case .modified: deviceIdentifier = try Self.deviceIdentifier(&reader)
      }
    }
  }

  private static func fields(_ reader: inout JSONReader) throws(JSONError) -> [NamedField] {
    if try reader.null() { return [] }
    var fields: [NamedField] = []
    var names: Set<String> = []
    try reader.beginObject()
    while let name = try reader.nextKey() {
      // Few names are compared one by one. A set keeps the cost of many names linear.
      if fields.count == fewFields { names = Set(fields.map(\.name)) }
      let isNew =
        fields.count < fewFields
        ? !fields.contains { $0.name == name } : names.insert(name).inserted
      guard isNew else { throw reader.duplicateKey() }
      fields.append(NamedField(name: name, field: try FieldInput(from: &reader)))
    }
    return fields
  }

  private static let fewFields = 16

  private enum StampKey: String, JSONKey {
    case deviceID
    static let table = JSONKeyTable<StampKey>()
  }

  /// Reads the device's identifier from the stamp of the last modification.
  ///
  /// Clients may send the whole stamp. The server sets its time and user itself.
  private static func deviceIdentifier(_ reader: inout JSONReader) throws(JSONError) -> String? {
    if try reader.null() { return nil }
    var identifier: String?
    var object = try reader.beginObject(StampKey.self)
    while try reader.nextKey(of: &object) != nil { identifier = try reader.optionalText() }
    return identifier
  }
}

extension RecordInput.Parent {
  private enum Key: String, JSONKey {
    case recordName
    static let table = JSONKeyTable<Key>()
  }

  init(from reader: inout JSONReader) throws(JSONError) {
    self = .none
    if try reader.null() { return }
    var object = try reader.beginObject(Key.self)
    while try reader.nextKey(of: &object) != nil {
      if let name = try reader.optionalText() { self = .record(name) }
    }
  }
}

extension RecordInput.Root {
  private enum Key: String, JSONKey {
    case recordName, recordChangeTag
    static let table = JSONKeyTable<Key>()
  }

  init(from reader: inout JSONReader) throws(JSONError) {
    var (name, tag): (String?, String?) = (nil, nil)
    var object = try reader.beginObject(Key.self)
    while let key = try reader.nextKey(of: &object) {
      switch key {
      case .recordName: name = try reader.string()
      case .recordChangeTag: tag = try reader.optionalText()
      }
    }
    guard let name else { throw reader.missingKey(Key.recordName) }
    self.init(recordName: name, recordChangeTag: tag)
  }
}
