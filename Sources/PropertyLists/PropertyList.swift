/// A value of a property list, of any kind that the binary format has.
///
/// Foundation's `PropertyListSerialization` is not used for binary property lists. On Linux it
/// hides UIDs, the references of keyed archives, behind a private type. It also does not limit the
/// memory that a hostile file can allocate.
package enum PropertyList: Hashable, Sendable {
  /// The binary format's null. Apple's writers do not use it; the keyed archiver writes the string
  /// `$null`.
  case null
  case boolean(Bool)
  /// A whole number. The format has signed 64-bit integers, and larger ones in 16 bytes.
  case integer(Int128)
  /// A 32-bit floating-point number.
  case float(Float)
  /// A 64-bit floating-point number.
  case double(Double)
  /// Seconds since 2001-01-01 00:00:00 UTC.
  case date(Double)
  case data([UInt8])
  case string(String)
  /// A reference to another object in a keyed archive.
  case uid(UInt64)
  case array([PropertyList])
  /// A set: unordered, but kept in the order of the file.
  case set([PropertyList])
  case dictionary([String: PropertyList])
}

extension PropertyList {
  /// The name of the value's kind, for messages.
  package var kind: String {
    switch self {
    case .null: "null"
    case .boolean: "a boolean"
    case .integer: "an integer"
    case .float, .double: "a real number"
    case .date: "a date"
    case .data: "data"
    case .string: "a string"
    case .uid: "a reference"
    case .array: "an array"
    case .set: "a set"
    case .dictionary: "a dictionary"
    }
  }

  /// The string, if the value is one.
  package var string: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// The dictionary, if the value is one.
  package var dictionary: [String: PropertyList]? {
    if case .dictionary(let entries) = self { entries } else { nil }
  }

  /// The array, if the value is one.
  package var array: [PropertyList]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  /// The bytes, if the value is data.
  package var data: [UInt8]? {
    if case .data(let bytes) = self { bytes } else { nil }
  }
}
