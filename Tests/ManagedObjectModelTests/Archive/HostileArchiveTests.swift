import Foundation
import ManagedObjectModel
import PredicateLanguage
import PropertyLists
import TestSupport
import Testing

@Suite struct `Hostile archives` {
  @Test func `Every truncation is an error`() throws {
    let bytes = try CompiledModel.write(model(entity("E", [attribute("a", .stringAttributeType)])))
    for count in 0..<bytes.count {
      #expect(throws: ModelArchiveError.self, "\(count) bytes") {
        try CompiledModel.read(bytes.prefix(count))
      }
    }
  }

  @Test func `Every truncation of a model cache is an error`() throws {
    let bytes = try ModelCache.encode(model(entity("E", [attribute("a", .stringAttributeType)])))
    for count in 0..<bytes.count {
      #expect(throws: ModelArchiveError.self, "\(count) bytes") {
        try ModelCache.decode(bytes.prefix(count))
      }
    }
  }

  @Test func `Changed bytes give an error or a usable model`() throws {
    var random = SeededGenerator.forTest()
    let bytes = try CompiledModel.write(EverythingModel.make())
    for _ in 0..<300 {
      var changed = bytes
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        changed[Int.random(in: 0..<changed.count, using: &random)] = UInt8.random(
          in: 0...255, using: &random)
      }
      use(changed)
    }
  }

  @Test func `References to wrong objects give an error or a usable model`() throws {
    var random = SeededGenerator.forTest()
    let archive = try Archive(CompiledModel.write(EverythingModel.make()))
    for _ in 0..<300 {
      var changed = archive
      for _ in 0..<Int.random(in: 1...4, using: &random) { changed.mutate(&random) }
      use(try changed.bytes())
    }
  }

  /// Reads an archive and, if that succeeds, uses the model.
  private func use(_ bytes: Data) {
    guard let model = try? CompiledModel.read(bytes) else { return }
    _ = model.entityVersionHashesByName
    _ = model == model.copy() as? NSManagedObjectModel
    for property in model.entities.flatMap(\.properties) {
      for predicate in property.validationPredicates { _ = predicate.description }
      if let derived = property as? NSDerivedAttributeDescription {
        _ = derived.derivationExpression?.description
      }
    }
    guard let again = try? CompiledModel.write(model) else { return }
    _ = try? CompiledModel.read(again)
  }

  // MARK: Format

  /// The property list of a model's archive with some of its keys changed.
  private func archive(_ keys: [String: PropertyList?]) throws -> Data {
    let bytes = try CompiledModel.write(model(entity("E", [attribute("a", .stringAttributeType)])))
    var fields = try #require(BinaryPropertyList.read([UInt8](bytes)).dictionary)
    for (key, value) in keys { fields[key] = value }
    return Data(try BinaryPropertyList.write(.dictionary(fields)))
  }

  @Test(
    arguments: [
      ["$version": .integer(100_001)], ["$version": .integer(99_999)], ["$version": nil],
      ["$archiver": .string("NSArchiver")], ["$archiver": nil], ["$top": nil], ["$objects": nil],
      ["$objects": .string("x")],
    ] as [[String: PropertyList?]])
  func `An archive of another form is not an archive`(keys: [String: PropertyList?]) throws {
    #expect(throws: Never.self) { try CompiledModel.read(try archive([:])) }
    let bytes = try archive(keys)
    let error = #expect(throws: ModelArchiveError.self) { try CompiledModel.read(bytes) }
    #expect(error?.code == .notAnArchive)
  }

  @Test func `A file that is too large is an error before it is read`() throws {
    try withTemporaryDirectory { folder in
      let url = folder.appendingPathComponent("Model.mom")
      try Data().write(to: url)
      // The file has no blocks on the disk.
      let handle = try FileHandle(forWritingTo: url)
      try handle.truncate(atOffset: UInt64(Limits.archiveBytes) + 1)
      try handle.close()
      let error = #expect(throws: ModelArchiveError.self) {
        try CompiledModel.read(contentsOf: url)
      }
      #expect(error?.code == .limit)
      #expect(error?.file == url.path)
    }
  }

  // MARK: Values

  private func read(
    _ value: Any, of type: NSAttributeType = .transformableAttributeType,
    _ change: (inout Archive, Int) -> Void
  ) throws -> NSAttributeDescription {
    let attribute = attribute("a", type, optional: true) { $0.defaultValue = value }
    var archive = try Archive(CompiledModel.write(model(entity("E", [attribute]))))
    let position = archive.positions(of: "NSAttributeDescription")[0]
    change(&archive, archive.reference("NSDefaultValue", at: position))
    let read = try CompiledModel.read(archive.bytes())
    return try #require(read.entitiesByName["E"]?.attributesByName["a"])
  }

  @Test func `Values that contradict their class are errors`() throws {
    let uuid = #expect(throws: ModelArchiveError.self) {
      try read(UUID(), of: .UUIDAttributeType) { archive, position in
        archive.set("NS.uuidbytes", .data(Array(repeating: 1, count: 17)), at: position)
      }
    }
    #expect(uuid?.code == .contradiction)
    let dictionary = #expect(throws: ModelArchiveError.self) {
      try read(["k": "v"]) { archive, position in
        archive.set("NS.keys", .array([.uid(0), .uid(0)]), at: position)
      }
    }
    #expect(dictionary?.code == .contradiction)
    let decimal = #expect(throws: ModelArchiveError.self) {
      try read(NSDecimalNumber(value: 5), of: .decimalAttributeType) { archive, position in
        archive.set("NS.exponent", .integer(128), at: position)
      }
    }
    #expect(decimal?.code == .contradiction)
  }

  @Test func `A set is read back as a set, a list as a list`() throws {
    #expect(
      try read(NSSet(array: ["a", "b"])) { _, _ in }.defaultValue as? NSSet
        == NSSet(array: ["a", "b"]))
    #expect(try read(["a", "b"]) { _, _ in }.defaultValue as? [String] == ["a", "b"])
  }

  @Test func `A decimal number is read in the byte order that it names`() throws {
    let read = try read(NSDecimalNumber(value: 258), of: .decimalAttributeType) {
      archive, position in
      archive.set("NS.mantissa.bo", .integer(2), at: position)
      archive.set("NS.mantissa", .data([1, 2] + Array(repeating: 0, count: 14)), at: position)
    }
    #expect(read.defaultValue as? NSDecimalNumber == NSDecimalNumber(value: 258))
  }

  @Test(arguments: [
    (PropertyList.integer(1), true), (.integer(0), false), (.boolean(true), true),
    (.boolean(false), false),
  ])
  func `A flag may be a number or a boolean`(value: PropertyList, flag: Bool) throws {
    var archive = try Archive(
      CompiledModel.write(model(entity("E", [attribute("a", .stringAttributeType)]))))
    archive.set("NSIsOptional", value, at: archive.positions(of: "NSAttributeDescription")[0])
    archive.set("NSIsAbstract", value, at: archive.positions(of: "NSEntityDescription")[0])
    let entity = try #require(CompiledModel.read(archive.bytes()).entitiesByName["E"])
    #expect(entity.attributesByName["a"]?.isOptional == flag)
    #expect(entity.isAbstract == flag)
  }

  /// The numbers are from Apple's files, because our writer and reader could both be wrong.
  @Test(arguments: [
    (0, false, false), (4, true, false), (16, false, true), (20, true, true), (8, false, false),
  ])
  func `The flags of an attribute have Apple's bits`(bits: Int128, external: Bool, history: Bool)
    throws
  {
    let attribute = attribute("a", .binaryDataAttributeType) {
      $0.allowsExternalBinaryDataStorage = external
      $0.preservesValueInHistoryOnDeletion = history
    }
    var archive = try Archive(CompiledModel.write(model(entity("E", [attribute]))))
    let position = archive.positions(of: "NSAttributeDescription")[0]
    if bits != 8 {
      #expect(archive.objects[position].dictionary?["NSFlagsKey"] ?? .integer(0) == .integer(bits))
    }
    archive.set("NSFlagsKey", .integer(bits), at: position)
    let read = try #require(
      CompiledModel.read(archive.bytes()).entitiesByName["E"]?.attributesByName["a"])
    #expect(read.allowsExternalBinaryDataStorage == external)
    #expect(read.preservesValueInHistoryOnDeletion == history)
  }

  @Test(arguments: [
    (30, true, false, true), (31, true, true, true), (14, true, false, false),
    (26, false, false, true),
  ])
  func `The flags of a fetch request have Apple's bits`(
    bits: Int128, propertyValues: Bool, distinct: Bool, pendingChanges: Bool
  ) throws {
    let library = libraryModel()
    let template = try #require(library.fetchRequestTemplate(forName: "everyone"))
    template.includesPropertyValues = propertyValues
    template.returnsDistinctResults = distinct
    template.includesPendingChanges = pendingChanges
    var archive = try Archive(CompiledModel.write(library))
    let position = archive.positions(of: "NSFetchRequest")[0]
    #expect(archive.objects[position].dictionary?["NSFetchRequestFlags"] == .integer(bits))
    // An older archive has no flags.
    archive.set("NSFetchRequestFlags", .uid(0), at: position)
    let read = try #require(
      CompiledModel.read(archive.bytes()).fetchRequestTemplate(forName: "everyone"))
    #expect(
      read.includesPropertyValues && read.includesPendingChanges && !read.returnsDistinctResults)
    #expect(read.includesSubentities && read.returnsObjectsAsFaults)
  }

  // MARK: Names instead of references

  private func libraryArchive(
    _ key: String, _ change: (inout Archive, Int) -> Void
  ) throws -> NSManagedObjectModel {
    var archive = try Archive(CompiledModel.write(libraryModel()))
    for position in archive.positions(of: "NSRelationshipDescription") {
      archive.set(key, .uid(0), at: position)
      change(&archive, position)
    }
    return try CompiledModel.read(archive.bytes())
  }

  @Test(arguments: ["NSDestinationEntity", "NSInverseRelationship"])
  func `A relationship without a reference is connected by names`(key: String) throws {
    #expect(try libraryArchive(key) { _, _ in } == libraryModel())
    let nameKey = "_\(key)Name"
    let error = #expect(throws: ModelArchiveError.self) {
      try libraryArchive(key) { archive, position in
        archive.set(nameKey, .string("nothing"), at: position)
      }
    }
    #expect(error?.code == .contradiction)
    #expect(error?.keyPath?.hasSuffix(nameKey) == true)
    let without = try libraryArchive(key) { archive, position in
      archive.set(nameKey, .uid(0), at: position)
    }
    let books = try #require(without.entitiesByName["Author"]?.relationshipsByName["books"])
    #expect(
      key == "NSDestinationEntity"
        ? books.destinationEntity == nil : books.inverseRelationship == nil)
  }

  @Test func `Validation predicates and warnings that do not match are an error`() throws {
    let attribute = attribute("a", .stringAttributeType) {
      $0.setValidationPredicates([NSPredicate(value: true)], withValidationWarnings: ["w"])
    }
    var archive = try Archive(CompiledModel.write(model(entity("E", [attribute]))))
    let position = archive.positions(of: "NSAttributeDescription")[0]
    let warnings = archive.reference("NSValidationWarnings", at: position)
    let warning = try #require(archive.objects[warnings].dictionary?["NS.objects"]?.array?.first)
    archive.set("NS.objects", .array([warning, warning]), at: warnings)
    let bytes = try archive.bytes()
    let error = #expect(throws: ModelArchiveError.self) { try CompiledModel.read(bytes) }
    #expect(error?.code == .contradiction)
    #expect(error?.keyPath?.hasSuffix("NSValidationWarnings") == true)
    archive.set("NS.objects", .array([]), at: warnings)
    let read = try CompiledModel.read(archive.bytes())
    #expect(read.entitiesByName["E"]?.attributesByName["a"]?.validationPredicates.count == 1)
  }

  // MARK: Shapes

  private func error(
    _ objects: [PropertyList], sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> ModelArchiveError? {
    let bytes = try Archive(objects: objects).bytes()
    return #expect(throws: ModelArchiveError.self, sourceLocation: sourceLocation) {
      try CompiledModel.read(bytes)
    }
  }

  @Test func `Other property lists are not archives`() throws {
    for value in [
      PropertyList.null, .array([]), .dictionary([:]), .dictionary(["$objects": .array([])]),
    ] {
      let bytes = Data(try BinaryPropertyList.write(value))
      let error = #expect(throws: ModelArchiveError.self) { try CompiledModel.read(bytes) }
      #expect(error?.code == .notAnArchive)
    }
  }

  @Test func `An archive of something else is not a model`() throws {
    let found = try error([
      .string("$null"), .object("NSArray", class: 2, ["NS.objects": .array([])]), .class("NSArray"),
    ])
    #expect(found?.code == .notAModel)
    #expect(found?.message.contains("NSArray") == true)
  }

  @Test func `A missing root is an error`() throws {
    #expect(try error([.string("$null")])?.code == .contradiction)
    #expect(try error([.string("$null"), .string("$null")])?.code == .notAnArchive)
    #expect(try error([.string("$null"), .dictionary([:])])?.code == .contradiction)
    #expect(try error([.string("$null"), .uid(1)])?.code == .wrongKind)
  }

  @Test func `An object that is its own class has no class`() throws {
    #expect(
      try error([.string("$null"), .dictionary(["$class": .uid(1)])])?.code == .contradiction)
  }

  @Test func `The path of an error names the keys`() throws {
    let found = try error([
      .string("$null"), .object("NSManagedObjectModel", class: 2, ["NSEntities": .uid(3)]),
      .class("NSManagedObjectModel"),
      .object("NSMutableDictionary", class: 4, ["NS.keys": .array([.uid(5)])]),
      .class("NSMutableDictionary", "NSDictionary"), .string("E"),
    ])
    #expect(found?.code == .missingKey)
    #expect(found?.keyPath == "root.NSEntities.NS.objects")
  }

  @Test func `Entities that inherit from each other are an error`() throws {
    let lower = entity("B")
    var archive = try Archive(CompiledModel.write(model(entity("A", subentities: [lower]), lower)))
    let names = archive.positions(of: "NSEntityDescription")
    for position in names {
      archive.set("NSSuperentity", .uid(UInt64(names[0] + names[1] - position)), at: position)
    }
    let bytes = try archive.bytes()
    let error = #expect(throws: ModelArchiveError.self) { try CompiledModel.read(bytes) }
    #expect(error?.code == .limit)
    #expect(error?.keyPath?.hasSuffix("NSSuperentity") == true)
  }

  @Test func `An entity that inherits from itself is an error`() throws {
    var archive = try Archive(CompiledModel.write(model(entity("A"))))
    let position = archive.positions(of: "NSEntityDescription")[0]
    archive.set("NSSuperentity", .uid(UInt64(position)), at: position)
    let bytes = try archive.bytes()
    #expect(throws: ModelArchiveError.self) { try CompiledModel.read(bytes) }
  }

  @Test func `A predicate that contains itself is an error`() throws {
    let negation = NSCompoundPredicate(notPredicateWithSubpredicate: NSPredicate(value: true))
    let attribute = attribute("a", .stringAttributeType) {
      $0.setValidationPredicates([negation], withValidationWarnings: ["w"])
    }
    var archive = try Archive(CompiledModel.write(model(entity("E", [attribute]))))
    let compound = archive.positions(of: "NSCompoundPredicate")[0]
    let array = archive.reference("NSSubpredicates", at: compound)
    archive.set("NS.objects", .array([.uid(UInt64(compound))]), at: array)
    let bytes = try archive.bytes()
    let error = #expect(throws: ModelArchiveError.self) { try CompiledModel.read(bytes) }
    #expect(error?.code == .limit)
  }

  @Test func `A value that contains itself many times over is an error in bounded time`() throws {
    let attribute = attribute("a", .transformableAttributeType) { $0.defaultValue = ["x"] }
    var archive = try Archive(CompiledModel.write(model(entity("E", [attribute]))))
    let array = archive.reference(
      "NSDefaultValue", at: archive.positions(of: "NSAttributeDescription")[0])
    archive.set("NS.objects", .array(Array(repeating: .uid(UInt64(array)), count: 8)), at: array)
    let bytes = try archive.bytes()
    let error = #expect(throws: ModelArchiveError.self) { try CompiledModel.read(bytes) }
    #expect(error?.code == .limit)
  }

  @Test func `References that double at every level are an error in bounded time`() throws {
    let attribute = attribute("a", .transformableAttributeType) { $0.defaultValue = ["x"] }
    var archive = try Archive(CompiledModel.write(model(entity("E", [attribute]))))
    let array = archive.reference(
      "NSDefaultValue", at: archive.positions(of: "NSAttributeDescription")[0])
    var next = archive.append(like: array, elements: [])
    for _ in 0..<100 {
      next = archive.append(like: array, elements: [.uid(UInt64(next)), .uid(UInt64(next))])
    }
    archive.set("NS.objects", .array([.uid(UInt64(next))]), at: array)
    let bytes = try archive.bytes()
    let error = #expect(throws: ModelArchiveError.self) { try CompiledModel.read(bytes) }
    #expect(error?.code == .limit)
  }

  @Test(arguments: [
    ("NSAttributeType", PropertyList.integer(77), ModelArchiveError.Code.contradiction),
    ("NSAttributeType", .integer(-1), .contradiction),
    ("NSAttributeType", .integer(Int128(UInt64.max)), .wrongKind),
    ("NSAttributeType", .string("700"), .wrongKind), ("NSPropertyName", .integer(1), .wrongKind),
    ("NSPropertyName", .uid(0), .missingKey), ("NSPropertyName", .string("b"), .contradiction),
    ("NSIsOptional", .string("yes"), .wrongKind), ("NSUserInfo", .uid(1), .contradiction),
    ("NSDefaultValue", .uid(99_999), .contradiction), ("NSDefaultValue", .array([]), .wrongKind),
    ("NSValidationPredicates", .uid(1), .wrongKind), ("NSFlagsKey", .double(1.5), .wrongKind),
  ])
  func `A key with a wrong value is an error that names it`(
    key: String, value: PropertyList, code: ModelArchiveError.Code
  ) throws {
    var archive = try Archive(
      CompiledModel.write(model(entity("E", [attribute("a", .stringAttributeType)]))))
    archive.set(key, value, at: archive.positions(of: "NSAttributeDescription")[0])
    let bytes = try archive.bytes()
    let error = #expect(throws: ModelArchiveError.self) { try CompiledModel.read(bytes) }
    if key != "NSUserInfo" {
      #expect(error?.code == code)
      #expect(error?.keyPath?.contains(key) == true)
    }
  }

  @Test(arguments: [
    ("NSMaxCount", PropertyList.integer(-2)), ("NSMinCount", .integer(1 << 40)),
    ("NSDeleteRule", .integer(9)),
    ("NSDestinationEntity", .uid(1)), ("NSInverseRelationship", .boolean(true)),
  ])
  func `A relationship with a wrong value is an error`(key: String, value: PropertyList) throws {
    let source = entity("E")
    relate(source, "r", to: source, maxCount: 1)
    var archive = try Archive(CompiledModel.write(model(source)))
    archive.set(key, value, at: archive.positions(of: "NSRelationshipDescription")[0])
    let bytes = try archive.bytes()
    let error = #expect(throws: ModelArchiveError.self) { try CompiledModel.read(bytes) }
    #expect(error?.keyPath?.hasSuffix(key) == true)
  }

  @Test func `A name that is too long is an error`() throws {
    let long = String(repeating: "x", count: Limits.nameBytes + 1)
    let bytes = try CompiledModel.write(model(entity(long)))
    let error = #expect(throws: ModelArchiveError.self) { try CompiledModel.read(bytes) }
    #expect(error?.code == .limit)
  }
}

extension PropertyList {
  fileprivate static func object(
    _ name: String, class index: UInt64, _ fields: [String: PropertyList]
  ) -> PropertyList {
    .dictionary(fields.merging(["$class": .uid(index)]) { _, new in new })
  }

  fileprivate static func `class`(_ names: String...) -> PropertyList {
    .dictionary([
      "$classname": .string(names[0]), "$classes": .array(names.map(PropertyList.string)),
    ])
  }
}

/// A keyed archive whose objects can be changed.
private struct Archive {
  var objects: [PropertyList]

  init(objects: [PropertyList]) {
    self.objects = objects
  }

  init(_ bytes: Data) throws {
    objects = try BinaryPropertyList.read([UInt8](bytes)).dictionary?["$objects"]?.array ?? []
  }

  func bytes() throws -> Data {
    Data(
      try BinaryPropertyList.write(
        .dictionary([
          "$archiver": .string("NSKeyedArchiver"), "$version": .integer(100_000),
          "$top": .dictionary(["root": .uid(1)]), "$objects": .array(objects),
        ])))
  }

  func positions(of className: String) -> [Int] {
    objects.indices.filter { index in
      guard case .uid(let number)? = objects[index].dictionary?["$class"] else { return false }
      return objects[Int(number)].dictionary?["$classname"] == .string(className)
    }
  }

  func reference(_ key: String, at index: Int) -> Int {
    guard case .uid(let number)? = objects[index].dictionary?[key] else { return 0 }
    return Int(number)
  }

  mutating func set(_ key: String, _ value: PropertyList, at index: Int) {
    var fields = objects[index].dictionary ?? [:]
    fields[key] = value
    objects[index] = .dictionary(fields)
  }

  /// Adds an array of the same class as another one, and returns its position.
  mutating func append(like index: Int, elements: [PropertyList]) -> Int {
    objects.append(objects[index])
    set("NS.objects", .array(elements), at: objects.count - 1)
    return objects.count - 1
  }

  /// Makes one random change: another reference, another number, or a removed key.
  mutating func mutate(_ random: inout SeededGenerator) {
    let index = Int.random(in: 1..<objects.count, using: &random)
    guard let fields = objects[index].dictionary,
      let key = fields.keys.sorted().randomElement(using: &random)
    else {
      return
    }
    let target = UInt64.random(in: 0..<UInt64(objects.count), using: &random)
    switch Int.random(in: 0..<4, using: &random) {
    case 0: objects[index] = .dictionary(fields.filter { $0.key != key })
    case 1: set(key, .integer(Int128(Int64.random(in: -5...2200, using: &random))), at: index)
    default:
      if var elements = fields[key]?.array, !elements.isEmpty {
        elements[Int.random(in: 0..<elements.count, using: &random)] = .uid(target)
        set(key, .array(elements), at: index)
      } else {
        set(key, .uid(target), at: index)
      }
    }
  }
}
