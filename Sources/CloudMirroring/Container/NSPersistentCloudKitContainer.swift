public import CloudKitClient
import CloudRecords
public import Foundation
public import ManagedObjectModel
public import ManagedObjects
import MirrorModel
public import ObjectRows

/// A persistent container that mirrors its stores to CloudKit databases.
///
/// Changes that are saved here appear on the user's other devices, and theirs appear here.
///
/// ```swift
/// let container = NSPersistentCloudKitContainer(name: "Notes")
/// container.persistentStoreDescriptions.first?.cloudKitContainerOptions =
///   NSPersistentCloudKitContainerOptions(containerIdentifier: "iCloud.com.example.notes")
/// try await container.loadPersistentStores()
/// container.viewContext.automaticallyMergesChangesFromParent = true
/// ```
///
/// A store is mirrored if its description has `cloudKitContainerOptions`; other stores stay on this
/// device. A save never waits for the network: its changes are recorded in the same transaction and
/// sent afterwards. `syncState` reports the progress.
// Sendable: immutable like its superclass, except for state behind mutexes.
open class NSPersistentCloudKitContainer: NSPersistentContainer, @unchecked Sendable {
  /// Mirrors the coordinator's stores.
  package let mirroring: MirroringCoordinator

  /// Creates a container for a model.
  ///
  /// If the program has configured a CloudKit container, the first store description uses the one
  /// that was configured first.
  public override init(name: String, managedObjectModel model: NSManagedObjectModel) {
    mirroring = MirroringCoordinator()
    super.init(name: name, managedObjectModel: model)
    mirroring.observeStores(persistentStoreCoordinator)
    mirroring.publisher.setSender(self)
    guard let identifier = CKContainer.default().containerIdentifier else { return }
    persistentStoreDescriptions.first?.cloudKitContainerOptions =
      NSPersistentCloudKitContainerOptions(
        containerIdentifier: identifier)
  }

  /// Posted when a setup, an import or an export starts, and when it ends.
  ///
  /// The notification's object is the container. Its `userInfo` holds the event under
  /// `eventNotificationUserInfoKey`.
  public static let eventChangedNotification = Notification.Name(
    "NSPersistentCloudKitContainerEventChangedNotification")

  /// The key of the event in a notification's `userInfo`.
  public static let eventNotificationUserInfoKey = "event"

  // MARK: Records

  /// Returns the record of an object as last received from the server, or nil if the server does
  /// not have it yet.
  ///
  /// The record does not contain local changes that were not sent yet. Changing it has no effect on
  /// the server.
  open func record(for managedObjectID: NSManagedObjectID) -> CKRecord? {
    records(for: [managedObjectID]).values.first
  }

  /// Returns the records of objects as last received from the server.
  open func records(for managedObjectIDs: [NSManagedObjectID]) -> [NSManagedObjectID: CKRecord] {
    mirroring.records(for: managedObjectIDs)
  }

  /// Returns the record ID of an object, or nil if it has none yet.
  open func recordID(for managedObjectID: NSManagedObjectID) -> CKRecord.ID? {
    recordIDs(for: [managedObjectID]).values.first
  }

  /// Returns the record IDs of objects.
  open func recordIDs(for managedObjectIDs: [NSManagedObjectID]) -> [NSManagedObjectID: CKRecord.ID]
  {
    mirroring.recordIDs(for: managedObjectIDs)
  }

  // MARK: Permission

  /// Returns whether the user may change the record of an object.
  ///
  /// For an object that is not mirrored, the answer depends on its store alone.
  open func canUpdateRecord(forManagedObjectWith objectID: NSManagedObjectID) -> Bool {
    mirroring.mayChangeRecord(of: objectID)
  }

  /// Returns whether the user may delete the record of an object.
  open func canDeleteRecord(forManagedObjectWith objectID: NSManagedObjectID) -> Bool {
    mirroring.mayChangeRecord(of: objectID)
  }

  /// Returns whether the user may insert and change objects in a store.
  ///
  /// While no account is signed in, a store of a public database cannot be changed.
  open func canModifyManagedObjects(in store: NSPersistentStore) -> Bool {
    mirroring.canModify(store)
  }

  // MARK: Sharing objects

  /// Shares objects and all objects that they are related to.
  ///
  /// The objects move to a separate zone, and keep their object IDs. The completion is called once
  /// they are assigned to the zone; they are sent afterwards.
  ///
  /// - Parameters:
  ///   - managedObjects: The objects. They must be saved, in one store of the private database.
  ///   - share: A share of `fetchShares(in:)` to which the objects are added; nil for a new one.
  ///   - completion: Receives the IDs of all objects that were given or reached, the share and the
  ///     container, or the error. If an object is shared already, nothing moves.
  open func share(
    _ managedObjects: [NSManagedObject], to share: CKShare?,
    completion: @escaping (Set<NSManagedObjectID>?, CKShare?, CKContainer?, (any Error)?) -> Void
  ) {
    let objects = SharedObjects(managedObjects)
    nonisolated(unsafe) let completion = completion
    Task {
      do {
        let result = try await mirroring.share(objects, in: share)
        unsafe completion(result.0, result.1, result.2, nil)
      } catch {
        unsafe completion(nil, nil, nil, error)
      }
    }
  }

  /// Shares objects and all objects that they are related to.
  ///
  /// - Returns: The IDs of all objects that were given or reached, the share, and the container.
  @discardableResult
  open func share(_ managedObjects: [NSManagedObject], to share: CKShare?) async throws -> (
    Set<NSManagedObjectID>, CKShare, CKContainer
  ) {
    try await mirroring.share(SharedObjects(managedObjects), in: share)
  }

  // MARK: Shares

  /// Returns the shares of a store, without a request.
  ///
  /// - Parameter persistentStore: The store; nil for all stores.
  open func fetchShares(in persistentStore: NSPersistentStore?) throws -> [CKShare] {
    try mirroring.engines(of: persistentStore).flatMap { engine in
      try engine.sharing.shares().sorted { $0.key < $1.key }.map(\.value)
    }
  }

  /// Returns the shares of objects, without a request.
  ///
  /// An object that is not shared, or that the server does not have yet, has no entry.
  open func fetchShares(matching objectIDs: [NSManagedObjectID]) throws -> [NSManagedObjectID:
    CKShare]
  {
    try mirroring.shares(of: objectIDs)
  }

  /// Accepts invitations to shares.
  ///
  /// - Parameters:
  ///   - metadata: The metadata of the shares' links.
  ///   - persistentStore: A store of the shared database.
  ///   - completion: Receives the metadata after an attempt to import the objects, or the error.
  open func acceptShareInvitations(
    from metadata: [CKShare.Metadata], into persistentStore: NSPersistentStore,
    completion: (([CKShare.Metadata]?, (any Error)?) -> Void)? = nil
  ) {
    let engine = mirroring.engine(of: persistentStore)
    nonisolated(unsafe) let completion = completion
    Task {
      do {
        try await mirroring.accept(metadata, into: engine)
        unsafe completion?(metadata, nil)
      } catch {
        unsafe completion?(nil, error)
      }
    }
  }

  /// Accepts invitations to shares, and then tries to import the shared objects.
  @discardableResult
  open func acceptShareInvitations(
    from metadata: [CKShare.Metadata], into persistentStore: NSPersistentStore
  ) async throws -> [CKShare.Metadata] {
    try await mirroring.accept(metadata, into: mirroring.engine(of: persistentStore))
    return metadata
  }

  /// Saves a changed share to its database, and stores it.
  ///
  /// A share that was changed elsewhere arrives with the next import.
  open func persistUpdatedShare(
    _ share: CKShare, in persistentStore: NSPersistentStore,
    completion: ((CKShare?, (any Error)?) -> Void)? = nil
  ) {
    let engine = mirroring.engine(of: persistentStore)
    nonisolated(unsafe) let completion = completion
    Task {
      do {
        let saved = try await mirroring.persist(share, in: engine)
        unsafe completion?(saved, nil)
      } catch {
        unsafe completion?(nil, error)
      }
    }
  }

  /// Saves a changed share, and returns once the database has it.
  @discardableResult
  open func persistUpdatedShare(_ share: CKShare, in persistentStore: NSPersistentStore)
    async throws -> CKShare
  {
    try await mirroring.persist(share, in: mirroring.engine(of: persistentStore))
  }

  /// Deletes a zone with its records and its objects.
  ///
  /// In a store of the shared database, the user leaves the share, and the owner keeps everything.
  /// The zone of objects that are not shared is created again, without objects.
  ///
  /// - Parameters:
  ///   - persistentStore: The store; nil for all mirrored stores.
  ///   - completion: Called once for each store; once with an error if no store is mirrored.
  open func purgeObjectsAndRecordsInZone(
    with zoneID: CKRecordZone.ID, in persistentStore: NSPersistentStore?,
    completion: ((CKRecordZone.ID?, (any Error)?) -> Void)? = nil
  ) {
    let engines = mirroring.enginesToPurge(of: persistentStore)
    nonisolated(unsafe) let completion = completion
    Task {
      for engine in engines {
        do {
          try await mirroring.purge(zoneID, in: engine)
          unsafe completion?(zoneID, nil)
        } catch {
          unsafe completion?(nil, error)
        }
      }
    }
  }

  /// Deletes a zone with its records and its objects, in one store or in all mirrored ones.
  ///
  /// - Throws: The first error, after all stores were tried.
  @discardableResult
  open func purgeObjectsAndRecordsInZone(
    with zoneID: CKRecordZone.ID, in persistentStore: NSPersistentStore?
  ) async throws -> CKRecordZone.ID {
    var failure: (any Error)?
    for engine in mirroring.enginesToPurge(of: persistentStore) {
      do { try await mirroring.purge(zoneID, in: engine) } catch { failure = failure ?? error }
    }
    if let failure { throw failure }
    return zoneID
  }

  /// Finds people to share with.
  ///
  /// - Parameter persistentStore: A mirrored store. People are looked up in its CloudKit container.
  open func fetchParticipants(
    matching lookupInfos: [CKUserIdentity.LookupInfo], into persistentStore: NSPersistentStore,
    completion: @escaping ([CKShare.Participant]?, (any Error)?) -> Void
  ) {
    let engine = mirroring.engine(of: persistentStore)
    let infos = LookupInfos(lookupInfos)
    nonisolated(unsafe) let completion = completion
    Task {
      do { unsafe completion(try await mirroring.participants(infos, engine), nil) } catch {
        unsafe completion(nil, error)
      }
    }
  }

  /// Finds people to share with.
  open func fetchParticipants(
    matching lookupInfos: [CKUserIdentity.LookupInfo], into persistentStore: NSPersistentStore
  ) async throws -> [CKShare.Participant] {
    try await mirroring.participants(
      LookupInfos(lookupInfos), mirroring.engine(of: persistentStore))
  }

  // MARK: Schema

  /// Creates every record type and field of the model in the development environment.
  ///
  /// The method saves one record of each type, with a value in every field, and deletes it again.
  /// Call it during development, before you deploy the schema. A shipped program does not need it.
  ///
  /// The records are saved to a separate zone of the signed-in user's private database, regardless
  /// of the databases that the stores are mirrored with.
  ///
  /// - Throws: An error if the model, the account or the server does not allow it, or if no store
  ///   is mirrored.
  open func initializeCloudKitSchema(
    options: NSPersistentCloudKitContainerSchemaInitializationOptions = []
  ) throws {
    try mirroring.initializeSchema(options)
  }
}
