import Foundation

/// The XML form of a property list, as in `.xccurrentversion` and some `VersionInfo.plist`.
///
/// Foundation parses it. Its parser is recursive, so the size and the nesting are checked first.
/// XML has no references: a keyed archive in XML has dictionaries with the key `CF$UID` instead,
/// which remain dictionaries here.
package enum XMLPropertyList {
  /// The largest text that is read.
  static let maximumBytes = 16 << 20

  /// The deepest nesting of elements.
  static let maximumDepth = 64

  /// Whether the bytes start like an XML property list.
  package static func hasHeader(_ bytes: some Sequence<UInt8>) -> Bool {
    let start = bytes.lazy.drop { $0 <= 0x20 || [0xEF, 0xBB, 0xBF].contains($0) }
    return start.starts(with: "<?xml".utf8) || start.starts(with: "<!DOCTYPE plist".utf8)
      || start.starts(with: "<plist".utf8)
  }

  /// Reads a property list.
  package static func read(_ bytes: [UInt8]) throws(PropertyListError) -> PropertyList {
    guard bytes.count <= maximumBytes else {
      throw PropertyListError(
        .limit, "The XML property list has \(bytes.count) bytes; at most \(maximumBytes) are read.")
    }
    try checkNesting(bytes)
    let root: Any
    do {
      root = try unsafe PropertyListSerialization.propertyList(
        from: Data(bytes), options: [], format: nil)
    } catch {
      throw PropertyListError(.malformed, "The XML property list cannot be read: \(error)")
    }
    return try value(root)
  }

  /// Checks the nesting of tags.
  ///
  /// It may count too many (in comments), but never too few.
  private static func checkNesting(_ bytes: [UInt8]) throws(PropertyListError) {
    var depth = 0
    for (position, byte) in bytes.enumerated() where byte == UInt8(ascii: "<") {
      let rest = bytes[(position + 1)...]
      if rest.starts(with: "dict".utf8) || rest.starts(with: "array".utf8) {
        depth += 1
      } else if rest.starts(with: "/dict".utf8) || rest.starts(with: "/array".utf8) {
        depth -= 1
      }
      guard depth <= maximumDepth else {
        throw PropertyListError(
          .limit, "Elements are nested more than \(maximumDepth) deep.", offset: position)
      }
    }
  }

  private static func value(_ object: Any) throws(PropertyListError) -> PropertyList {
    switch object {
    case let text as String: return .string(text)
    case let data as Data: return .data([UInt8](data))
    case let date as Date: return .date(date.timeIntervalSinceReferenceDate)
    case let number as NSNumber: return scalar(number)
    case let elements as [Any]:
      var values: [PropertyList] = []
      for element in elements { values.append(try value(element)) }
      return .array(values)
    case let entries as [String: Any]:
      var values: [String: PropertyList] = [:]
      for (key, entry) in entries { values[key] = try value(entry) }
      return .dictionary(values)
    default:
      throw PropertyListError(
        .malformed, "A property list cannot contain a value of type \(type(of: object)).")
    }
  }

  private static func scalar(_ number: NSNumber) -> PropertyList {
    // The number's C type code determines the kind of its element.
    switch unsafe number.objCType.pointee {
    case CChar(UInt8(ascii: "c")): return .boolean(number.boolValue)
    case CChar(UInt8(ascii: "d")): return .double(number.doubleValue)
    case CChar(UInt8(ascii: "f")): return .float(number.floatValue)
    default: return .integer(Int128(number.int64Value))
    }
  }
}
