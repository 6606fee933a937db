import PropertyLists

/// The objects of a keyed archive.
///
/// A keyed archive is a binary property list whose root is a dictionary:
///
/// | key | value |
/// |---|---|
/// | `$version` | 100000 |
/// | `$archiver` | `NSKeyedArchiver` |
/// | `$top` | the roots by name; a model has one, `root` |
/// | `$objects` | every object once; the first is the string `$null` |
///
/// References are UIDs: positions in `$objects`. An object is a scalar, or a dictionary of its keys
/// with the reference `$class` to a dictionary of `$classname` and `$classes` (the class and its
/// superclasses). A Boolean or number encoded as a scalar is inline; others are references.
///
/// Objects are decoded on access, so an archive may contain cycles. The `budget` and the depth of
/// an `ArchivedObject` limit the work.
final class KeyedArchive {
  struct ClassDescription {
    let name: String
    /// The class and its superclasses, up to a limit.
    let lineage: [String]
    /// The classes to use in a program that lacks this one.
    let hints: [String]
  }

  private let objects: [PropertyList]
  private let classes: [Int: ClassDescription]
  private let top: [String: PropertyList]
  private var budget: Int

  init(_ bytes: [UInt8]) throws(ModelArchiveError) {
    guard BinaryPropertyList.hasHeader(bytes) else {
      throw ModelArchiveError(
        .notAnArchive, "The archive does not start like a binary property list.")
    }
    var limits = PropertyListLimits()
    limits.maximumBytes = Limits.archiveBytes
    let root: PropertyList
    do {
      root = try BinaryPropertyList.read(bytes, limits: limits)
    } catch {
      throw ModelArchiveError(.notAnArchive, "The archive's property list cannot be read: \(error)")
    }
    guard let entries = root.dictionary, entries["$archiver"] == .string("NSKeyedArchiver"),
      entries["$version"] == .integer(100_000), let top = entries["$top"]?.dictionary,
      let objects = entries["$objects"]?.array
    else {
      throw ModelArchiveError(
        .notAnArchive,
        "The property list is not a keyed archive: it must have $archiver NSKeyedArchiver, $version 100000, $top and $objects."
      )
    }
    self.top = top
    self.objects = objects
    classes = Self.classes(among: objects)
    budget =
      Limits.archiveSteps + objects.count * Limits.archiveStepsForEachObject
      + bytes.count * Limits.archiveStepsForEachByte
  }

  private static func classes(among objects: [PropertyList]) -> [Int: ClassDescription] {
    var classes: [Int: ClassDescription] = [:]
    for (index, object) in objects.enumerated() {
      guard let entries = object.dictionary else { continue }
      let hints = entries["$classhints"]?.array?.compactMap(\.string) ?? []
      guard let name = entries["$classname"]?.string ?? hints.first else { continue }
      let named = entries["$classes"]?.array?.prefix(Limits.archivedLineage)
      let lineage = named?.compactMap(\.string) ?? []
      classes[index] = ClassDescription(
        name: name, lineage: lineage.isEmpty ? [name] : lineage, hints: hints)
    }
    return classes
  }

  /// The archive's root object.
  func root() throws(ModelArchiveError) -> ArchivedObject {
    let path = ArchivePath("root")
    guard let reference = top["root"],
      case .object(let object) = try value(of: reference, path: path, depth: 0)
    else {
      throw ModelArchiveError(.notAnArchive, "The archive has no root object.", at: path)
    }
    return object
  }

  /// The archive's root: an object, or a scalar.
  func rootValue() throws(ModelArchiveError) -> ArchivedValue {
    let path = ArchivePath("root")
    guard let reference = top["root"] else {
      throw ModelArchiveError(.notAnArchive, "The archive has no root.", at: path)
    }
    return try value(of: reference, path: path, depth: 0)
  }

  /// The classes of all objects, in the order of the archive.
  var classDescriptions: [ClassDescription] {
    classes.sorted { $0.key < $1.key }.map(\.value)
  }

  /// The classes of the roots, and of the contents of objects whose class satisfies a condition.
  func classDescriptions(inside isOpen: (ClassDescription) -> Bool) -> [ClassDescription] {
    var found: [Int: ClassDescription] = [:]
    var (seen, pending): (Set<UInt64>, [PropertyList]) = ([], Array(top.values))
    while let field = pending.popLast() {
      if let elements = field.array { pending += elements }
      guard case .uid(let number) = field, seen.insert(number).inserted,
        let index = Int(exactly: number), objects.indices.contains(index),
        let entries = objects[index].dictionary, case .uid(let place)? = entries["$class"],
        let classIndex = Int(exactly: place), let description = classes[classIndex]
      else { continue }
      found[classIndex] = description
      if isOpen(description) { pending += entries.values }
    }
    return found.sorted { $0.key < $1.key }.map(\.value)
  }

  /// The value of a key or of a collection's element, with its reference resolved.
  func value(of field: PropertyList, path: ArchivePath, depth: Int) throws(ModelArchiveError)
    -> ArchivedValue
  {
    try spend(1, at: path)
    guard case .uid(let number) = field else { return try scalar(field, path: path) }
    guard let index = Int(exactly: number), objects.indices.contains(index) else {
      throw ModelArchiveError(
        .contradiction, "A reference to object \(number), but there are only \(objects.count).",
        at: path)
    }
    guard let entries = objects[index].dictionary else {
      return objects[index] == .string("$null") ? .none : try scalar(objects[index], path: path)
    }
    guard depth <= Limits.archiveDepth else {
      throw ModelArchiveError(
        .limit, "Objects are nested more than \(Limits.archiveDepth) deep.", at: path)
    }
    guard case .uid(let classNumber)? = entries["$class"],
      let classIndex = Int(exactly: classNumber),
      let description = classes[classIndex]
    else {
      throw ModelArchiveError(.contradiction, "Object \(index) has no class.", at: path)
    }
    return .object(
      ArchivedObject(
        archive: self, index: index, classDescription: description, fields: entries, path: path,
        depth: depth))
  }

  private func scalar(_ value: PropertyList, path: ArchivePath) throws(ModelArchiveError)
    -> ArchivedValue
  {
    switch value {
    case .boolean, .integer, .float, .double, .string, .data, .date: return .scalar(value)
    case .null, .uid, .array, .set, .dictionary:
      throw ModelArchiveError(.wrongKind, "\(value.kind) is not allowed here.", at: path)
    }
  }

  /// Spends steps of the budget, which keeps time linear however often objects are shared.
  func spend(_ steps: Int, at path: ArchivePath) throws(ModelArchiveError) {
    budget -= steps
    guard budget >= 0 else {
      throw ModelArchiveError(
        .limit, "The archive shares objects too often to be read in linear time.", at: path)
    }
  }
}
