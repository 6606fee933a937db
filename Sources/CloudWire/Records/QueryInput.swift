package import CloudRecords
package import JSONCoding

/// A query: records of one type that pass all filters, in an order.
package struct QueryInput: Hashable, Sendable {
  package var recordType: String
  package var filters: [Filter]
  package var sorts: [Sort]

  package init(recordType: String, filters: [Filter] = [], sorts: [Sort] = []) {
    self.recordType = recordType
    self.filters = filters
    self.sorts = sorts
  }

  /// The name of a field or of a system field.
  package enum FieldName: Hashable, Sendable {
    case field(String)
    case system(String)
  }

  package struct Filter: Hashable, Sendable {
    package var comparator: String
    package var name: FieldName
    package var value: FieldInput
    /// The distance in meters, for comparisons with locations.
    package var distance: Double?

    package init(comparator: String, name: FieldName, value: FieldInput, distance: Double? = nil) {
      self.comparator = comparator
      self.name = name
      self.value = value
      self.distance = distance
    }
  }

  package struct Sort: Hashable, Sendable {
    package var name: FieldName
    package var ascending: Bool
    /// The location from which distances are measured when records are sorted, nearest first.
    package var relativeLocation: LocationValue?

    package init(name: FieldName, ascending: Bool = true, relativeLocation: LocationValue? = nil) {
      self.name = name
      self.ascending = ascending
      self.relativeLocation = relativeLocation
    }
  }
}

extension QueryInput {
  private enum Key: String, JSONKey {
    case recordType, filterBy, sortBy
    static let table = JSONKeyTable<Key>()
  }

  package init(from reader: inout JSONReader) throws(JSONError) {
    var type: String?
    self.init(recordType: "")
    var object = try reader.beginObject(Key.self)
    while let key = try reader.nextKey(of: &object) {
      switch key {
      case .recordType: type = try reader.string()
      case .filterBy:
        filters = try reader.lenientList(most: Limits.itemsOfRequest) {
          (reader) throws(JSONError) in
          try Filter(from: &reader)
        }
      case .sortBy:
        sorts = try reader.lenientList(most: Limits.itemsOfRequest) { (reader) throws(JSONError) in
          try Sort(from: &reader)
        }
      }
    }
    guard let type else { throw reader.missingKey(Key.recordType) }
    recordType = type
  }
}

extension QueryInput.Filter {
  private enum Key: String, JSONKey {
    case comparator, fieldName, systemFieldName, fieldValue, distance
    static let table = JSONKeyTable<Key>()
  }

  init(from reader: inout JSONReader) throws(JSONError) {
    var comparator: String?
    var name: QueryInput.FieldName?
    var value = FieldInput(.clear)
    var distance: Double?
    var object = try reader.beginObject(Key.self)
    while let key = try reader.nextKey(of: &object) {
      switch key {
      case .comparator: comparator = try reader.string()
      case .fieldName: name = try reader.optionalText().map { .field($0) } ?? name
      case .systemFieldName: name = try reader.optionalText().map { .system($0) } ?? name
      case .fieldValue: value = try FieldInput(from: &reader)
      case .distance:
        distance = try reader.optional { (reader) throws(JSONError) in try reader.doubleOrText() }
      }
    }
    guard let comparator else { throw reader.missingKey(Key.comparator) }
    // A word search may omit the field, and then covers all fields.
    self.init(comparator: comparator, name: name ?? .field(""), value: value, distance: distance)
  }
}

extension QueryInput.Sort {
  private enum Key: String, JSONKey {
    case fieldName, systemFieldName, ascending, relativeLocation
    static let table = JSONKeyTable<Key>()
  }

  init(from reader: inout JSONReader) throws(JSONError) {
    var name: QueryInput.FieldName?
    var ascending = true
    var place: LocationValue?
    var object = try reader.beginObject(Key.self)
    while let key = try reader.nextKey(of: &object) {
      switch key {
      case .fieldName: name = try reader.optionalText().map { .field($0) } ?? name
      case .systemFieldName: name = try reader.optionalText().map { .system($0) } ?? name
      case .ascending: ascending = try reader.optionalBool() ?? true
      case .relativeLocation:
        place = try reader.optional { (reader) throws(JSONError) in try Self.place(&reader) }
      }
    }
    guard let name else { throw reader.missingKey(Key.fieldName) }
    self.init(name: name, ascending: ascending, relativeLocation: place)
  }

  private enum PlaceKey: String, JSONKey {
    case value
    static let table = JSONKeyTable<PlaceKey>()
  }

  /// Reads a location, either bare or as a field's value.
  private static func place(_ reader: inout JSONReader) throws(JSONError) -> LocationValue {
    let start = try reader.skipForLater()
    let wrapped = try reader.read(start) { (reader) throws(JSONError) -> LocationValue? in
      var place: LocationValue?
      var object = try reader.beginObject(PlaceKey.self)
      while try reader.nextKey(of: &object) != nil { place = try LocationValue(from: &reader) }
      return place
    }
    if let wrapped { return wrapped }
    return try reader.read(start) { (reader) throws(JSONError) in try LocationValue(from: &reader) }
  }
}
