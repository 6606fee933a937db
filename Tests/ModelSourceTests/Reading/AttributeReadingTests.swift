import Foundation
import ManagedObjectModel
import ModelSource
import PredicateLanguage
import Testing

@Suite struct `Attributes in model source` {
  static let types: [(String, NSAttributeType)] = [
    ("Integer 16", .integer16AttributeType), ("Integer 32", .integer32AttributeType),
    ("Integer 64", .integer64AttributeType), ("Decimal", .decimalAttributeType),
    ("Double", .doubleAttributeType),
    ("Float", .floatAttributeType), ("String", .stringAttributeType),
    ("Boolean", .booleanAttributeType),
    ("Date", .dateAttributeType), ("Binary", .binaryDataAttributeType),
    ("Binary Data", .binaryDataAttributeType),
    ("UUID", .UUIDAttributeType), ("URI", .URIAttributeType),
    ("Transformable", .transformableAttributeType),
  ]

  @Test(arguments: types) func `Every type is known by its name`(
    name: String, type: NSAttributeType
  ) throws {
    #expect(try attribute("attributeType=\"\(name)\"").attributeType == type)
  }

  static let defaults: [(String, String, String)] = [
    ("Integer 16", "-32768", "-32768"), ("Integer 32", "7", "7"),
    ("Integer 64", "9223372036854775807", "9223372036854775807"),
    ("Integer 32", "5.0", "5"), ("Double", "0.1", "0.1"), ("Double", "-1e3", "-1000"),
    ("Float", "2.5", "2.5"),
    ("Decimal", "12345678901234567890.123", "12345678901234567890.123"), ("Boolean", "YES", "1"),
    ("Boolean", "NO", "0"),
    ("Boolean", "true", "1"), ("String", "x y", "\"x y\""), ("String", "", "\"\""),
    ("UUID", "e621e1f8-c36c-495a-93fc-0c247a3e6e5f", "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"),
    ("URI", "https://example.org/a", "https://example.org/a"),
  ]

  @Test(arguments: defaults)
  func `A default value is read by the type of its attribute`(
    type: String, text: String, value: String
  ) throws {
    let read = try attribute("attributeType=\"\(type)\" defaultValueString=\"\(text)\"")
      .defaultValue
    #expect(ModelValue.text(read) == value)
  }

  @Test func `A date's default counts seconds from the start of 2001`() throws {
    let date =
      try attribute("attributeType=\"Date\" defaultDateTimeInterval=\"625952280.5\"").defaultValue
      as? Date
    #expect(date == Date(timeIntervalSinceReferenceDate: 625952280.5))
  }

  @Test(arguments: ["Integer 16", "Integer 32", "Integer 64", "Decimal", "Double", "Float"])
  func `A NO left over from a Boolean attribute is zero, with a warning`(type: String) throws {
    let bundle = try entity(
      "<attribute name=\"a\" attributeType=\"\(type)\" defaultValueString=\"NO\"/>"
    ).read()
    let read = bundle.currentVersion.model.entitiesByName["E"]?.attributesByName["a"]
    #expect(ModelValue.text(read?.defaultValue) == "0")
    #expect(bundle.warnings.map(\.attribute) == ["defaultValueString"])
  }

  static let badDefaults = [
    ("Integer 16", "32768"), ("Integer 32", "1.5"), ("Integer 64", "9223372036854775808"),
    ("Integer 64", "0x10"),
    ("Double", "1,5"), ("Double", "nan"), ("Double", "1e9999"), ("Decimal", "12abc"),
    ("Boolean", "maybe"),
    ("UUID", "none"), ("UUID", "NO"), ("Integer 32", "YES"),
  ]

  @Test(arguments: badDefaults)
  func `A default value that does not fit is an error at its place`(type: String, text: String)
    throws
  {
    let errors = entity(
      "<attribute name=\"a\" attributeType=\"\(type)\" defaultValueString=\"\(text)\"/>"
    ).errors
    #expect(errors.count == 1)
    #expect(errors.first?.code == .badValue)
    #expect(errors.first?.attribute == "defaultValueString")
    #expect(errors.first?.position?.line == 3)
  }

  static let limits: [(String, [String], [Int])] = [
    (
      "attributeType=\"Integer 32\" minValueString=\"1\" maxValueString=\"9\"",
      ["SELF >= 1", "SELF <= 9"],
      [1620, 1610]
    ),
    ("attributeType=\"Double\" minValueString=\"0.5\"", ["SELF >= 0.5"], [1620]),
    (
      "attributeType=\"String\" minValueString=\"3\" maxValueString=\"32\"",
      ["length >= 3", "length <= 32"],
      [1670, 1660]
    ),
    (
      "attributeType=\"String\" regularExpressionString=\"[a-z]+\"", ["SELF MATCHES \"[a-z]+\""],
      [1680]
    ),
  ]

  @Test(arguments: limits)
  func `Limits become validation predicates with the codes of their errors`(
    text: String, predicates: [String], codes: [Int]
  ) throws {
    let attribute = try attribute(text)
    #expect(attribute.validationPredicates.map(\.formatText) == predicates)
    #expect(attribute.validationWarnings.compactMap { ($0 as? NSNumber)?.intValue } == codes)
  }

  @Test(arguments: ["1e308", "-1.7976931348623157e+308"])
  func `A limit beyond the range of decimal numbers is ignored, with a warning`(text: String)
    throws
  {
    let bundle = try entity(
      "<attribute name=\"a\" attributeType=\"Double\" maxValueString=\"\(text)\"/>"
    ).read()
    let read = bundle.currentVersion.model.entitiesByName["E"]?.attributesByName["a"]
    #expect(read?.validationPredicates.isEmpty == true)
    #expect(bundle.warnings.map(\.attribute) == ["maxValueString"])
  }

  @Test func `Limits of dates are dates`() throws {
    let attribute = try attribute(
      "attributeType=\"Date\" minDateTimeInterval=\"0\" maxDateTimeInterval=\"10\"")
    let inside = Date(timeIntervalSinceReferenceDate: 5)
    let outside = Date(timeIntervalSinceReferenceDate: 11)
    #expect(attribute.validationPredicates.map { $0.evaluate(with: inside) } == [true, true])
    #expect(attribute.validationPredicates.map { $0.evaluate(with: outside) } == [true, false])
  }

  @Test func `Flags and names are kept`() throws {
    let attribute = try attribute(
      """
      attributeType="Binary" transient="NO" allowsExternalBinaryDataStorage="YES" preserveAfterDeletion="YES" \
      spotlightIndexingEnabled="YES" allowsCloudEncryption="true" indexed="1" elementID="old" versionHashModifier="v2" \
      storedInTruthFile="YES" syncable="YES"
      """)
    #expect(attribute.allowsExternalBinaryDataStorage)
    #expect(attribute.preservesValueInHistoryOnDeletion)
    #expect(attribute.isIndexedBySpotlight)
    #expect(attribute.allowsCloudEncryption)
    #expect(attribute.storedIsIndexed)
    #expect(attribute.renamingIdentifier == "old")
    #expect(attribute.versionHashModifier == "v2")
  }

  @Test func `The older spelling of the renaming identifier is read too`() throws {
    #expect(
      try attribute("attributeType=\"String\" renamingIdentifier=\"old\"").renamingIdentifier
        == "old")
    #expect(try attribute("attributeType=\"String\"").renamingIdentifier == "a")
  }

  @Test func `A transformable attribute has its transformer and its class`() throws {
    let attribute = try attribute(
      "attributeType=\"Transformable\" valueTransformerName=\"NSSecureUnarchiveFromData\" customClassName=\"[String]\""
    )
    #expect(attribute.valueTransformerName == "NSSecureUnarchiveFromData")
    #expect(attribute.attributeValueClassName == "[String]")
    #expect(try self.attributeOf("valueTransformerName=\"\"").valueTransformerName == nil)
  }

  private func attributeOf(_ text: String) throws -> NSAttributeDescription {
    try attribute("attributeType=\"Transformable\" \(text)")
  }

  @Test func `A derived attribute has its expression`() throws {
    let model = try entity(
      """
      <attribute name="name" optional="YES" attributeType="String"/>
      <attribute name="folded" optional="YES" attributeType="String" derived="YES" derivationExpression="canonical:(name)"/>
      """
    ).model()
    let derived = try #require(
      model.entitiesByName["E"]?.attributesByName["folded"] as? NSDerivedAttributeDescription)
    #expect(derived.derivationExpression?.description == "canonical:(name)")
  }

  @Test func `Composites nest, and each use has its own elements`() throws {
    let model = try SourceText(
      """
      <entity name="E">
        <attribute name="a" optional="YES" attributeType="Composite" composite="Place"/>
        <attribute name="b" optional="YES" attributeType="Composite" composite="Place"/>
      </entity>
      <composite name="Place">
        <attribute name="name" optional="YES" attributeType="String"/>
        <attribute name="at" optional="YES" attributeType="Composite" composite="Point"/>
      </composite>
      <composite name="Point"><attribute name="x" optional="YES" attributeType="Double"/></composite>
      """
    ).model()
    let attributes = try #require(model.entitiesByName["E"]?.attributesByName)
    let first = try #require(attributes["a"] as? NSCompositeAttributeDescription)
    let second = try #require(attributes["b"] as? NSCompositeAttributeDescription)
    #expect(first.elements.map(\.name) == ["name", "at"])
    #expect((first.elements[1] as? NSCompositeAttributeDescription)?.elements.map(\.name) == ["x"])
    #expect(first.elements[0] !== second.elements[0])
  }
}
