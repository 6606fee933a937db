import Foundation
import PropertyLists

/// Archives default values, constants and user info.
enum ValueArchiver {
  /// Adds a value; nil is `$null`.
  static func add(
    _ value: Any?, to builder: inout KeyedArchiveBuilder, at path: ArchivePath
  ) throws(ModelArchiveError) -> PropertyList {
    guard let value else { return KeyedArchiveBuilder.null }
    switch value {
    case let text as String: return builder.string(text)
    case let decimal as NSDecimalNumber:
      return try add(decimal.decimalValue, to: &builder, at: path)
    case let decimal as Decimal: return try add(decimal, to: &builder, at: path)
    case let date as Date:
      return builder.add("NSDate", ["NS.time": .double(date.timeIntervalSinceReferenceDate)])
    case let data as Data: return builder.scalar(.data([UInt8](data)))
    case let uuid as UUID: return builder.add("NSUUID", ["NS.uuidbytes": .data(bytes(of: uuid))])
    case let url as URL: return add(url, to: &builder)
    case let number as NSNumber: return builder.scalar(scalar(number))
    case is NSNull: return builder.add("NSNull", [:])
    case let opaque as OpaqueArchivedObject: return add(opaque, to: &builder)
    default: return try addCollection(value, to: &builder, at: path)
    }
  }

  private static func addCollection(
    _ value: Any, to builder: inout KeyedArchiveBuilder, at path: ArchivePath
  ) throws(ModelArchiveError) -> PropertyList {
    if let entries = value as? [String: Any] {
      return try addDictionary(entries, to: &builder, at: path)
    }
    if let elements = value as? [Any] {
      return try builder.array(add(elements, to: &builder, at: path))
    }
    if let set = value as? NSSet {
      // A set is unordered; sort its elements by their descriptions.
      let ordered = set.allObjects.map { (text: "\(type(of: $0)) \($0)", value: $0) }.sorted {
        $0.text < $1.text
      }
      return try builder.array(
        add(ordered.map(\.value), to: &builder, at: path), className: "NSSet")
    }
    throw ModelArchiveError(
      .notArchivable,
      "A value of type \(type(of: value)) has no archived form. Use a value of Foundation's property list types, a UUID or a URL.",
      at: path)
  }

  private static func add(
    _ elements: [Any], to builder: inout KeyedArchiveBuilder, at path: ArchivePath
  ) throws(ModelArchiveError) -> [PropertyList] {
    var references: [PropertyList] = []
    for (position, element) in elements.enumerated() {
      references.append(try add(element, to: &builder, at: ArchivePath("\(position)", in: path)))
    }
    return references
  }

  static func addDictionary(
    _ entries: [String: Any], to builder: inout KeyedArchiveBuilder, at path: ArchivePath
  ) throws(ModelArchiveError) -> PropertyList {
    var references: [(key: String, value: PropertyList)] = []
    for (key, value) in entries.sorted(by: { $0.key < $1.key }) {
      references.append((key, try add(value, to: &builder, at: ArchivePath(key, in: path))))
    }
    return builder.dictionary(references, className: "NSDictionary")
  }

  private static func add(
    _ decimal: Decimal, to builder: inout KeyedArchiveBuilder, at path: ArchivePath
  ) throws(ModelArchiveError) -> PropertyList {
    guard let fields = ArchivedDecimal.fields(of: decimal) else {
      throw ModelArchiveError(
        .notArchivable, "The decimal number \(decimal) has no archived form.", at: path)
    }
    return builder.add(ArchivedDecimal.className, fields)
  }

  private static func add(_ url: URL, to builder: inout KeyedArchiveBuilder) -> PropertyList {
    let base = url.baseURL.map { add($0, to: &builder) } ?? KeyedArchiveBuilder.null
    let relative = builder.string(url.relativeString)
    return builder.add("NSURL", ["NS.base": base, "NS.relative": relative])
  }

  private static func add(_ opaque: OpaqueArchivedObject, to builder: inout KeyedArchiveBuilder)
    -> PropertyList
  {
    builder.declare(opaque.className, lineage: opaque.lineage)
    var fields: [String: PropertyList] = [:]
    for (key, field) in opaque.fields.sorted(by: { $0.key < $1.key }) {
      fields[key] = add(field, to: &builder)
    }
    return builder.add(opaque.className, fields)
  }

  private static func add(
    _ field: OpaqueArchivedObject.Field, to builder: inout KeyedArchiveBuilder
  ) -> PropertyList {
    switch field {
    case .none: return KeyedArchiveBuilder.null
    case .object(let object): return add(object, to: &builder)
    case .array(let elements): return .array(elements.map { add($0, to: &builder) })
    case .scalar(.string(let text)): return builder.string(text)
    // Numbers and Booleans are inline, as an archiver writes those that were encoded as scalars.
    case .scalar(let scalar): return scalar
    }
  }

  /// A number in the type that it was created from.
  private static func scalar(_ number: NSNumber) -> PropertyList {
    switch unsafe UInt8(bitPattern: number.objCType.pointee) {
    case UInt8(ascii: "f"): return .float(number.floatValue)
    case UInt8(ascii: "d"): return .double(number.doubleValue)
    case UInt8(ascii: "Q"): return .integer(Int128(number.uint64Value))
    case UInt8(ascii: "c"), UInt8(ascii: "B"):
      // In Foundation a Boolean has the type of an 8-bit number, so 0 and 1 become Booleans.
      let value = number.int8Value
      return value == 0 || value == 1 ? .boolean(value == 1) : .integer(Int128(value))
    default: return .integer(Int128(number.int64Value))
    }
  }

  private static func bytes(of uuid: UUID) -> [UInt8] {
    let id = uuid.uuid
    return [
      id.0, id.1, id.2, id.3, id.4, id.5, id.6, id.7, id.8, id.9, id.10, id.11, id.12, id.13, id.14,
      id.15,
    ]
  }
}
