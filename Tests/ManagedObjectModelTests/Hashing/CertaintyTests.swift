import Foundation
import ManagedObjectModel
import PredicateLanguage
import Testing

@Suite struct CertaintyTests {
  @Test func `The hashes of a plain model are certain`() {
    #expect(libraryModel().entities.allSatisfy { $0.isVersionHashCertain })
  }

  @Test func `A hash that could not be derived is uncertain, with a reason`() {
    let library = Library()
    let derived = NSDerivedAttributeDescription()
    derived.name = "upper"
    derived.derivationExpression = NSExpression(format: "uppercase:(name)")
    derived.filteringPredicate = NSPredicate(value: true)
    let composite = NSCompositeAttributeDescription()
    composite.name = "place"
    library.author.properties += [derived, composite]
    library.author.attributesByName["id"]?.allowsCloudEncryption = true
    library.name.allowsExternalBinaryDataStorage = true
    library.name.preservesValueInHistoryOnDeletion = true
    library.author.versionHashModifier = "2"
    #expect(
      library.author.versionHashUncertainties == [
        "id allows encryption in the cloud",
        "name is both stored externally and preserved in the history",
        "place is composite", "upper has a filtering predicate",
        "Author has both a version hash modifier and uniqueness constraints",
      ])
  }

  @Test func `A subentity inherits the uncertainty of its ancestors`() {
    let library = Library()
    let derived = NSDerivedAttributeDescription()
    derived.name = "upper"
    library.item.properties.append(derived)
    #expect(!library.book.isVersionHashCertain)
    #expect(library.author.isVersionHashCertain)
  }

  @Test func `A transient attribute does not affect certainty`() {
    let library = Library()
    library.name.allowsCloudEncryption = true
    library.name.isTransient = true
    #expect(library.author.isVersionHashCertain)
  }
}
