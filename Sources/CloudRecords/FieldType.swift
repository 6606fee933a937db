/// The type of a field's values.
///
/// The raw value is part of stored forms: it never changes.
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

  /// How far a list's raw value lies above its members'.
  private static let listOffset: UInt8 = 32

  package var isList: Bool { rawValue > Self.listOffset }

  /// The type of a list's members; nil for what is no list.
  package var member: FieldType? { isList ? FieldType(rawValue: rawValue - Self.listOffset) : nil }

  /// The type of lists of this; nil for lists.
  package var list: FieldType? { isList ? nil : FieldType(rawValue: rawValue + Self.listOffset) }

  /// Whether values of the type can be sealed by the client: assets and references cannot.
  package var canBeEncrypted: Bool {
    switch member ?? self {
    case .asset, .reference: false
    case .string, .int64, .double, .timestamp, .bytes, .location: true
    default: false
    }
  }
}

extension FieldType {
  /// The tag of the type on the wire.
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

  /// The type with a tag of the wire.
  package init?(name: String) {
    guard let type = Self.byName[name] else { return nil }
    self = type
  }
}
