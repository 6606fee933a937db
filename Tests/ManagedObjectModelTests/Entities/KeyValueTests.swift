import Foundation
import ManagedObjectModel
import PredicateLanguage
import Testing

@Suite struct DescriptionKeyValueTests {
  @Test(arguments: [
    ("name == 'Book'", true), ("isAbstract == YES", false), ("superentity.name == 'Item'", true),
    ("managedObjectModel != nil", true), ("ANY properties.name == 'title'", true),
    ("indexes.@count == 1", true), ("uniquenessConstraints.@count == 1", true),
  ])
  func `Predicates read entities`(_ format: String, _ holds: Bool) throws {
    let model = libraryModel()
    let book = try #require(model.entitiesByName["Book"])
    book.indexes = [NSFetchIndexDescription(name: "byPages", elements: [])]
    book.uniquenessConstraints = [["pages"]]
    #expect(try NSPredicate(parsing: format).evaluated(with: book) == holds)
  }

  @Test(arguments: [
    ("entity.name == 'Book' AND name == 'author'", true), ("isToMany == YES", false),
    ("destinationEntity.name == 'Author'", true), ("maxCount == 1", true),
  ])
  func `Predicates read properties`(_ format: String, _ holds: Bool) throws {
    let model = libraryModel()
    let author = try #require(model.entitiesByName["Book"]?.relationshipsByName["author"])
    #expect(try NSPredicate(parsing: format).evaluated(with: author) == holds)
  }

  @Test(arguments: [
    "allowsCloudEncryption", "preservesValueInHistoryOnDeletion", "allowsExternalBinaryDataStorage",
  ])
  func `Predicates read the flags of attributes`(_ key: String) throws {
    let predicate = try NSPredicate(parsing: "\(key) == YES")
    #expect(try !predicate.evaluated(with: NSAttributeDescription()))
    let attribute = NSAttributeDescription()
    attribute.allowsCloudEncryption = true
    attribute.preservesValueInHistoryOnDeletion = true
    attribute.allowsExternalBinaryDataStorage = true
    #expect(try predicate.evaluated(with: attribute))
  }

  @Test func `Predicates read the stored properties of an application's subclasses`() throws {
    let entity = NotedEntity()
    entity.name = "Book"
    #expect(try NSPredicate(parsing: "note == 'mine' AND name == 'Book'").evaluated(with: entity))
    #expect(entity.hasValue(forKey: "note") && entity.value(forKey: "note") as? String == "mine")
    let attribute = NotedAttribute()
    attribute.isOptional = true
    #expect(
      try NSPredicate(parsing: "note == 'yours' AND isOptional == YES").evaluated(with: attribute))
    #expect(attribute.value(forKey: "colour") == nil && !attribute.hasValue(forKey: "colour"))
  }

  @Test func `An unknown key is an error`() throws {
    #expect(throws: PredicateEvaluationError.self) {
      try NSPredicate(parsing: "colour == 1").evaluated(with: NSEntityDescription())
    }
    #expect(throws: PredicateEvaluationError.self) {
      try NSPredicate(parsing: "isToMany == YES").evaluated(with: NSAttributeDescription())
    }
  }
}

private final class NotedEntity: NSEntityDescription, @unchecked Sendable {
  var note = "mine"
}

private final class NotedAttribute: NSAttributeDescription, @unchecked Sendable {
  var note = "yours"
}
