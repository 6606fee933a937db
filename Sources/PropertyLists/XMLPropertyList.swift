import Foundation

/// The XML form of a property list, as in some `VersionInfo.plist` files.
///
/// Foundation's parser is recursive, so the size and the nesting are checked before it runs.
/// XML has no references: a keyed archive in XML has dictionaries with the key `CF$UID` instead,
/// which remain dictionaries here.
package enum XMLPropertyList {
  /// The maximum number of bytes that are read.
  static let maximumBytes = 16 << 20

  /// The deepest nesting of elements: 64 arrays and dictionaries in a `plist`, and a value.
  static let maximumDepth = 66

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
    let content = withoutDeclaration(bytes)
    try checkNesting(content)
    let root: Any
    do {
      root = try unsafe PropertyListSerialization.propertyList(
        from: Data(content), options: [], format: nil)
    } catch {
      throw PropertyListError(.malformed, "The XML property list cannot be read: \(error)")
    }
    return try value(root)
  }

  /// The bytes after the XML declaration.
  ///
  /// Without the declaration, Foundation reads the bytes as UTF-8. Another encoding could hide tags
  /// from the check.
  private static func withoutDeclaration(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
    let text = bytes.drop { $0 != UInt8(ascii: "<") }
    guard text.starts(with: "<?xml".utf8), let end = end(of: "?>", in: text) else { return text }
    return text[end...]
  }

  /// Sections without elements: the bytes after `<` that open each, and those that close it.
  private static let sections = [("!--", "-->"), ("![CDATA[", "]]>"), ("?", "?>")]

  /// Checks the nesting of elements.
  private static func checkNesting(_ bytes: ArraySlice<UInt8>) throws(PropertyListError) {
    var depth = 0
    var rest = bytes
    while let start = rest.firstIndex(of: UInt8(ascii: "<")) {
      rest = rest[(start + 1)...]
      let (opening, closing) = sections.first { rest.starts(with: $0.0.utf8) } ?? ("", ">")
      rest = rest.dropFirst(opening.utf8.count)
      guard let end = end(of: closing, in: rest) else { return }
      let tag = rest[..<end]
      rest = rest[end...]
      guard opening.isEmpty else { continue }
      if tag.starts(with: "!".utf8), tag.contains(UInt8(ascii: "[")) {
        throw PropertyListError(
          .malformed, "A document type with declarations is not read.", offset: start)
      }
      if tag.starts(with: "/".utf8) {
        depth -= 1
      } else if !tag.starts(with: "!".utf8), !tag.hasSuffix("/>") {
        depth += 1
      }
      guard depth <= maximumDepth else {
        throw PropertyListError(
          .limit, "Elements are nested more than \(maximumDepth) deep.", offset: start)
      }
    }
  }

  /// The index after the first `closing`, which ends in `>`.
  private static func end(of closing: String, in bytes: ArraySlice<UInt8>) -> Int? {
    var rest = bytes
    while let end = rest.firstIndex(of: UInt8(ascii: ">")) {
      if bytes[...end].hasSuffix(closing) { return end + 1 }
      rest = rest[(end + 1)...]
    }
    return nil
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
    // The number's C type code shows which XML element the number comes from.
    switch unsafe number.objCType.pointee {
    case CChar(UInt8(ascii: "c")): return .boolean(number.boolValue)
    case CChar(UInt8(ascii: "d")): return .double(number.doubleValue)
    case CChar(UInt8(ascii: "f")): return .float(number.floatValue)
    default: return .integer(Int128(number.int64Value))
    }
  }
}

extension ArraySlice<UInt8> {
  fileprivate func hasSuffix(_ text: String) -> Bool {
    suffix(text.utf8.count).elementsEqual(text.utf8)
  }
}
