import Foundation
import ManagedObjectModel
import Testing

@Suite struct PropertyDescriptionTests {
  @Test func `New descriptions have Apple's defaults`() {
    let attribute = NSAttributeDescription()
    #expect(attribute.name.isEmpty && attribute.isOptional && !attribute.isTransient)
    #expect(attribute.attributeType == .undefinedAttributeType && attribute.defaultValue == nil)
    let relationship = NSRelationshipDescription()
    #expect(relationship.deleteRule == .nullifyDeleteRule && !relationship.isOrdered)
    #expect(relationship.minCount == 0 && relationship.maxCount == 0 && relationship.isToMany)
    #expect(NSCompositeAttributeDescription().attributeType == .compositeAttributeType)
  }

  @Test(arguments: [(0, true), (1, false), (2, true), (7, true)])
  func `A relationship is to-many unless its greatest count is one`(maxCount: Int, toMany: Bool) {
    let relationship = NSRelationshipDescription()
    relationship.maxCount = maxCount
    #expect(relationship.isToMany == toMany)
  }

  @Test func `Attribute types have Apple's numbers`() {
    #expect(
      NSAttributeType.allCases.map(\.rawValue)
        == [0, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000, 1100, 1200, 1800, 2000, 2100])
    #expect(NSDeleteRule.allCases.map(\.rawValue) == [0, 1, 2, 3])
    #expect(NSFetchIndexElementType.allCases.map(\.rawValue) == [0, 1])
  }

  @Test func `An attribute's type and attributeType agree`() {
    let attribute = NSAttributeDescription()
    attribute.type = .uuid
    #expect(attribute.attributeType == .UUIDAttributeType)
    attribute.attributeType = .decimalAttributeType
    #expect(attribute.type == .decimal)
  }

  @Test(arguments: [
    (NSAttributeType.integer16AttributeType, Optional("NSNumber")),
    (.decimalAttributeType, "NSDecimalNumber"),
    (.stringAttributeType, "NSString"), (.dateAttributeType, "NSDate"),
    (.binaryDataAttributeType, "NSData"),
    (.UUIDAttributeType, "NSUUID"), (.URIAttributeType, "NSURL"),
    (.compositeAttributeType, "NSDictionary"),
    (.transformableAttributeType, nil), (.undefinedAttributeType, nil),
  ])
  func `A type has its value class`(type: NSAttributeType, className: String?) {
    let attribute = NSAttributeDescription()
    attribute.attributeType = type
    #expect(attribute.attributeValueClassName == className)
    attribute.attributeValueClassName = "Special"
    #expect(attribute.attributeValueClassName == "Special")
  }

  @Test func `Validation predicates keep their warnings`() {
    let attribute = NSAttributeDescription()
    let predicate = NSPredicate(value: true)
    attribute.setValidationPredicates([predicate], withValidationWarnings: ["too long"])
    #expect(attribute.validationPredicates == [predicate])
    #expect(attribute.validationWarnings as? [String] == ["too long"])
    attribute.setValidationPredicates(nil, withValidationWarnings: nil)
    #expect(attribute.validationPredicates.isEmpty && attribute.validationWarnings.isEmpty)
  }

  @Test func `An index element has its property, and its index has its entity`() {
    let author = libraryModel().entitiesByName["Author"]!
    let element = author.indexes[0].elements[0]
    #expect(element.propertyName == "name" && element.isAscending)
    #expect(element.indexDescription === author.indexes[0])
    #expect(author.indexes[0].entity === author)
  }
}
