import PropertyLists

/// Compares two keyed archives from their roots and lists the differences.
///
/// Variations between Apple's own tools do not count: mutable or immutable collections and strings,
/// the order of dictionaries and sets, empty or missing lists, and the form of a Boolean.
struct ArchiveComparison {
  private let apples: Graph
  private let ours: Graph
  private var visited: Set<[UInt64]> = []
  private var differences: [String] = []
  private(set) var comparedObjects = 0

  /// Keys of Apple's compiler that we do not write.
  private let unwritten: Set<String> = ["CDMCompilerXcodeVersion", "CDMCompilerToolVersion"]

  /// Keys for which a missing value equals an empty collection.
  private let emptyWhenMissing: Set<String> = [
    "NSFetchIndexDescriptions", "NSCompoundIndexes", "NSSubentities",
  ]

  init(apples: [UInt8], ours: [UInt8]) throws {
    self.apples = try Graph(apples)
    self.ours = try Graph(ours)
  }

  mutating func run() -> [String] {
    compare(apples.root, ours.root, at: "root")
    return differences
  }

  private mutating func compare(_ apple: PropertyList?, _ our: PropertyList?, at path: String) {
    if case .uid(let one)? = apple, case .uid(let other)? = our {
      guard visited.insert([one, other]).inserted else { return }
    }
    let (left, right) = (apples.resolve(apple), ours.resolve(our))
    guard let leftObject = left?.dictionary, let rightObject = right?.dictionary else {
      if left != right {
        differences.append("\(path): \(left?.kind ?? "nothing") / \(right?.kind ?? "nothing")")
      }
      return
    }
    comparedObjects += 1
    let (leftClass, rightClass) = (apples.className(leftObject), ours.className(rightObject))
    guard leftClass == rightClass else {
      differences.append("\(path): \(leftClass) / \(rightClass)")
      return
    }
    compareFields(leftObject, rightObject, className: leftClass, at: path)
  }

  private mutating func compareFields(
    _ left: [String: PropertyList], _ right: [String: PropertyList], className: String,
    at path: String
  ) {
    if left["NS.keys"] != nil {
      compareEntries(apples.entries(left), ours.entries(right), at: path)
    } else if let elements = left["NS.objects"]?.array, let others = right["NS.objects"]?.array {
      compareElements(elements, others, className: className, at: path)
    } else {
      for key in Set(left.keys).union(right.keys).sorted()
      where key != "$class" && !unwritten.contains(key) {
        if emptyWhenMissing.contains(key), apples.isEmpty(left[key]), ours.isEmpty(right[key]) {
          continue
        }
        // An index of an older framework does not name its entity.
        if key == "NSEntity", className == "NSFetchIndexDescription",
          apples.resolve(left[key]) == nil
        {
          continue
        }
        // A missing name means the standard class, which other archives name.
        if key == "NSClassNameForEntity", apples.resolve(left[key]) == nil,
          ours.resolve(right[key]) == .string("NSManagedObject")
        {
          continue
        }
        // Our zero has no exponent. Apple's keeps the exponent with which it was written.
        if key == "NS.exponent", left["NS.length"] == .integer(0) { continue }
        compare(left[key], right[key], at: "\(path).\(key)")
      }
    }
  }

  private mutating func compareEntries(
    _ left: [String: PropertyList], _ right: [String: PropertyList], at path: String
  ) {
    for key in Set(left.keys).union(right.keys).sorted() {
      compare(left[key], right[key], at: "\(path).\(key)")
    }
  }

  private mutating func compareElements(
    _ left: [PropertyList], _ right: [PropertyList], className: String, at path: String
  ) {
    guard left.count == right.count else {
      differences.append("\(path): \(left.count) / \(right.count) elements")
      return
    }
    guard className == "NSSet" else {
      for (position, pair) in zip(left, right).enumerated() {
        compare(pair.0, pair.1, at: "\(path).\(position)")
      }
      return
    }
    let (names, others) = (Set(left.map(apples.label)), Set(right.map(ours.label)))
    if names != others { differences.append("\(path): \(names.sorted()) / \(others.sorted())") }
  }
}

/// The objects of a keyed archive.
private struct Graph {
  let objects: [PropertyList]
  let root: PropertyList?

  init(_ bytes: [UInt8]) throws {
    let list = try BinaryPropertyList.read(bytes)
    objects = list.dictionary?["$objects"]?.array ?? []
    root = list.dictionary?["$top"]?.dictionary?["root"]
  }

  /// The target of a reference, with a string object as its text and null as nil.
  func resolve(_ value: PropertyList?) -> PropertyList? {
    guard case .uid(let index)? = value else { return value }
    let object = objects[Int(index)]
    if object == .string("$null") { return nil }
    return object.dictionary?["NS.string"] ?? object
  }

  /// The class name, equal for mutable and immutable classes.
  func className(_ object: [String: PropertyList]) -> String {
    let name = resolve(object["$class"])?.dictionary?["$classname"]?.string ?? ""
    return name.hasPrefix("NSMutable") ? "NS\(name.dropFirst("NSMutable".count))" : name
  }

  func entries(_ object: [String: PropertyList]) -> [String: PropertyList] {
    let keys = (object["NS.keys"]?.array ?? []).map { resolve($0)?.string ?? "" }
    return Dictionary(uniqueKeysWithValues: zip(keys, object["NS.objects"]?.array ?? []))
  }

  func isEmpty(_ value: PropertyList?) -> Bool {
    guard let object = resolve(value)?.dictionary else { return true }
    return object["NS.objects"]?.array?.isEmpty ?? false
  }

  /// A label that distinguishes the elements of a set.
  func label(_ value: PropertyList) -> String {
    let object = resolve(value)
    return object?.string ?? resolve(object?.dictionary?["NSEntityName"])?.string
      ?? "\(String(describing: object))"
  }
}
