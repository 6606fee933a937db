import CloudKitClient
import Foundation
public import ManagedObjects
public import ObjectRows

extension NSPersistentCloudKitContainer {
  /// Where each store's changes are now.
  ///
  /// Parhelion's addition.
  public var syncState: SyncState { SyncState(stores: keeper.engines.map(\.state)) }

  /// Where each store's changes are: now, and whenever that changes.
  ///
  /// Parhelion's addition. Who is slow sees the newest state and not each one before.
  ///
  /// ```swift
  /// for await state in container.syncStates { badge.isHidden = state.isUpToDate }
  /// ```
  public var syncStates: AsyncStream<SyncState> {
    let changes = keeper.teller.changes
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

  /// Sends what waits, takes over what came, and returns when every store and the cloud have
  /// everything of each other.
  ///
  /// Parhelion's addition. What was to be waited for is not: it is tried at once. All stores are
  /// seen to, whatever stands in the way of one.
  ///
  /// A record that no device can read, since a file of it is gone for example, keeps nobody
  /// waiting: it is asked for once more, and `StoreState.heldBack` and `StoreState.isUpToDate` tell
  /// of it. A change of its object that waits to be sent does stand in the way.
  ///
  /// - Throws: What stands in the way, a `SyncBlocker`: that of the first store that has one. Its
  ///   code is `nothingMirrored` where the container mirrors no store: nobody is told that the
  ///   cloud has what never goes there.
  public func sync() async throws {
    let engines = keeper.engines
    if engines.isEmpty { throw SyncBlocker(.nothingMirrored) }
    var blocker: SyncBlocker?
    for engine in engines {
      do throws(MirrorFault) { try await engine.syncNow() } catch {
        blocker = blocker ?? SyncBlocker(error)
      }
    }
    if let blocker { throw blocker }
  }

  /// Sends what waits, and returns when the server has everything of one object, or has deleted it.
  ///
  /// Parhelion's addition. What keeps others from being sent is no reason to fail.
  ///
  /// ```swift
  /// try context.save()
  /// try await container.sync(receipt.objectID)
  /// ```
  ///
  /// - Throws: What keeps the object from being sent, a `SyncBlocker`; its code is `notMirrored`
  ///   where the object was never saved, or is not mirrored.
  public func sync(_ objectID: NSManagedObjectID) async throws {
    guard let engine = keeper.engine(of: objectID), try why(objectID).isMirrored else {
      throw SyncBlocker(MirrorFault(.notMirrored, "The object \(objectID) is not mirrored."))
    }
    var fault: MirrorFault?
    do throws(MirrorFault) { try await engine.syncNow(comparesNames: false) } catch {
      fault = error
    }
    switch try why(objectID) {
    // What is not there any more was deleted here, and there.
    case .durable, .notMirrored, .unsaved: return
    case .pending(let blocker?): throw blocker
    case .pending(nil), .sent:
      throw SyncBlocker(
        fault ?? MirrorFault(.cancelled, "The object \(objectID) was changed again meanwhile."))
    }
  }

  /// Leaves everything as it is until `resume()`.
  ///
  /// Parhelion's addition. What is saved meanwhile is noted, and is sent afterwards. Stores that
  /// are added later wait as well: call it before the stores are loaded where the program keeps a
  /// setting for it. It is not kept in stores: a file that is copied or restored would stand still
  /// without anybody knowing why.
  public func pause() { keeper.pause() }

  /// Goes on after `pause()`.
  ///
  /// Parhelion's addition.
  public func resume() { keeper.resume() }

  /// What becomes of data that the user deleted in the cloud.
  ///
  /// Parhelion's addition.
  public enum DeletionResolution: Sendable {
    /// It is deleted here too; changes that were not sent stay, and are sent.
    case deleteLocally
    /// Everything is sent again.
    case uploadAgain
  }

  /// Says what becomes of a store whose data the user deleted in the cloud.
  ///
  /// Parhelion's addition. Until then nothing is deleted here, and nothing is sent: see the blocker
  /// `zoneDeletedByUser`.
  ///
  /// - Returns: Whether that was asked of the store; else nothing happens, as for one that is not
  ///   mirrored.
  @discardableResult
  public func resolveDeletion(of store: NSPersistentStore, by resolution: DeletionResolution)
    -> Bool
  {
    keeper.decide(.decided(uploadAgain: resolution == .uploadAgain), of: store)
  }

  /// Lets a store go to the cloud that the program is pointed at, and to whoever is signed in
  /// there.
  ///
  /// Parhelion's addition. It does something where the blocker is `cloudChanged` alone: everything
  /// that the store has is sent there, and what is there comes. Records keep their names, so that
  /// what was copied there by other means is not doubled. The former cloud keeps what it has.
  ///
  /// - Returns: Whether that was asked of the store; else nothing happens, as for one that is not
  ///   mirrored.
  @discardableResult
  public func moveToPresentCloud(_ store: NSPersistentStore) -> Bool {
    keeper.decide(.moved, of: store)
  }

  /// What becomes of a store when another user is signed in than the one whose data it has.
  ///
  /// Parhelion's addition.
  public enum AccountResolution: Sendable {
    /// The data goes along: everything is sent to the account that is signed in, and what is there
    /// comes.
    ///
    /// Records keep their names, so that several devices which take the same data along do not
    /// double it.
    case takeAlong
    /// The store begins anew: all that it has goes here, what was never sent and the journal of
    /// conflicts as well, and what the account has comes.
    ///
    /// The former account's cloud keeps what it has.
    case startOver
  }

  /// Says what becomes of a store while another user is signed in than the one whose data it has.
  ///
  /// Parhelion's addition. It does something where the blocker is `accountChanged` alone: until
  /// then nothing is sent and nothing comes, and the former user who signs in again finds
  /// everything as it was.
  ///
  /// - Returns: Whether that was asked of the store; else nothing happens, as for one that is not
  ///   mirrored.
  @discardableResult
  public func resolveAccountChange(of store: NSPersistentStore, by resolution: AccountResolution)
    -> Bool
  {
    keeper.decide(.accountResolved(takesAlong: resolution == .takeAlong), of: store)
  }

  /// Decides about properties that were changed here and in the cloud since both were alike.
  ///
  /// Parhelion's addition. It gets the object, the name of its entity and the property, and says
  /// whether this device's value stays; nil leaves it to the usual rule, by which it does. It is
  /// called on queues of its own, and must give the same answer on every device.
  public func setMergeHandler(
    _ handler: (@Sendable (NSManagedObjectID, _ entity: String, _ property: String) -> Bool?)?
  ) {
    keeper.hook = handler.map { MirrorHook($0) }
  }
}
