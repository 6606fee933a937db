import ManagedObjectModel
import ModelSource
import TestSupport
import Testing

@Suite struct `Bad models` {
  static let mistakes: [(String, ModelSourceError.Code, String)] = [
    ("<entity/>", .missingValue, "no name"),
    ("<entity name=\"a b\"/>", .badName, "cannot be the name"),
    ("<entity name=\"E\"/><entity name=\"E\"/>", .duplicateName, "another entity E"),
    ("<entity name=\"E\" parentEntity=\"F\"/>", .unresolved, "not an entity"),
    ("<entity name=\"E\" parentEntity=\"E\"/>", .cycle, "E → E"),
    (
      "<entity name=\"A\" parentEntity=\"B\"/><entity name=\"B\" parentEntity=\"A\"/>", .cycle,
      "A → B → A"
    ),
    ("<entity name=\"E\" isAbstract=\"perhaps\"/>", .badValue, "neither YES nor NO"),
    ("<entity name=\"E\" codeGenerationType=\"magic\"/>", .badValue, "generate code"),
    ("<entity name=\"E\" representedClassName=\"A.\"/>", .badName, "name of a class"),
    (within("<attribute attributeType=\"String\"/>"), .missingValue, "no name"),
    (within("<attribute name=\"a\" attributeType=\"Strnig\"/>"), .badValue, "not a type"),
    (within("<attribute name=\"a\"/>"), .missingValue, "transient"),
    (
      within(
        "<attribute name=\"a\" attributeType=\"String\"/><attribute name=\"a\" attributeType=\"String\"/>"
      ),
      .duplicateName, "another property a"
    ),
    (
      within("<attribute name=\"a\" attributeType=\"Integer 16\" minValueString=\"x\"/>"),
      .badValue, "not a number"
    ),
    (
      within(
        "<attribute name=\"a\" attributeType=\"Integer 16\" minValueString=\"2\" maxValueString=\"1\"/>"
      ),
      .contradiction, "lower limit"
    ),
    (
      within("<attribute name=\"a\" attributeType=\"String\" derived=\"YES\"/>"), .missingValue,
      "derivationExpression"
    ),
    (
      within(
        "<attribute name=\"a\" attributeType=\"String\" derived=\"YES\" derivationExpression=\"a +\"/>"
      ),
      .badPredicate, "cannot be read"
    ),
    (
      within("<attribute name=\"a\" optional=\"YES\" attributeType=\"Composite\"/>"), .missingValue,
      "composite"
    ),
    (
      within(
        "<attribute name=\"a\" optional=\"YES\" attributeType=\"Composite\" composite=\"C\"/>"),
      .unresolved,
      "no composite C"
    ),
    ("<composite name=\"C\"/>", .missingValue, "no attributes"),
    (composite("A", uses: "B") + composite("B", uses: "A"), .cycle, "A → B → A"),
    (within("<relationship name=\"r\"/>"), .missingValue, "destinationEntity"),
    (within("<relationship name=\"r\" destinationEntity=\"X\"/>"), .unresolved, "not an entity"),
    (
      within("<relationship name=\"r\" destinationEntity=\"E\" deletionRule=\"Explode\"/>"),
      .badValue,
      "not a delete rule"
    ),
    (
      within("<relationship name=\"r\" destinationEntity=\"E\" maxCount=\"-1\"/>"), .badValue,
      "not a number from 0"
    ),
    (
      within("<relationship name=\"r\" destinationEntity=\"E\" maxCount=\"99999999999\"/>"),
      .badValue,
      "not a number from 0"
    ),
    (
      within(
        "<relationship name=\"r\" destinationEntity=\"E\" toMany=\"YES\" minCount=\"3\" maxCount=\"2\"/>"
      ),
      .contradiction, "minimum count"
    ),
    (
      within(
        "<relationship name=\"r\" destinationEntity=\"E\" inverseName=\"q\" inverseEntity=\"E\"/>"),
      .unresolved,
      "not a relationship"
    ),
    (
      within(
        "<relationship name=\"r\" destinationEntity=\"E\" inverseName=\"r\" inverseEntity=\"X\"/>"),
      .unresolved,
      "of the inverse"
    ),
    (
      within(
        "<relationship name=\"r\" destinationEntity=\"E\" inverseName=\"q\" inverseEntity=\"E\"/><relationship name=\"q\" destinationEntity=\"E\"/>"
      ), .contradiction, "does not name"
    ),
    (
      related("X", "owner", to: "Z", "things") + related("Y", "owner", to: "Z", "things")
        + related("Z", "things", to: "X", "owner"), .contradiction, "of another relationship"
    ),
    (
      related("X", "owner", to: "Y", "things", of: "Z") + related("Z", "things", to: "X", "owner")
        + "<entity name=\"Y\"/>", .contradiction, "neither the entity Y"
    ),
    (within("<fetchedProperty name=\"f\"/>"), .missingValue, "no fetch request"),
    (
      within("<fetchedProperty name=\"f\"><fetchRequest entity=\"X\"/></fetchedProperty>"),
      .unresolved,
      "not in this model"
    ),
    (
      within("<fetchIndex name=\"i\"><fetchIndexElement property=\"x\"/></fetchIndex>"),
      .unresolved, "not a property"
    ),
    (
      within("<fetchIndex name=\"i\"><fetchIndexElement expression=\"((\"/></fetchIndex>"),
      .badPredicate,
      "cannot be read"
    ),
    (
      within(
        "<uniquenessConstraints><uniquenessConstraint><constraint value=\"x\"/></uniquenessConstraint></uniquenessConstraints>"
      ), .unresolved, "not a property"
    ),
    (
      "<entity name=\"E\"/><fetchRequest name=\"f\" entity=\"E\" predicateString=\"a ==\"/>",
      .badPredicate,
      "cannot be read"
    ),
    (
      "<entity name=\"E\"/><fetchRequest name=\"f\" entity=\"E\" resultType=\"3\"/>", .badValue,
      "not a result type"
    ),
    ("<entity name=\"E\"/><fetchRequest entity=\"E\"/>", .missingValue, "no name"),
    (
      "<configuration name=\"c\"><memberEntity name=\"X\"/></configuration>", .unresolved,
      "not an entity"
    ),
    (
      "<configuration name=\"c\"/><configuration name=\"c\"/>", .duplicateName,
      "another configuration"
    ),
    (
      "<entity name=\"P\"><attribute name=\"a\" attributeType=\"String\"/></entity><entity name=\"C\" parentEntity=\"P\"><attribute name=\"a\" attributeType=\"String\"/></entity>",
      .duplicateName, "inherits"
    ),
  ]

  @Test(arguments: mistakes)
  func `An error has its place and a remedy`(
    body: String, code: ModelSourceError.Code, words: String
  )
    throws
  {
    let errors = SourceText(body).errors
    let error = try #require(errors.first { $0.code == code }, "\(errors)")
    #expect(error.problem.contains(words), "\(error.problem)")
    #expect(error.position != nil)
    #expect(!error.remedy.isEmpty)
    #expect(errors.count <= 2, "one mistake leads to at most two errors")
  }

  @Test func `An unreadable predicate is shown with a caret`() throws {
    let text = SourceText(
      "<entity name=\"E\"/><fetchRequest name=\"f\" entity=\"E\" predicateString=\"a == == b\"/>")
    let error = try #require(text.errors.first)
    #expect(error.remedy.contains("a == == b\n     ^"), "\(error.remedy)")
  }

  @Test func `One run reports all errors in the format of a compiler`() throws {
    let error = #expect(throws: ModelSourceError.self) {
      try SourceText(
        "<entity name=\"E\" parentEntity=\"F\"/>\n<entity/>\n<entity name=\"G\" isAbstract=\"7\"/>"
      ).read()
    }
    #expect(error?.errors.map(\.position?.line) == [4, 5, 3])
    #expect(
      error?.message.hasPrefix("contents:4:1: error: <entity> has no name.") == true,
      "\(error?.message ?? "")")
  }

  @Test func `Excess errors are counted, not listed`() throws {
    let body = (0..<1000).map { "<entity name=\"E\($0)\" isAbstract=\"x\"/>" }.joined()
    let errors = SourceText(body).errors
    #expect(errors.count == 201)
    #expect(errors.last?.problem == "800 more issues are not shown.")
  }

  @Test func `An error after many warnings is listed`() {
    let gadgets = String(repeating: "<gadget/>", count: 201)
    let body = "<entity name=\"E\">\(gadgets)</entity><fetchRequest entity=\"E\"/>"
    #expect(
      SourceText(body).errors.map(\.problem) == [
        "<fetchRequest> has no name.", "1 more issue is not shown.",
      ])
  }

  @Test func `A chain of thousands of parents is an error`() throws {
    let body =
      (0..<5000).map { "<entity name=\"E\($0)\" parentEntity=\"E\($0 + 1)\"/>" }.joined()
      + "<entity name=\"E5000\"/>"
    #expect(SourceText(body).errors.map(\.code) == [.tooLarge])
  }

  @Test(arguments: [(100, true), (101, false)])
  func `The limit of ancestors is the same as in a compiled model`(
    count: Int, isAllowed: Bool
  ) throws {
    let body =
      (0..<count).map { "<entity name=\"E\($0)\" parentEntity=\"E\($0 + 1)\"/>" }.joined()
      + "<entity name=\"E\(count)\"/>"
    try expect(SourceText(body), isAllowed)
  }

  @Test(arguments: [(16, true), (17, false)])
  func `The nesting limit of composites is the same as in a compiled model`(
    levels: Int, isAllowed: Bool
  ) throws {
    let uses = (1..<levels).map { Self.composite("C\($0)", uses: "C\($0 + 1)") }.joined()
    let body =
      "<entity name=\"E\"><attribute name=\"a\" optional=\"YES\" attributeType=\"Composite\""
      + " composite=\"C1\"/></entity>\(uses)<composite name=\"C\(levels)\">"
      + "<attribute name=\"x\" optional=\"YES\" attributeType=\"Double\"/></composite>"
    try expect(SourceText(body), isAllowed)
  }

  /// Expects a model that can be compiled, or an error about its size.
  private func expect(_ text: SourceText, _ isAllowed: Bool) throws {
    guard isAllowed else { return #expect(Set(text.errors.map(\.code)) == [.tooLarge]) }
    let model = try text.model()
    let compiled = try CompiledModel.read(CompiledModel.write(model))
    #expect(compiled.entities.count == model.entities.count)
  }

  @Test func `Composites that grow exponentially are an error`() throws {
    let body =
      (0..<30).map { level in
        let uses = (0..<10).map {
          "<attribute name=\"a\($0)\" optional=\"YES\" attributeType=\"Composite\" composite=\"C\(level + 1)\"/>"
        }
        return "<composite name=\"C\(level)\">\(uses.joined())</composite>"
      }.joined()
      + "<composite name=\"C30\"><attribute name=\"x\" attributeType=\"Double\"/></composite>"
    #expect(SourceText(body).errors.contains { $0.code == .tooLarge })
  }

  @Test func `A file that is not a model is reported as such`() throws {
    let error = #expect(throws: ModelSourceError.self) {
      try ModelBundle(name: "x", contents: Array("<plist/>".utf8))
    }
    #expect(error?.code == .notAModel)
  }

  private static func within(_ content: String) -> String {
    "<entity name=\"E\">\(content)</entity>"
  }

  /// An entity with a relationship that names its inverse, by default one of the destination.
  private static func related(
    _ entity: String, _ name: String, to destination: String, _ inverse: String,
    of holder: String? = nil
  ) -> String {
    """
    <entity name="\(entity)"><relationship name="\(name)" optional="YES" toMany="YES" \
    destinationEntity="\(destination)" inverseName="\(inverse)" \
    inverseEntity="\(holder ?? destination)"/></entity>
    """
  }

  private static func composite(_ name: String, uses other: String) -> String {
    "<composite name=\"\(name)\"><attribute name=\"a\" optional=\"YES\" attributeType=\"Composite\" composite=\"\(other)\"/></composite>"
  }
}
