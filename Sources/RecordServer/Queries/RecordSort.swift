import BinaryCoding
import CloudRecords
import CloudSchema
import CloudWire

/// The order of a query's results: its sorts, then zone and record name, so that it is a total
/// order.
struct RecordSort: Sendable {
  enum Key: Hashable, Sendable {
    case field(String)
    case system(SystemField)
    /// The distance of a location field from a given location.
    case distance(String, LocationValue)
  }

  struct Part: Hashable, Sendable {
    var key: Key
    var ascending: Bool
  }

  /// A record's position in the order.
  struct Place: Hashable, Sendable {
    /// One value per sort; nil if the record has none.
    var values: [FieldValue?]
    var zone: UInt64
    var recordName: String

    /// Its approximate size.
    var byteCount: Int { values.reduce(0) { $0 + ($1.map { StoredRecord.most(of: $0) } ?? 0) } }
  }

  let parts: [Part]

  init(_ sorts: [QueryInput.Sort], type: RecordTypeDefinition) throws(CloudError) {
    var parts: [Part] = []
    for sort in sorts {
      let name: QueriedName =
        switch sort.name {
        case .field(let name): .field(name)
        case .system(let name): .system(name)
        }
      if let place = sort.relativeLocation {
        let field = try type.checkFilter(on: name, by: .near)
        parts.append(Part(key: .distance(field.name, place), ascending: sort.ascending))
        continue
      }
      let field = try type.checkSort(by: name)
      // Encrypted values have no meaningful order, and locations are only ordered by distance.
      if field.datatype.isEncrypted || field.datatype == .plain(.location) { continue }
      switch field.source {
      case .system(let system): parts.append(Part(key: .system(system), ascending: sort.ascending))
      case .defined(let name): parts.append(Part(key: .field(name), ascending: sort.ascending))
      }
    }
    self.parts = parts
  }

  func place(of record: StoredRecord, zone: UInt64) -> Place {
    let values = parts.map { part -> FieldValue? in
      switch part.key {
      case .field(let name): return record.fields[name]?.value
      case .system(let field): return record.value(of: field)
      case .distance(let name, let centre):
        guard case .location(let place)? = record.fields[name]?.value else { return nil }
        return .double(FieldOrder.distance(place, centre))
      }
    }
    return Place(values: values, zone: zone, recordName: record.recordName)
  }

  /// Whether one place comes before another.
  ///
  /// Missing values come last, in either direction.
  func isOrdered(_ one: Place, _ other: Place) -> Bool {
    for (index, part) in parts.enumerated()
    where index < one.values.count && index < other.values.count {
      switch (one.values[index], other.values[index]) {
      case (nil, nil): continue
      case (nil, _): return false
      case (_, nil): return true
      case (let first?, let second?):
        guard let order = FieldOrder.compare(first, second), order != 0 else { continue }
        return (order < 0) == part.ascending
      }
    }
    if one.zone != other.zone { return one.zone < other.zone }
    return one.recordName.utf8.lexicographicallyPrecedes(other.recordName.utf8)
  }
}

// MARK: - Continuation markers

extension RecordSort.Place {
  /// Encodes the place as a continuation marker.
  ///
  /// - Parameter fingerprint: The query's fingerprint; the marker is only valid for the same query.
  func marker(of fingerprint: UInt32) -> String {
    var form = BinaryWriter(capacity: 128)
    form.byte(Self.version)
    form.number(UInt64(fingerprint))
    form.number(zone)
    form.text(recordName)
    var fields = RecordFields()
    for (index, value) in values.enumerated() {
      if let value { fields[Self.name(index)] = Field(value) }
    }
    form.count(values.count)
    for value in values { form.byte(value == nil ? 0 : 1) }
    FieldEncoding.write(fields, to: &form)
    return Base64Text.text(form.bytes)
  }

  /// Decodes a continuation marker.
  ///
  /// - Parameter sortCount: The number of the query's sorts.
  init(marker: String, of fingerprint: UInt32, sortCount: Int) throws(CloudError) {
    let wrong = CloudError(
      .badRequest,
      "The continuationMarker does not belong to this query. Start the query again, without one."
    )
    guard marker.utf8.count <= ServerLimits.markerBytes, let bytes = Base64Text.bytes(marker),
      let place = try? Self(bytes: bytes, of: fingerprint, sortCount: sortCount)
    else {
      throw wrong
    }
    self = place
  }

  private static let version: UInt8 = 1

  private init(bytes: [UInt8], of fingerprint: UInt32, sortCount: Int) throws {
    var form = BinaryReader(bytes)
    guard try form.byte() == Self.version else { throw form.error("an unknown form of marker") }
    guard try form.number() == UInt64(fingerprint) else {
      throw form.error("the marker of another query")
    }
    zone = try form.number()
    recordName = try form.text()
    guard try form.count() == sortCount else {
      throw form.error("a marker with another number of values")
    }
    for _ in 0..<sortCount { _ = try form.byte() }
    let found = try Self.readValues(most: sortCount, from: &form)
    values = (0..<sortCount).map { found[Self.name($0)] }
    guard form.isAtEnd else { throw form.error("extra bytes after the end of a marker") }
  }

  /// Reads the values of a marker, which a client may have forged, by their names.
  ///
  /// There is at most one value per sort, and no value is a list, since no query sorts by lists. So
  /// the values take little more memory than the marker.
  private static func readValues(most: Int, from form: inout BinaryReader)
    throws(BinaryCodingError) -> [String: FieldValue]
  {
    let count = try form.count()
    guard count <= most else { throw form.error("a marker with more values than sorts") }
    var found: [String: FieldValue] = [:]
    for _ in 0..<count {
      let name = try form.text()
      let type = try FieldEncoding.mark(from: &form).type
      guard !type.isList else { throw form.error("a marker with a list") }
      found[name] = try FieldValue(type, from: &form)
    }
    return found
  }

  private static func name(_ index: Int) -> String { String(index) }
}
