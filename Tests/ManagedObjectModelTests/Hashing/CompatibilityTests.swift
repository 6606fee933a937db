import Foundation
import ManagedObjectModel
import Testing

@Suite struct CompatibilityTests {
  private let library = libraryModel()

  private func metadata(_ hashes: [String: Data]) -> [String: Any] {
    [NSStoreModelVersionHashesKey: hashes]
  }

  @Test func `A store with exactly the model's hashes is compatible`() {
    let whole = metadata(library.entityVersionHashesByName)
    #expect(library.isConfiguration(withName: nil, compatibleWithStoreMetadata: whole))
    #expect(!library.isConfiguration(withName: "People", compatibleWithStoreMetadata: whole))
  }

  @Test func `A configuration is compatible with a store of its entities`() {
    let people = metadata(library.entityVersionHashesByName.filter { $0.key == "Author" })
    #expect(library.isConfiguration(withName: "People", compatibleWithStoreMetadata: people))
    #expect(!library.isConfiguration(withName: nil, compatibleWithStoreMetadata: people))
  }

  @Test func `An unknown configuration and metadata without hashes are not compatible`() {
    let whole = metadata(library.entityVersionHashesByName)
    #expect(!library.isConfiguration(withName: "Nothing", compatibleWithStoreMetadata: whole))
    #expect(!library.isConfiguration(withName: nil, compatibleWithStoreMetadata: [:]))
  }

  @Test func `A changed, a missing or an additional entity is not compatible`() {
    var changed = library.entityVersionHashesByName
    changed["Author"] = Data(count: 32)
    var missing = library.entityVersionHashesByName
    missing["Author"] = nil
    var further = library.entityVersionHashesByName
    further["Other"] = Data(count: 32)
    for hashes in [changed, missing, further] {
      #expect(
        !library.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata(hashes)))
    }
  }
}
