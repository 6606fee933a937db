package import CloudRecords
package import JSONCoding

extension FieldValue {
  /// Reads a value of a known type.
  package init(_ type: FieldType, from reader: inout JSONReader) throws(JSONError) {
    switch type {
    case .string: self = .string(try reader.string())
    case .int64: self = .int64(try Self.integer(&reader))
    case .double: self = .double(try reader.doubleOrText())
    case .timestamp: self = .timestamp(try Self.timestamp(&reader))
    case .bytes: self = .bytes(try reader.base64())
    case .reference: self = .reference(try RecordReference(from: &reader))
    case .asset: self = .asset(try AssetValue(from: &reader))
    case .location: self = .location(try LocationValue(from: &reader))
    default:
      guard let member = type.member else {
        throw reader.invalidValue("lists of lists do not exist")
      }
      self = .list(
        of: member,
        try reader.list { (reader) throws(JSONError) in try FieldValue(member, from: &reader) })
    }
  }

  /// Reads an integer.
  ///
  /// A boolean counts as 1 or 0. Some clients send 64-bit numbers as texts.
  private static func integer(_ reader: inout JSONReader) throws(JSONError) -> Int64 {
    if try reader.peek() == .boolean { return try reader.bool() ? 1 : 0 }
    return try reader.int64OrText()
  }

  static func timestamp(_ reader: inout JSONReader) throws(JSONError) -> Timestamp {
    do throws(JSONError) {
      return Timestamp(milliseconds: try reader.int64OrText())
    } catch {
      guard error.code == .notIntegral else { throw error }
      throw JSONError(
        .invalidValue, "Invalid value, expected type TIMESTAMP: whole milliseconds since 1970",
        offset: error.offset,
        path: error.path)
    }
  }

  /// Reads a value whose type is inferred from its form.
  init(inferredFrom reader: inout JSONReader) throws(JSONError) {
    switch try reader.peek() {
    case .string: self = .string(try reader.string())
    case .boolean: self = .int64(try reader.bool() ? 1 : 0)
    case .number:
      switch try reader.number() {
      case .integer(let number): self = .int64(number)
      case .double(let number): self = .double(number)
      }
    case .object: self = try Self.object(&reader)
    case .array: throw reader.invalidValue("lists of lists do not exist")
    case .null: throw reader.invalidValue("a list has no members that are null")
    }
  }

  private enum ObjectKey: String, JSONKey {
    case recordName, fileChecksum, receipt, latitude
    static let table = JSONKeyTable<ObjectKey>()
  }

  /// Reads a reference, an asset or a location, which differ by their keys.
  private static func object(_ reader: inout JSONReader) throws(JSONError) -> FieldValue {
    let place = try reader.skipForLater()
    let key = try reader.read(place) { (reader) throws(JSONError) -> ObjectKey? in
      var first: ObjectKey?
      var object = try reader.beginObject(ObjectKey.self)
      while let key = try reader.nextKey(of: &object) { first = first ?? key }
      return first
    }
    return try reader.read(place) { (reader) throws(JSONError) in
      switch key {
      case .recordName: .reference(try RecordReference(from: &reader))
      case .fileChecksum, .receipt: .asset(try AssetValue(from: &reader))
      case .latitude: .location(try LocationValue(from: &reader))
      case nil: throw reader.invalidValue("expected a reference, an asset or a location")
      }
    }
  }
}

extension RecordReference {
  private enum Key: String, JSONKey {
    case recordName, zoneID, action
    static let table = JSONKeyTable<Key>()
  }

  init(from reader: inout JSONReader) throws(JSONError) {
    var name: String?
    var zone: ZoneReference?
    var action = Action.none
    var object = try reader.beginObject(Key.self)
    while let key = try reader.nextKey(of: &object) {
      switch key {
      case .recordName: name = try reader.string()
      case .zoneID:
        zone = try reader.optional { (reader) throws(JSONError) in try ZoneReference(from: &reader)
        }
      case .action:
        guard let text = try reader.optionalText() else { continue }
        guard let known = Action(name: text) else {
          throw reader.invalidValue("expected the action NONE, DELETE_SELF or VALIDATE")
        }
        action = known
      }
    }
    guard let name else { throw reader.missingKey(Key.recordName) }
    // The server replaces a missing owner with the owner of the record's zone.
    let identifier = zone.map {
      RecordZoneIdentifier(
        zoneName: $0.zoneName, ownerName: $0.ownerName ?? RecordZoneIdentifier.currentOwnerName)
    }
    self.init(recordName: name, zone: identifier, action: action)
  }
}

extension AssetValue {
  private enum Key: String, JSONKey {
    case fileChecksum, size, referenceChecksum, wrappingKey, receipt, downloadURL
    static let table = JSONKeyTable<Key>()
  }

  package init(from reader: inout JSONReader) throws(JSONError) {
    var checksum: String?
    var asset = AssetValue(fileChecksum: "", size: -1)
    var object = try reader.beginObject(Key.self)
    while let key = try reader.nextKey(of: &object) {
      switch key {
      case .fileChecksum: checksum = try reader.string()
      case .size:
        // The size of an asset is always a number, although other numbers may be texts.
        asset.size = try reader.int64()
        if asset.size < 0 { throw reader.invalidValue("expected a size that is not negative") }
      case .referenceChecksum: asset.referenceChecksum = try reader.optionalText()
      case .wrappingKey: asset.wrappingKey = try reader.optionalText()
      case .receipt: asset.receipt = try reader.optionalText()
      case .downloadURL: asset.downloadURL = try reader.optionalText()
      }
    }
    guard let checksum else { throw reader.missingKey(Key.fileChecksum) }
    asset.fileChecksum = checksum
    self = asset
  }
}

extension LocationValue {
  private enum Key: String, JSONKey {
    case latitude, longitude, horizontalAccuracy, verticalAccuracy, altitude, speed, course,
      timestamp
    static let table = JSONKeyTable<Key>()
  }

  package init(from reader: inout JSONReader) throws(JSONError) {
    var (latitude, longitude): (Double?, Double?) = (nil, nil)
    var place = LocationValue(latitude: 0, longitude: 0)
    var object = try reader.beginObject(Key.self)
    while let key = try reader.nextKey(of: &object) {
      switch key {
      case .latitude: latitude = try reader.doubleOrText()
      case .longitude: longitude = try reader.doubleOrText()
      case .horizontalAccuracy: place.horizontalAccuracy = try Self.number(&reader)
      case .verticalAccuracy: place.verticalAccuracy = try Self.number(&reader)
      case .altitude: place.altitude = try Self.number(&reader)
      case .speed: place.speed = try Self.number(&reader)
      case .course: place.course = try Self.number(&reader)
      case .timestamp:
        place.timestamp = try reader.optional { (reader) throws(JSONError) in
          try FieldValue.timestamp(&reader)
        }
      }
    }
    guard let latitude else { throw reader.missingKey(Key.latitude) }
    guard let longitude else { throw reader.missingKey(Key.longitude) }
    (place.latitude, place.longitude) = (latitude, longitude)
    if let defect = place.defect { throw reader.invalidValue("the location \(defect)") }
    self = place
  }

  private static func number(_ reader: inout JSONReader) throws(JSONError) -> Double? {
    try reader.optional { (reader) throws(JSONError) in try reader.doubleOrText() }
  }
}
