import Foundation
import ManagedObjectModel
import ObjectRows
import SQLiteStore

extension SQLiteStoreDriver: SelfMigratingDriver {
  func migrate(
    from source: MigrationPlace, to destination: MigrationPlace,
    sourceModel: NSManagedObjectModel, destinationModel: NSManagedObjectModel
  ) throws -> Bool {
    let files = StackDependencies.current.files
    guard !isPrivate(source.url), !isPrivate(destination.url),
      !files.itemExists(at: destination.url)
    else { return false }
    let address = StoreAddress(destination.url, destination.options, .current)
    try StoreFiles.makeMigratedCopy(
      of: source.url, at: destination.url, from: sourceModel,
      to: ModelLayouts.of(destinationModel),
      configuration: destination.configuration, options: StoreOptions(address))
    return true
  }

  func reasonAgainstCopying(_ place: MigrationPlace) throws -> String? {
    guard !isPrivate(place.url) else { return nil }
    let address = StoreAddress(place.url, place.options, .current)
    return try StoreFiles.reasonAgainstCopying(
      storeAt: place.url, options: StoreOptions(address))
  }
}
