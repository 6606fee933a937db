import CloudRecords
import JSONCoding

/// The type that accompanies a field's value.
enum FieldTag: Equatable {
  /// A type name of the protocol, which is looked up without creating a string.
  enum Word: String, JSONKey {
    case string = "STRING"
    case int64 = "INT64"
    case double = "DOUBLE"
    case timestamp = "TIMESTAMP"
    case bytes = "BYTES"
    case reference = "REFERENCE"
    case asset = "ASSETID"
    case location = "LOCATION"
    case stringList = "STRING_LIST"
    case int64List = "INT64_LIST"
    case doubleList = "DOUBLE_LIST"
    case timestampList = "TIMESTAMP_LIST"
    case bytesList = "BYTES_LIST"
    case referenceList = "REFERENCE_LIST"
    case assetList = "ASSETID_LIST"
    case locationList = "LOCATION_LIST"
    /// Bytes that the client has sealed.
    case ciphertext = "ENCRYPTED_BYTES"
    case boolean = "BOOLEAN"
    case number = "NUMBER_INT64"
    case booleanList = "BOOLEAN_LIST"
    /// An empty list without a type.
    case unknownList = "UNKNOWN_LIST"

    static let table = JSONKeyTable<Word>()
  }

  case known(Word)
  case unknown(String)

  /// Reads a type, or returns nil for `null`.
  init?(from reader: inout JSONReader) throws(JSONError) {
    if try reader.null() { return nil }
    let place = try reader.savedPosition()
    if let word = try reader.word(Word.self) {
      self = .known(word)
    } else {
      self = .unknown(try reader.read(place) { (reader) throws(JSONError) in try reader.string() })
    }
  }

  /// The type without its prefix `ENCRYPTED_`, or nil for a type without that prefix.
  var unsealed: FieldTag? {
    switch self {
    case .known(.ciphertext): return .known(.bytes)
    case .known: return nil
    case .unknown(let text):
      guard text.hasPrefix("ENCRYPTED_") else { return nil }
      let plain = String(text.dropFirst("ENCRYPTED_".count))
      return Word(rawValue: plain).map { .known($0) } ?? .unknown(plain)
    }
  }
}

extension FieldTag.Word {
  /// The type of the values.
  var type: FieldType {
    switch self {
    case .string: .string
    case .int64, .boolean, .number: .int64
    case .double: .double
    case .timestamp: .timestamp
    case .bytes, .ciphertext: .bytes
    case .reference: .reference
    case .asset: .asset
    case .location: .location
    case .stringList: .stringList
    case .int64List, .booleanList: .int64List
    case .doubleList: .doubleList
    case .timestampList: .timestampList
    case .bytesList: .bytesList
    case .referenceList: .referenceList
    case .assetList: .assetList
    case .locationList: .locationList
    // Not used: the type of the members is inferred.
    case .unknownList: .stringList
    }
  }
}
