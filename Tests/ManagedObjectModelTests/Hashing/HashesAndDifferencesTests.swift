import Foundation
import ManagedObjectModel
import PredicateLanguage
import Testing

/// A comparison of two models must agree with their version hashes.
@Suite struct HashesAndDifferencesTests {
  @Test(arguments: VersionHashTests.changes)
  func `A change that affects a hash is reported as such`(change: VersionHashTests.Change) {
    let changed = Library()
    change.apply(changed.author)
    let difference = ModelDifference(from: libraryModel(), to: changed.model)
    #expect(difference.changes.contains { $0.affectsHash })
    #expect(difference.changesHashes)
  }

  @Test func `A derived attribute's derivation affects the hash, its type does not`() {
    let before = derivedModel("canonical:(name)", .stringAttributeType)
    let type = ModelDifference(
      from: before, to: derivedModel("canonical:(name)", .binaryDataAttributeType))
    #expect(
      !type.changes.isEmpty && !type.changes.contains { $0.affectsHash } && !type.changesHashes)
    let derivation = ModelDifference(
      from: before, to: derivedModel("uppercase:(name)", .stringAttributeType))
    #expect(derivation.changes.map(\.affectsHash) == [true])
    #expect(derivation.changesHashes)
  }

  private func derivedModel(_ derivation: String, _ type: NSAttributeType) -> NSManagedObjectModel {
    let derived = NSDerivedAttributeDescription()
    derived.name = "shown"
    derived.attributeType = type
    derived.derivationExpression = NSExpression(format: derivation)
    let library = Library()
    library.author.properties.append(derived)
    return library.model
  }
}
