import Foundation
import ManagedObjectModel
import Testing

@Suite struct EqualityTests {
  @Test func `Models that say the same are equal, whatever the order of their entities`() {
    let (left, right) = (libraryModel(), libraryModel())
    #expect(left == right)
    #expect(left.hash == right.hash)
    right.entities.reverse()
    #expect(left == right)
    #expect(left.hash == right.hash)
  }

  static let changes: [@Sendable (NSManagedObjectModel) -> Void] = [
    { $0.versionIdentifiers = [] },
    { $0.localizationDictionary = [:] },
    { $0.setEntities([], forConfigurationName: "People") },
    { $0.fetchRequestTemplate(forName: "everyone")?.fetchLimit = 1 },
    { $0.setFetchRequestTemplate(nil, forName: "everyone") },
    { $0.entities.removeLast() },
    { $0.entitiesByName["Author"]?.name = "Writer" },
    { $0.entitiesByName["Author"]?.managedObjectClassName = "Writer" },
    { $0.entitiesByName["Author"]?.userInfo = ["a": 1] },
    { $0.entitiesByName["Author"]?.uniquenessConstraints = [] },
    { $0.entitiesByName["Author"]?.indexes = [] },
    { $0.entitiesByName["Author"]?.renamingIdentifier = "Writer" },
    { $0.entitiesByName["Item"]?.subentities = [] },
    { $0.entitiesByName["Author"]?.attributesByName["name"]?.defaultValue = "nobody" },
    { $0.entitiesByName["Author"]?.attributesByName["name"]?.isOptional = true },
    { $0.entitiesByName["Author"]?.relationshipsByName["books"]?.deleteRule = .denyDeleteRule },
    { $0.entitiesByName["Author"]?.indexes[0].elements[0].isAscending = false },
  ]

  @Test(arguments: changes.indices)
  func `A model that says anything else is not equal`(change: Int) {
    let changed = libraryModel()
    Self.changes[change](changed)
    #expect(changed != libraryModel())
  }

  @Test func `A default value equals the object that it bridges to`() {
    let left = attribute("count", .integer64AttributeType) { $0.defaultValue = Int64(3) }
    let right = attribute("count", .integer64AttributeType) { $0.defaultValue = NSNumber(value: 3) }
    #expect(left == right)
  }
}
