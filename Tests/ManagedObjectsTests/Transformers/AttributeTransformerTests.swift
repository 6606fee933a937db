import Foundation
import ManagedObjectModel
import ManagedObjects
import PropertyLists
import SQLiteDriver
import TestSupport
import Testing

/// A value class that transformers must allow by name.
final class Cover: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }
  let color: String

  init(_ color: String) { self.color = color }
  init?(coder: NSCoder) {
    color = coder.decodeObject(of: NSString.self, forKey: "color").map { "\($0)" } ?? ""
  }
  func encode(with coder: NSCoder) { coder.encode(color as NSString, forKey: "color") }
  override func isEqual(_ object: Any?) -> Bool { (object as? Cover)?.color == color }
}

/// A value class without secure coding.
final class OldCover: NSObject, NSCoding {
  override init() {}
  init?(coder: NSCoder) {}
  func encode(with coder: NSCoder) {}
}

/// A value class whose objects contain others.
final class Sleeve: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }
  let contents: NSObject

  init(_ contents: NSObject) { self.contents = contents }
  init?(coder: NSCoder) {
    let classes = [NSArray.self, NSString.self, NSDate.self]
    guard let contents = coder.decodeObject(of: classes, forKey: "contents") as? NSObject else {
      return nil
    }
    self.contents = contents
  }
  func encode(with coder: NSCoder) { coder.encode(contents, forKey: "contents") }
  override func isEqual(_ object: Any?) -> Bool { (object as? Sleeve)?.contents == contents }
}

@Suite struct AttributeTransformerTests {
  /// A class without an archive name.
  final class Nested: NSObject, NSCoding {
    override init() { super.init() }
    init?(coder: NSCoder) { super.init() }
    func encode(with coder: NSCoder) {}
  }

  final class CoverTransformer: NSSecureUnarchiveFromDataTransformer {
    override class var allowedTopLevelClasses: [AnyClass] { [Cover.self, OldCover.self] }
  }

  final class SleeveTransformer: NSSecureUnarchiveFromDataTransformer {
    override class var allowedTopLevelClasses: [AnyClass] { [NSArray.self, Sleeve.self] }
  }

  /// A transformer to bytes.
  final class ReversingTransformer: ValueTransformer {
    override class func transformedValueClass() -> AnyClass { NSData.self }
    override func transformedValue(_ value: Any?) -> Any? {
      (value as? String).map { Data($0.utf8.reversed()) }
    }
    override func reverseTransformedValue(_ value: Any?) -> Any? {
      (value as? Data).map { String(decoding: $0.reversed(), as: UTF8.self) }
    }
  }

  /// A transformer to values other than bytes.
  final class ShiftingTransformer: ValueTransformer {
    override func transformedValue(_ value: Any?) -> Any? { (value as? Int).map { $0 + 1 } }
  }

  private static let secureName = "NSSecureUnarchiveFromData"
  private let entity = NSEntityDescription()
  private let attribute = NSAttributeDescription()

  init() {
    entity.name = "Book"
    attribute.name = "cover"
    attribute.attributeType = .transformableAttributeType
    entity.properties = [attribute]
  }

  private func transformer(_ name: String?) -> AttributeTransformer {
    attribute.valueTransformerName = name
    return AttributeTransformer(attribute)
  }

  private func register(_ transformer: ValueTransformer, _ name: String) {
    ValueTransformer.setValueTransformer(transformer, forName: NSValueTransformerName(name))
  }

  private func expectError(_ words: String..., from body: () throws -> Any?) {
    #expect(throws: NSError.self) { _ = try body() }
    do {
      _ = try body()
    } catch {
      let message = error.localizedDescription
      for word in words + ["Book.cover"] { #expect(message.contains(word), "\(message)") }
      #expect((error as NSError).domain == NSCocoaErrorDomain)
    }
  }

  // MARK: Values that go through an archive

  private static var values: [NSObject] {
    [
      "text" as NSString, "" as NSString, "$null" as NSString, 5 as NSNumber, -1.5 as NSNumber,
      true as NSNumber,
      NSNumber(value: UInt64.max), NSDecimalNumber(string: "-12345678901234567890.125"),
      NSDate(timeIntervalSinceReferenceDate: 7.25), NSData(data: Data([0, 255])),
      NSURL(fileURLWithPath: "/a b"), NSUUID(), NSNull(), NSArray(),
      ["a", 1, ["b": NSNull()]] as NSArray,
      ["z": 1, "a": ["x", 2]] as NSDictionary, NSSet(array: ["a", 2]),
    ]
  }

  @Test(arguments: [nil, "", secureName, "NSKeyedUnarchiveFromData"])
  func `Values of Foundation's classes survive`(name: String?) throws {
    let transformer = transformer(name)
    for value in Self.values {
      let data = try #require(try transformer.encode(value))
      let decoded = try transformer.decode(data)
      #expect((decoded as? NSObject) == value)
      let again = try #require(try transformer.encode(value))
      #expect(again == data, "\(value) has bytes that vary")
    }
  }

  @Test func `Swift values come back as their bridged classes`() throws {
    let transformer = transformer(Self.secureName)
    #expect(
      try transformer.decode(#require(try transformer.encode(["b", "a"]))) as? [String] == [
        "b", "a",
      ])
    #expect(
      try transformer.decode(#require(try transformer.encode(Set([3, 1])))) as? Set<Int> == [1, 3])
    #expect(
      try transformer.decode(#require(try transformer.encode(["k": 1.5]))) as? [String: Double] == [
        "k": 1.5
      ])
  }

  @Test func `Foundation's archiver reads our archives`() throws {
    for value in Self.values where !(value is NSDecimalNumber) {
      let data = try #require(try transformer(Self.secureName).encode(value))
      let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
      unarchiver.requiresSecureCoding = false
      #expect(unarchiver.decodeObject(forKey: NSKeyedArchiveRootObjectKey) as? NSObject == value)
    }
  }

  @Test func `Mutable values come back mutable`() throws {
    let archive = try NSKeyedArchiver.archivedData(
      withRootObject: NSMutableArray(array: ["a"]), requiringSecureCoding: true)
    let array = try #require(try transformer(Self.secureName).decode(archive) as? NSMutableArray)
    array.add("b")
    #expect(array == ["a", "b"])
  }

  @Test func `Dictionaries may have keys other than strings`() throws {
    let transformer = transformer(Self.secureName)
    let value: NSDictionary = [1: "one", NSDate(timeIntervalSinceReferenceDate: 0): "date"]
    #expect(
      try transformer.decode(#require(try transformer.encode(value))) as? NSDictionary == value)
  }

  @Test func `A custom class needs a transformer that allows it`() throws {
    register(CoverTransformer(), "AttributeTransformerTests.Cover")
    let own = transformer("AttributeTransformerTests.Cover")
    let data = try #require(try own.encode(Cover("red")))
    #expect(try own.decode(data) as? Cover == Cover("red"))
    #expect(try transformer(nil).decode(data) as? Cover == Cover("red"))
    let secure = transformer(Self.secureName)
    expectError("Cover", "allowedTopLevelClasses") { try secure.encode(Cover("red")) }
    expectError("Cover", "allowedTopLevelClasses") { try secure.decode(data) }
  }

  @Test func `Objects of an allowed class contain values, and others that are allowed`() throws {
    register(SleeveTransformer(), "AttributeTransformerTests.Sleeve")
    let inner = try #require(try transformer(nil).encode(Sleeve(Cover("red"))))
    let transformer = transformer("AttributeTransformerTests.Sleeve")
    let date = NSDate(timeIntervalSinceReferenceDate: 7)
    for value in [Sleeve(date), [Sleeve(["a" as NSString, date] as NSArray)] as NSArray] {
      let data = try #require(try transformer.encode(value))
      #expect(try transformer.decode(data) as? NSObject == value)
    }
    // A value that `init(coder:)` does not ask for does not stop the program.
    let other = try #require(try transformer.encode(Sleeve(NSUUID())))
    _ = try? transformer.decode(other)
    expectError("Cover", "allowedTopLevelClasses") { try transformer.encode(Sleeve(Cover("red"))) }
    expectError("Cover", "allowedTopLevelClasses") { try transformer.decode(inner) }
    register(CoverTransformer(), "AttributeTransformerTests.Old")
    let old = self.transformer("AttributeTransformerTests.Old")
    expectError("OldCover", "secure coding") { try old.encode(OldCover()) }
  }

  @Test func `Members of collections have to be allowed`() throws {
    register(SleeveTransformer(), "AttributeTransformerTests.Members")
    let members: [NSObject] = [NSUUID(), Cover("red"), ["a": NSUUID()] as NSDictionary]
    for member in members {
      let value = [[member] as NSArray] as NSArray
      let data = try #require(try transformer(nil).encode(value))
      let transformer = transformer("AttributeTransformerTests.Members")
      expectError("allowedTopLevelClasses") { try transformer.encode(value) }
      expectError("allowedTopLevelClasses") { try transformer.decode(data) }
    }
  }

  @Test func `An archive may name replacements that are unknown here`() throws {
    register(CoverTransformer(), "AttributeTransformerTests.Replaced")
    let transformer = transformer("AttributeTransformerTests.Replaced")
    NSKeyedUnarchiver.setClass(Cover.self, forClassName: "Apple.Cover")
    let description: [String: PropertyList] = [
      "$classname": .string("Apple.Cover"),
      "$classes": .array([.string("Apple.Cover"), .string("NSObject")]),
      "$classhints": .array([.string("Apple.OldCover")]),
    ]
    let data = try Self.archive(ofObject: description, color: "red")
    #expect(try transformer.decode(data) as? Cover == Cover("red"))
  }

  @Test func `Other transformers encode by their forward transformation`() throws {
    register(ReversingTransformer(), "AttributeTransformerTests.Reversing")
    let transformer = transformer("AttributeTransformerTests.Reversing")
    #expect(try transformer.encode("abc") == Data("cba".utf8))
    #expect(try transformer.decode(Data("cba".utf8)) as? String == "abc")
    #expect(try transformer.encode(5) == nil)
    register(ShiftingTransformer(), "AttributeTransformerTests.Shifting")
    let shifting = self.transformer("AttributeTransformerTests.Shifting")
    expectError("Shifting", "Int", "not into data") { try shifting.encode(5) }
  }

  // MARK: Errors

  @Test func `An unregistered transformer is named`() {
    let transformer = transformer("ColorTransformer")
    expectError("ColorTransformer", "setValueTransformer") { try transformer.encode("x") }
    expectError("ColorTransformer", "setValueTransformer") { try transformer.decode(Data()) }
  }

  @Test func `A value that cannot be archived is named by its class`() {
    struct Plain {}
    expectError("Plain", "NSSecureCoding") { [transformer = transformer(nil)] in
      try transformer.encode(Plain())
    }
  }

  @Test func `A class inside another type is an error, not a crash`() {
    for value in [Nested(), [Nested()] as NSArray, Sleeve(Nested())] {
      expectError("Nested", "setClassName") { [transformer = transformer(nil)] in
        try transformer.encode(value)
      }
    }
  }

  @Test func `Bytes that are not an archive are an error`() {
    for data in [Data(), Data([1, 2, 3]), Data("bplist00".utf8)] {
      expectError("not a keyed archive") { [transformer = transformer(nil)] in
        try transformer.decode(data)
      }
    }
  }

  /// Archives for which Foundation stops the program.
  @Test(
    arguments: [
      ("NSObject", ["NSDictionary", "NSObject"], [], "NSObject"),
      ("NSKeyedArchiver", ["NSArray", "NSObject"], [], "NSKeyedArchiver"),
      ("Gone", ["ManagedObjectsTests.Cover", "NSObject"], ["NSKeyedArchiver"], "NSKeyedArchiver"),
      (nil, [], ["NSObject"], "NSObject"),
      (
        "ManagedObjectsTests.OldCover", ["ManagedObjectsTests.OldCover", "NSObject"], [],
        "secure coding"
      ),
    ] as [(String?, [String], [String], String)])
  func `An archive with false class names is an error`(
    name: String?, lineage: [String], hints: [String], word: String
  ) throws {
    register(CoverTransformer(), "AttributeTransformerTests.ClaimedCover")
    var description: [String: PropertyList] = ["$classes": .array(lineage.map(PropertyList.string))]
    description["$classname"] = name.map(PropertyList.string)
    if !hints.isEmpty { description["$classhints"] = .array(hints.map(PropertyList.string)) }
    let data = try Self.archive(ofObject: description)
    for transformer in [
      transformer(Self.secureName), transformer("AttributeTransformerTests.ClaimedCover"),
    ] {
      expectError { try transformer.decode(data) }
    }
    expectError(word) { [transformer = transformer("AttributeTransformerTests.ClaimedCover")] in
      try transformer.decode(data)
    }
  }

  /// The archive of one object.
  private static func archive(
    ofObject classDescription: [String: PropertyList], color: String = ""
  ) throws -> Data {
    let objects = [
      .string("$null"), .dictionary(["$class": .uid(2), "color": .uid(3)]),
      PropertyList.dictionary(classDescription), .string(color),
    ]
    let archive: [String: PropertyList] = [
      "$version": .integer(100_000), "$archiver": .string("NSKeyedArchiver"),
      "$top": .dictionary(["root": .uid(1)]), "$objects": .array(objects),
    ]
    return Data(try BinaryPropertyList.write(.dictionary(archive)))
  }

  @Test func `A damaged archive is an error or a value, never a crash`() throws {
    let archive = try #require(
      try transformer(nil).encode(["a": [1, "b", NSNull()], "c": ["d"]] as NSDictionary))
    let transformer = transformer(Self.secureName)
    var generator = SeededGenerator.forTest()
    for _ in 0..<2000 {
      var bytes = [UInt8](archive)
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        bytes[Int.random(in: bytes.indices, using: &generator)] = UInt8.random(
          in: .min ... .max, using: &generator)
      }
      _ = try? transformer.decode(Data(bytes))
    }
  }

  // MARK: Apple's archives

  @Test(
    .requiresFixtures,
    arguments: [
      (
        "XCServerCoreData__XCServerCoreData_1.2.0.sqlite", "ZCOMMITCONTRIBUTOR", "ZEMAILS",
        "[String]"
      ),
      (
        "XCServerCoreData__XCServerCoreData_1.2.0.sqlite", "ZINTEGRATION", "ZTESTHIERACHY",
        "[String: Any]"
      ),
      (
        "CareKit__SampleStore2.0.sqlite", "ZOCKCDCONTACT", "ZPHONENUMBERSDICTIONARY",
        "[String: String]"
      ),
      ("plaso__Accounts3.sqlite", "ZDATACLASS", "ZNAME", "String"),
      ("plaso__Accounts3.sqlite", "ZACCOUNT", "ZDATACLASSPROPERTIES", "[String: Any]"),
      (
        "plaso__NoteStore.sqlite", "ZICCLOUDSYNCINGOBJECT", "ZREPLICAIDTOBUNDLEIDENTIFIER",
        "[String: UUID]"
      ),
    ])
  func `Values in stores that Apple's Core Data wrote are read`(
    store: String, table: String, column: String, type: String
  ) throws {
    let blobs = try Self.blobs(store, table, column)
    #expect(!blobs.isEmpty)
    let transformer = transformer(Self.secureName)
    for blob in blobs {
      let value = try transformer.decode(blob)
      let isOfType =
        switch type {
        case "[String]": value is [String]
        case "[String: Any]": value is [String: Any]
        case "[String: String]": value is [String: String]
        case "[String: UUID]": value is [String: UUID]
        default: value is String
        }
      #expect(isOfType, "\(String(describing: value)) is not a \(type)")
    }
  }

  @Test(.requiresFixtures)
  func `A foreign class is named in the error`() throws {
    let blobs = try Self.blobs("CoreDataPlus__SampleModel2_V2.sqlite", "ZBOOK", "ZFRONTCOVER")
    let blob = try #require(blobs.first)
    let transformer = transformer(nil)
    expectError("CoreDataPlus_Tests.Cover") { try transformer.decode(blob) }
  }

  private static func blobs(_ store: String, _ table: String, _ column: String) throws -> [Data] {
    let url = try Fixtures.url("stores/\(store)")
    return try withTemporaryDirectory { folder in
      let copy = folder.appendingPathComponent("copy.sqlite")
      try FileManager.default.copyItem(at: url, to: copy)
      let connection = try Connection(.file(copy.path))
      let rows = try connection.rows("SELECT \(column) FROM \(table) WHERE \(column) IS NOT NULL")
      return rows.compactMap { if case .blob(let bytes)? = $0.first { Data(bytes) } else { nil } }
    }
  }
}
