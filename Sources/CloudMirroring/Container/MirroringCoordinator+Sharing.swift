import CloudKitClient
import CloudRecords
import Foundation
import ManagedObjects
import MirrorLedger
import MirrorModel
import ObjectRows

/// Objects that a program wants to share, before they are examined.
struct SharedObjects: Sendable {
  let objectIDs: [NSManagedObjectID]
  /// Whether all of them are saved; given objects must also share a context without changes.
  let areSaved: Bool

  init(_ objectIDs: [NSManagedObjectID]) {
    self.objectIDs = objectIDs
    areSaved = objectIDs.allSatisfy { !$0.isTemporaryID }
  }

  init(_ objects: [NSManagedObject]) {
    objectIDs = objects.map(\.objectID)
    let context = objects.first?.managedObjectContext
    guard let context, objects.allSatisfy({ $0.managedObjectContext === context }) else {
      areSaved = false
      return
    }
    areSaved = context.performAndWait {
      !context.hasChanges && objects.allSatisfy { !$0.objectID.isTemporaryID }
    }
  }
}

// Sendable: immutable.
/// The people that a program looks for.
struct LookupInfos: @unchecked Sendable {
  let infos: [CKUserIdentity.LookupInfo]

  init(_ infos: [CKUserIdentity.LookupInfo]) { self.infos = infos }
}

/// Sharing, as the container offers it.
extension MirroringCoordinator {
  /// The engine of a store, or all engines if the store is nil; empty for a local store.
  func engines(of store: NSPersistentStore?) -> [MirrorEngine] {
    guard let store else { return engines }
    return engine(of: store).map { [$0] } ?? []
  }

  /// The engines of `engines(of:)`; a single nil if there are none.
  func enginesToPurge(of store: NSPersistentStore?) -> [MirrorEngine?] {
    let engines: [MirrorEngine?] = engines(of: store)
    return engines.isEmpty ? [nil] : engines
  }

  private func engine(of objects: SharedObjects) throws -> MirrorEngine {
    guard objects.areSaved else {
      throw MirrorError.notMirrored(
        "The objects are of several contexts, or their context has changes that are not saved. "
          + "Save first.")
    }
    guard let first = objects.objectIDs.first, let engine = engine(of: first) else {
      throw MirrorError.notMirrored("No mirrored store has the objects.")
    }
    guard objects.objectIDs.allSatisfy({ self.engine(of: $0) === engine }) else {
      throw MirrorError.notMirrored(
        "The objects are in several stores.", remedy: "Share the objects of one store at a time.")
    }
    return engine
  }

  func share(
    _ objects: SharedObjects, in share: CKShare?,
    within scope: NSPersistentCloudKitContainer.SharingScope = .everything,
    allowsMembers: Bool = false
  ) async throws -> (Set<NSManagedObjectID>, CKShare, CKContainer) {
    let engine = try engine(of: objects)
    let (keys, share) = try await engine.sharing.share(
      objects.objectIDs.map(\.rowKey), in: share,
      within: try scope.limit(of: engine.mirror.layouts), allowsMembers: allowsMembers)
    return (Set(keys.map(engine.mirror.objectID)), share, engine.mirror.container)
  }

  func preview(
    _ objects: SharedObjects, within scope: NSPersistentCloudKitContainer.SharingScope
  ) throws -> [NSPersistentCloudKitContainer.SharePreviewItem] {
    let engine = try engine(of: objects)
    let mirror = engine.mirror
    return try engine.ledger.sharedZones.reach(
      of: objects.objectIDs.map(\.rowKey), within: try scope.limit(of: mirror.layouts)
    ).steps.map { step in
      NSPersistentCloudKitContainer.SharePreviewItem(
        objectID: mirror.objectID(step.object),
        reachedFrom: step.from.map { mirror.objectID($0.object) },
        relationship: step.from?.relationship, sharedIn: step.shared.map(\.zoneID),
        isBeyondScope: step.isBeyondScope)
    }
  }

  func shares(of objectIDs: [NSManagedObjectID]) throws -> [NSManagedObjectID: CKShare] {
    var shares: [NSManagedObjectID: CKShare] = [:]
    for (engine, own) in byEngine(objectIDs) {
      let found = try engine.sharing.shares(of: own.map(\.rowKey))
      for objectID in own { shares[objectID] = found[objectID.rowKey] }
    }
    return shares
  }

  func accept(_ metadata: [CKShare.Metadata], into engine: MirrorEngine?) async throws {
    guard let engine, engine.mirror.scope == .shared else {
      throw MirrorError.notMirrored(
        "Only a store of the shared database can accept invitations. Nothing was accepted.",
        remedy: "Accept them into a mirrored store whose databaseScope is shared.")
    }
    let identifier = engine.mirror.container.containerIdentifier
    guard metadata.allSatisfy({ $0.containerIdentifier == identifier }) else {
      throw MirrorError(
        .notConfigured, "An invitation is for another container.",
        remedy: "Accept it into a store of that container."
      ).sharing
    }
    try await engine.sharing.accept(metadata)
  }

  private func mirrored(_ engine: MirrorEngine?) throws -> MirrorEngine {
    guard let engine else {
      throw MirrorError.notMirrored(
        "The store is not mirrored.",
        remedy: "Use a store that was loaded with cloudKitContainerOptions.")
    }
    return engine
  }

  func persist(_ share: CKShare, in engine: MirrorEngine?) async throws -> CKShare {
    try await mirrored(engine).sharing.persist(share)
  }

  func purge(_ zoneID: CKRecordZone.ID, in engine: MirrorEngine?) async throws {
    try await mirrored(engine).sharing.purge(RecordZoneIdentifier(zoneID))
  }

  func participants(_ infos: LookupInfos, _ engine: MirrorEngine?) async throws
    -> [CKShare.Participant]
  {
    try await mirrored(engine).mirror.container.shareParticipants(matching: infos.infos)
  }
}

extension MirrorEngine {
  /// Sharing of the store's objects.
  var sharing: StoreSharing { StoreSharing(engine: self) }
}
