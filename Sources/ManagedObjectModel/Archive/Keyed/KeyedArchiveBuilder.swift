import PropertyLists

/// Collects the objects of a keyed archive and encodes it.
///
/// Scalars and class descriptions are shared; every other object is encoded each time it is added.
/// Objects are in the order of the calls, so the same calls produce the same bytes.
struct KeyedArchiveBuilder {
  /// The `$null` object.
  static let null = PropertyList.uid(0)

  /// A scalar with exact equality: canonically equivalent texts, or 0.0 and -0.0, are different
  /// objects.
  private enum Scalar: Hashable {
    case string([UInt8])
    case double(UInt64)
    case float(UInt32)
    case other(PropertyList)
  }

  private var objects: [PropertyList] = [.string("$null")]
  private var scalars: [Scalar: PropertyList] = [:]
  private var classes: [String: PropertyList] = [:]

  /// Reserves the position of an object, for references to it before it is complete.
  mutating func reserve() -> PropertyList {
    append(.null)
  }

  /// Fills a reserved position.
  mutating func fill(
    _ reference: PropertyList, _ className: String, _ fields: [String: PropertyList]
  ) {
    guard case .uid(let number) = reference, let index = Int(exactly: number) else { return }
    objects[index] = .dictionary(
      fields.merging(["$class": classReference(className)]) { _, new in new })
  }

  /// Adds an object with its keys.
  mutating func add(_ className: String, _ fields: [String: PropertyList]) -> PropertyList {
    let reference = reserve()
    fill(reference, className, fields)
    return reference
  }

  /// Adds a string, number, Boolean or data; nil is `$null`.
  mutating func scalar(_ value: PropertyList?) -> PropertyList {
    guard let value else { return Self.null }
    let key: Scalar =
      switch value {
      case .string(let text): .string(Array(text.utf8))
      case .double(let number): .double(number.bitPattern)
      case .float(let number): .float(number.bitPattern)
      default: .other(value)
      }
    if let reference = scalars[key] { return reference }
    let reference = append(value)
    scalars[key] = reference
    return reference
  }

  /// The number clamped to 32 bits; readers accept no larger count.
  static func count(_ number: Int, from least: Int) -> PropertyList {
    .integer(Int128(max(least, min(number, Int(Int32.max)))))
  }

  /// Adds a string; nil is `$null`.
  ///
  /// The archive's null is itself the string `$null`, so a text `$null` is written as an object of
  /// a string class.
  mutating func string(_ text: String?) -> PropertyList {
    guard text != "$null" else { return add("NSMutableString", ["NS.string": .string("$null")]) }
    return scalar(text.map(PropertyList.string))
  }

  mutating func array(_ elements: [PropertyList], className: String = "NSArray") -> PropertyList {
    add(className, ["NS.objects": .array(elements)])
  }

  mutating func dictionary(
    _ entries: [(key: String, value: PropertyList)], className: String = "NSMutableDictionary"
  ) -> PropertyList {
    let reference = reserve()
    let keys = entries.map { string($0.key) }
    fill(
      reference, className, ["NS.keys": .array(keys), "NS.objects": .array(entries.map(\.value))])
    return reference
  }

  /// Encodes the archive with this root.
  func finish(root: PropertyList) throws(ModelArchiveError) -> [UInt8] {
    let archive = PropertyList.dictionary([
      "$archiver": .string("NSKeyedArchiver"), "$version": .integer(100_000),
      "$top": .dictionary(["root": root]),
      "$objects": .array(objects),
    ])
    do {
      return try BinaryPropertyList.write(archive)
    } catch {
      throw ModelArchiveError(
        .notArchivable, "The archive cannot be encoded as a property list: \(error)")
    }
  }

  /// Declares a class that is not in `ArchivedClasses`, with its superclasses.
  mutating func declare(_ className: String, lineage: [String]) {
    guard classes[className] == nil else { return }
    classes[className] = append(
      .dictionary([
        "$classname": .string(className), "$classes": .array(lineage.map(PropertyList.string)),
      ]))
  }

  private mutating func classReference(_ className: String) -> PropertyList {
    declare(className, lineage: ArchivedClasses.lineage(of: className))
    return classes[className] ?? Self.null
  }

  private mutating func append(_ object: PropertyList) -> PropertyList {
    objects.append(object)
    return .uid(UInt64(objects.count - 1))
  }
}
