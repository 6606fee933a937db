package import Foundation
import ManagedObjectModel
package import ObjectRows
package import PropertyLists

/// The metadata of a store: its UUID, and a property list with the framework's and the
/// application's keys.
///
/// Unknown keys are kept.
package struct StoreMetadata: Hashable, Sendable {
  package var uuid: String
  package var entries: [String: PropertyList]

  package init(uuid: String, entries: [String: PropertyList]) {
    self.uuid = uuid
    self.entries = entries
  }

  /// The keys of entries.
  package enum Key {
    package static let hashes = NSStoreModelVersionHashesKey
    package static let identifiers = NSStoreModelVersionIdentifiersKey
    package static let hashesVersion = "NSStoreModelVersionHashesVersion"
    package static let digest = "NSStoreModelVersionHashesDigest"
    package static let checksum = "NSStoreModelVersionChecksumKey"
    package static let framework = "NSPersistenceFrameworkVersion"
    package static let maximumFramework = "NSPersistenceMaximumFrameworkVersion"
    package static let storeType = "NSStoreType"
    package static let storeUUID = "NSStoreUUID"
    package static let autoVacuumLevel = "_NSAutoVacuumLevel"
    /// Whether a migration left work for later; the value is Apple's option key.
    package static let deferred = "NSPersistentStoreDeferredLightweightMigrationOptionKey"
    /// The work that a migration left for later.
    package static let deferredTasks = "ParhelionDeferredMigrationTasks"
    /// The custom migration stage whose last handler has not completed yet.
    package static let pendingStage = "ParhelionPendingMigrationStage"

    /// The entries by which the framework opens and migrates a store.
    package static let ofFramework: Set<String> = [
      hashes, identifiers, hashesVersion, digest, checksum, framework, maximumFramework,
      autoVacuumLevel,
    ]
  }

  /// The entries as Foundation types, without UUID and type.
  package var dictionary: [String: Any] {
    entries.filter { $0.key != Key.storeType && $0.key != Key.storeUUID }.mapValues(\.anyValue)
  }

  /// The metadata with its entries replaced by those of a dictionary.
  ///
  /// The type and the entries about unfinished work never change. The UUID and the other entries of
  /// the framework stay unless the dictionary has them. Throws if a property list cannot contain a
  /// value.
  package func replacing(_ dictionary: [String: Any]) throws(StoreError) -> StoreMetadata {
    var changed = StoreMetadata(uuid: dictionary[Key.storeUUID] as? String ?? uuid, entries: [:])
    for (key, value) in dictionary.sorted(by: { $0.key < $1.key }) where key != Key.storeUUID {
      guard let list = PropertyList(anyValue: value) else {
        throw StoreError(
          .incompatibleSchema,
          """
          The metadata value of \(key) is a \(type(of: value)), which a property list cannot \
          have.
          """,
          context: ["key": key])
      }
      changed.entries[key] = list
    }
    for key in [Key.storeType, Key.deferred, Key.deferredTasks, Key.pendingStage] {
      changed.entries[key] = entries[key]
    }
    changed.entries.keepFrameworkEntries(of: entries)
    return changed
  }

  /// The length of a version hash, which is a SHA-256 digest.
  package static let versionHashBytes = 32

  /// The version hashes of the entities that the store was written with; nil if it records none.
  package var versionHashes: [String: Data]? {
    guard let hashes = entries[Key.hashes]?.dictionary else { return nil }
    return hashes.compactMapValues { $0.data.map { Data($0) } }
  }

  /// The version of the framework that wrote the store.
  package var frameworkVersion: Int? {
    guard case .integer(let number)? = entries[Key.framework] else { return nil }
    return Int(exactly: number)
  }
}

extension Dictionary where Key == String {
  /// Adds the framework's entries that the new metadata lacks, from the former metadata.
  ///
  /// Without them, which a program may leave out, the store could not be opened again.
  package mutating func keepFrameworkEntries(of former: [String: Value]) {
    var kept = former.filter { StoreMetadata.Key.ofFramework.contains($0.key) }
    if self[StoreMetadata.Key.hashes] != nil {
      // They are computed from the hashes.
      kept[StoreMetadata.Key.digest] = nil
      kept[StoreMetadata.Key.checksum] = nil
    }
    merge(kept) { own, _ in own }
  }
}
