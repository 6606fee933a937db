public import CloudKitClient
import Foundation
import Synchronization

extension CKSyncEngine {
  /// The engine's state: what it knows about the server, and the pending changes.
  ///
  /// ```swift
  /// engine.state.add(pendingRecordZoneChanges: [.saveRecord(note.recordID)])
  /// ```
  public final class State: Sendable {
    private let content: Mutex<Content>

    private struct Content {
      var state: SyncState
      /// Whether the state has changed since the last state update.
      var isDirty = false
      /// Called when the app has changed the state, with whether it added something to send.
      var listener: (@Sendable (_ hasPendingChanges: Bool) -> Void)?
    }

    init(_ state: SyncState) {
      content = Mutex(Content(state: state))
    }

    // MARK: Pending changes

    /// The pending record changes, in the order in which they were added.
    ///
    /// Sent changes are removed, unless they failed temporarily.
    public var pendingRecordZoneChanges: [PendingRecordZoneChange] {
      content.withLock { $0.state.records }.items.map { PendingRecordZoneChange($0) }
    }

    /// The pending zone changes, in the order in which they were added.
    public var pendingDatabaseChanges: [PendingDatabaseChange] {
      content.withLock { $0.state.zones }.items.map { PendingDatabaseChange($0) }
    }

    /// Whether the app has pending changes that the engine does not track.
    ///
    /// The engine asks for them with the next batch. It resets the value when the app has no more
    /// changes.
    public var hasPendingUntrackedChanges: Bool {
      get { content.withLock { $0.state.hasUntracked } }
      set {
        update(hasPendingChanges: newValue) { state in
          state.hasUntracked = newValue
          if newValue { state.untrackedStamp += 1 }
        }
      }
    }

    /// The zones with unfetched changes, oldest first.
    public var zoneIDsWithUnfetchedServerChanges: [CKRecordZone.ID] {
      content.withLock { $0.state.unfetchedZones }
    }

    /// Adds pending record changes.
    ///
    /// A newer change of a record replaces an older one.
    public func add(pendingRecordZoneChanges: [PendingRecordZoneChange]) {
      guard !pendingRecordZoneChanges.isEmpty else { return }
      update(hasPendingChanges: true) { state in
        for change in pendingRecordZoneChanges { state.records.add(change.item) }
      }
    }

    /// Removes pending record changes.
    public func remove(pendingRecordZoneChanges: [PendingRecordZoneChange]) {
      guard !pendingRecordZoneChanges.isEmpty else { return }
      update(hasPendingChanges: false) { state in
        for change in pendingRecordZoneChanges { state.records.remove(change.item) }
      }
    }

    /// Adds pending zone changes.
    ///
    /// A newer change of a zone replaces an older one.
    public func add(pendingDatabaseChanges: [PendingDatabaseChange]) {
      guard !pendingDatabaseChanges.isEmpty else { return }
      update(hasPendingChanges: true) { state in
        for change in pendingDatabaseChanges { state.zones.add(change.item) }
      }
    }

    /// Removes pending zone changes.
    public func remove(pendingDatabaseChanges: [PendingDatabaseChange]) {
      guard !pendingDatabaseChanges.isEmpty else { return }
      update(hasPendingChanges: false) { state in
        for change in pendingDatabaseChanges { state.zones.remove(change.item) }
      }
    }

    private func update(hasPendingChanges: Bool, _ change: (inout SyncState) -> Void) {
      let listener = content.withLock { content in
        change(&content.state)
        content.isDirty = true
        return content.listener
      }
      listener?(hasPendingChanges)
    }

    // MARK: For the engine

    var current: SyncState { content.withLock { $0.state } }

    func apply(_ change: SyncState.Change) {
      content.withLock { content in
        content.state.apply(change)
        content.isDirty = true
      }
    }

    /// Returns the state to store; nil if it has not changed since the last call.
    func takeUpdate() -> Serialization? {
      content.withLock { content in
        guard content.isDirty else { return nil }
        content.isDirty = false
        return Serialization(state: content.state)
      }
    }

    func listen(_ listener: @escaping @Sendable (_ hasPendingChanges: Bool) -> Void) {
      content.withLock { $0.listener = listener }
    }
  }
}

extension CKSyncEngine.State {
  /// The stored form of the state, which the app keeps together with its data until the next
  /// launch.
  ///
  /// Any encoder can encode it. A library cannot decode the state of a later library version. If
  /// decoding fails, start with nil.
  public struct Serialization: Codable, Sendable {
    let state: SyncState

    init(state: SyncState) { self.state = state }

    /// Decodes a state.
    public init(from decoder: any Decoder) throws { state = try SyncState(from: decoder) }

    /// Encodes the state.
    public func encode(to encoder: any Encoder) throws { try state.encode(to: encoder) }
  }
}
