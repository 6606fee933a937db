import CloudKitClient
import Foundation
public import ManagedObjects
import MirrorModel
public import ObjectRows

extension NSPersistentCloudKitContainer {
  /// The sync state of every mirrored store.
  ///
  /// Parhelion's addition.
  public var syncState: SyncState { SyncState(stores: mirroring.engines.map(\.state)) }

  /// The sync state of every mirrored store: the current one, then each new one.
  ///
  /// Parhelion's addition. A slow consumer receives the newest state and skips the states in
  /// between.
  ///
  /// ```swift
  /// for await state in container.syncStates { badge.isHidden = state.isUpToDate }
  /// ```
  public var syncStates: AsyncStream<SyncState> {
    let changes = mirroring.publisher.changes
    return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { line in
      let work = Task { [weak self] in
        var last: SyncState?
        for await _ in changes {
          guard let state = self?.syncState else { break }
          if state != last { line.yield(state) }
          last = state
        }
        line.finish()
      }
      line.onTermination = { _ in work.cancel() }
    }
  }

  /// Exports and imports everything, and returns when every store and its database hold the same
  /// data.
  ///
  /// Parhelion's addition. The call skips back-off delays and tries at once. A blocker of one store
  /// does not keep the others from syncing.
  ///
  /// A record that cannot be read, for example because its asset is missing, does not make the call
  /// fail. The record is fetched once more and then appears in `StoreState.recordBlockers`. If a
  /// local change of its object is pending, the call fails.
  ///
  /// - Throws: The `SyncBlocker` of the first store that has one. If the container mirrors no
  ///   store, the blocker's code is `nothingMirrored`.
  public func sync() async throws {
    let engines = mirroring.engines
    if engines.isEmpty { throw SyncBlocker(.nothingMirrored) }
    var blocker: SyncBlocker?
    for engine in engines {
      do throws(MirrorError) { try await engine.syncNow() } catch {
        blocker = blocker ?? SyncBlocker(error)
      }
    }
    if let blocker { throw blocker }
  }

  /// Exports pending changes, and returns when the server has acknowledged every change of one
  /// object.
  ///
  /// Parhelion's addition. Blockers of other objects do not make the call fail.
  ///
  /// ```swift
  /// try context.save()
  /// try await container.sync(receipt.objectID)
  /// ```
  ///
  /// - Throws: The `SyncBlocker` that keeps the object from being sent. If the object was never
  ///   saved or is not mirrored, the blocker's code is `notMirrored`.
  public func sync(_ objectID: NSManagedObjectID) async throws {
    guard let engine = mirroring.engine(of: objectID), try syncState(of: objectID).isMirrored else {
      throw SyncBlocker(MirrorError(.notMirrored, "The object \(objectID) is not mirrored."))
    }
    var failure: MirrorError?
    do throws(MirrorError) { try await engine.syncNow(comparesNames: false) } catch {
      failure = error
    }
    switch try syncState(of: objectID) {
    // The state of an object that was deleted here and in the cloud is `notMirrored`.
    case .durable, .notMirrored, .unsaved: return
    case .pending(let blocker?): throw blocker
    case .pending(nil), .sent:
      throw SyncBlocker(
        failure ?? MirrorError(.cancelled, "The object \(objectID) was changed again meanwhile."))
    }
  }

  /// Stops syncing until `resume()` is called.
  ///
  /// Parhelion's addition. Changes that are saved in the meantime are recorded and sent afterwards.
  /// Stores that are added later are paused too, so a program that keeps the pause as a setting
  /// calls this before it loads its stores. The stores themselves do not remember the pause.
  public func pause() { mirroring.pause() }

  /// Resumes syncing after `pause()`.
  ///
  /// Parhelion's addition.
  public func resume() { mirroring.resume() }

  /// A choice for local objects after the user deleted their data in the cloud.
  ///
  /// Parhelion's addition.
  public enum DeletionResolution: Sendable {
    /// Deletes the local objects too. Objects with unsent changes stay and are sent.
    case deleteLocally
    /// Sends everything again.
    case uploadAgain
  }

  /// Resolves the blocker `zoneDeletedByUser` of a store.
  ///
  /// Parhelion's addition. Until a program calls this method, nothing is deleted locally and
  /// nothing is sent.
  ///
  /// - Returns: Whether the store has this blocker. If not, for example because the store is not
  ///   mirrored, the call does nothing.
  @discardableResult
  public func resolveDeletion(of store: NSPersistentStore, by resolution: DeletionResolution)
    -> Bool
  {
    mirroring.decide(.decided(uploadAgain: resolution == .uploadAgain), of: store)
  }

  /// Mirrors a store with the server and the account that the program uses now.
  ///
  /// Parhelion's addition. Resolves the blocker `cloudChanged`: all objects of the store are sent
  /// to the new server, and all records there are imported. Records keep their names, so records
  /// that were copied by other means do not become duplicates. The former server keeps its data.
  ///
  /// - Returns: Whether the store has this blocker. If not, for example because the store is not
  ///   mirrored, the call does nothing.
  @discardableResult
  public func moveToCurrentCloud(_ store: NSPersistentStore) -> Bool {
    mirroring.decide(.moved, of: store)
  }

  /// A choice for a store after another user signed in.
  ///
  /// Parhelion's addition.
  public enum AccountResolution: Sendable {
    /// Sends everything to the account that is signed in, and imports what is there.
    ///
    /// Records keep their names, so several devices that move the same data make no duplicates.
    case moveData
    /// Empties the store and imports the data of the account that is signed in.
    ///
    /// Unsent changes and the conflict journal are lost. The former account keeps its data on the
    /// server.
    case replaceData
  }

  /// Resolves the blocker `accountChanged` of a store.
  ///
  /// Parhelion's addition. Until a program calls this method, nothing is sent or imported. If the
  /// former user signs in again, syncing continues as before.
  ///
  /// - Returns: Whether the store has this blocker. If not, for example because the store is not
  ///   mirrored, the call does nothing.
  @discardableResult
  public func resolveAccountChange(of store: NSPersistentStore, by resolution: AccountResolution)
    -> Bool
  {
    mirroring.decide(.accountResolved(takesAlong: resolution == .moveData), of: store)
  }

  /// Sets the function that decides conflicts between local and remote values of a property.
  ///
  /// Parhelion's addition. The function receives the object, its entity's name and the property,
  /// and returns whether the local value wins. It returns nil for the default rule, by which the
  /// local value wins. It is called on private queues and must give the same answer on every
  /// device.
  public func setMergeHandler(
    _ handler: (@Sendable (NSManagedObjectID, _ entity: String, _ property: String) -> Bool?)?
  ) {
    mirroring.hook = handler.map { MirrorHook($0) }
  }
}
