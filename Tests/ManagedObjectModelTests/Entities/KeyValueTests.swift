import Foundation
import ManagedObjectModel
import PredicateLanguage
import Testing

@Suite struct DescriptionKeyValueTests {
  @Test(arguments: [
    ("name == 'Book'", true), ("isAbstract == YES", false), ("superentity.name == 'Item'", true),
    ("managedObjectModel != nil", true), ("ANY properties.name == 'title'", true),
  ])
  func `Predicates read entities`(_ format: String, _ holds: Bool) throws {
    let model = libraryModel()
    let book = try #require(model.entitiesByName["Book"])
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

  @Test func `A key that no description has is an error`() throws {
    #expect(throws: PredicateEvaluationError.self) {
      try NSPredicate(parsing: "colour == 1").evaluated(with: NSEntityDescription())
    }
    #expect(throws: PredicateEvaluationError.self) {
      try NSPredicate(parsing: "isToMany == YES").evaluated(with: NSAttributeDescription())
    }
  }
}
