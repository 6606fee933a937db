/// The type of a field's values.
///
/// The raw value is stored, so it never changes.
package enum FieldType: UInt8, CaseIterable, Hashable, Sendable {
  case string = 1
  case int64 = 2
  case double = 3
  case timestamp = 4
  case bytes = 5
  case reference = 6
  case asset = 7
  case location = 8

  case stringList = 33
  case int64List = 34
  case doubleList = 35
  case timestampList = 36
  case bytesList = 37
  case referenceList = 38
  case assetList = 39
  case locationList = 40

  /// The difference between a list's raw value and its element's.
  private static let listOffset: UInt8 = 32

  package var isList: Bool { rawValue > Self.listOffset }

  /// The element type of a list; nil for other types.
  package var member: FieldType? { isList ? FieldType(rawValue: rawValue - Self.listOffset) : nil }

  /// The type of a list of these values; nil for lists.
  package var list: FieldType? { isList ? nil : FieldType(rawValue: rawValue + Self.listOffset) }

  /// Whether a client can encrypt values of the type.
  ///
  /// Assets and references cannot be encrypted.
  package var canBeEncrypted: Bool {
    switch member ?? self {
    case .asset, .reference: false
    case .string, .int64, .double, .timestamp, .bytes, .location: true
    default: false
    }
  }
}

extension FieldType {
  /// The type's name on the wire.
  package var name: String {
    switch self {
    case .string: "STRING"
    case .int64: "INT64"
    case .double: "DOUBLE"
    case .timestamp: "TIMESTAMP"
    case .bytes: "BYTES"
    case .reference: "REFERENCE"
    case .asset: "ASSETID"
    case .location: "LOCATION"
    case .stringList: "STRING_LIST"
    case .int64List: "INT64_LIST"
    case .doubleList: "DOUBLE_LIST"
    case .timestampList: "TIMESTAMP_LIST"
    case .bytesList: "BYTES_LIST"
    case .referenceList: "REFERENCE_LIST"
    case .assetList: "ASSETID_LIST"
    case .locationList: "LOCATION_LIST"
    }
  }

  private static let byName = Dictionary(uniqueKeysWithValues: allCases.map { ($0.name, $0) })

  /// Creates a type from its name on the wire.
  package init?(name: String) {
    guard let type = Self.byName[name] else { return nil }
    self = type
  }
}
