import Foundation
package import ManagedObjectModel
import ObjectRows
import PropertyLists

extension StoreMetadata {
  /// The metadata of a new store.
  init(uuid: UUID, schema: StoreSchema) {
    self.init(
      uuid: uuid.uuidString,
      entries: [
        Key.storeType: .string("SQLite"), Key.autoVacuumLevel: .string("2"),
        Key.framework: .integer(Int128(Limits.frameworkVersion)),
        Key.maximumFramework: .integer(Int128(Limits.frameworkVersion)),
      ])
    describe(schema)
  }

  /// Records the version hashes of a schema's entities.
  mutating func describe(_ schema: StoreSchema) {
    let hashes = Dictionary(
      schema.entities.map { ($0.name, $0.entity.versionHash) },
      uniquingKeysWith: { first, _ in first })
    entries[Key.hashes] = .dictionary(hashes.mapValues { .data([UInt8]($0)) })
    entries[Key.hashesVersion] = .integer(3)
    entries[Key.digest] = .string(NSManagedObjectModel.versionHashesDigest(of: hashes))
    entries[Key.checksum] = .string(NSManagedObjectModel.versionChecksum(of: hashes))
    let identifiers = schema.model?.versionIdentifiers.compactMap { $0 as? String }.sorted() ?? []
    entries[Key.identifiers] = .array(identifiers.map { .string($0) })
  }
}

extension StoreSchema {
  /// The model of the entities, if it is still in memory.
  package var model: NSManagedObjectModel? { layouts.layouts.first?.entity.model }
}
