import Foundation
import PropertyLists

/// The archived forms of Foundation's values.
///
/// | class | keys | value |
/// |---|---|---|
/// | numbers and Booleans | inline in `$objects` | `NSNumber` |
/// | `NSString` | inline, or `NS.string` | `String` |
/// | `NSData` | inline, or `NS.data` | `Data` |
/// | `NSDate` | `NS.time`, seconds since 2001 | `Date` |
/// | `NSUUID` | `NS.uuidbytes` | `UUID` |
/// | `NSURL` | `NS.base`, `NS.relative` | `URL` |
/// | `NSDecimalNumber` | see `ArchivedDecimal` | `NSDecimalNumber` |
/// | collections | see `ArchivedObject` | `[Any]`, `NSSet`, `[AnyHashable: Any]` |
/// | any other | | `OpaqueArchivedObject` |
extension ArchivedValue {
  /// The decoded value, or nil for no value.
  func decoded() throws(ModelArchiveError) -> Any? {
    switch self {
    case .none: nil
    case .scalar(let scalar): Self.number(scalar)
    case .object(let object): try object.decoded()
    }
  }

  private static func number(_ scalar: PropertyList) -> Any? {
    switch scalar {
    case .boolean(let value): NSNumber(value: value)
    case .integer(let value):
      Int64(exactly: value).map(NSNumber.init(value:)) ?? NSNumber(value: UInt64(clamping: value))
    case .float(let value): NSNumber(value: value)
    case .double(let value): NSNumber(value: value)
    case .string(let text): text
    case .data(let bytes): Data(bytes)
    case .date(let seconds): Date(timeIntervalSinceReferenceDate: seconds)
    case .null, .uid, .array, .set, .dictionary: nil
    }
  }
}

extension ArchivedObject {
  fileprivate func decoded() throws(ModelArchiveError) -> Any {
    if isKind(of: "NSString") { return try ArchivedValue.object(self).text() ?? "" }
    if isKind(of: "NSDate") {
      return Date(timeIntervalSinceReferenceDate: try real("NS.time") ?? 0)
    }
    if isKind(of: "NSData") { return Data(try data("NS.data") ?? []) }
    if isKind(of: "NSUUID") { return try uuid() }
    if isKind(of: "NSURL") { return try url() }
    if isKind(of: "NSDecimalNumber") {
      return NSDecimalNumber(decimal: try ArchivedDecimal.read(self))
    }
    if isKind(of: "NSNull") { return NSNull() }
    if isDictionary { return try dictionary() }
    if isCollection { return try collection() }
    return try opaque()
  }

  private func uuid() throws(ModelArchiveError) -> UUID {
    guard let bytes = try data("NS.uuidbytes"), bytes.count == 16 else {
      throw error(.contradiction, "An NSUUID must have 16 bytes.", key: "NS.uuidbytes")
    }
    return UUID(
      uuid: (
        bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7],
        bytes[8], bytes[9], bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
      ))
  }

  private func url() throws(ModelArchiveError) -> URL {
    let base = try object("NS.base")?.url()
    let text = try requiredString("NS.relative")
    guard let url = URL(string: text, relativeTo: base) else {
      throw error(.contradiction, "The text is not a URL.", key: "NS.relative")
    }
    return url
  }

  private func dictionary() throws(ModelArchiveError) -> [AnyHashable: Any] {
    let (keys, values) = try keysAndValues()
    guard keys.count == values.count else {
      throw error(
        .contradiction, "The dictionary has \(keys.count) keys and \(values.count) values.")
    }
    var result: [AnyHashable: Any] = [:]
    for (archivedKey, value) in zip(keys, values) {
      guard let key = try archivedKey.decoded() as? AnyHashable else {
        throw error(.wrongKind, "A key of the dictionary is \(archivedKey.kind).")
      }
      if let value { result[key] = try value.decoded() ?? NSNull() }
    }
    return result
  }

  private func collection() throws(ModelArchiveError) -> Any {
    var values: [Any] = []
    for element in try elements() { values.append(try element.decoded() ?? NSNull()) }
    return isKind(of: "NSSet") ? NSSet(array: values) : values
  }

  private func opaque() throws(ModelArchiveError) -> OpaqueArchivedObject {
    var contents: [String: OpaqueArchivedObject.Field] = [:]
    for (key, field) in fields where key != "$class" {
      contents[key] = try opaqueField(field, path: ArchivePath(key, in: path))
    }
    return OpaqueArchivedObject(
      className: classDescription.name, lineage: classDescription.lineage, fields: contents)
  }

  private func opaqueField(
    _ field: PropertyList, path: ArchivePath
  ) throws(ModelArchiveError) -> OpaqueArchivedObject.Field {
    if let references = field.array {
      var elements: [OpaqueArchivedObject.Field] = []
      for reference in references { elements.append(try opaqueField(reference, path: path)) }
      return .array(elements)
    }
    switch try archive.value(of: field, path: path, depth: depth + 1) {
    case .none: return .none
    case .scalar(let scalar): return .scalar(scalar)
    case .object(let object): return .object(try object.opaque())
    }
  }
}
