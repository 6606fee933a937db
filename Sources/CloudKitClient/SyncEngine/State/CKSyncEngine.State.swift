import Foundation
import Synchronization

extension CKSyncEngine {
  /// What an engine knows of the server, and what is to be sent.
  ///
  /// ```swift
  /// engine.state.add(pendingRecordZoneChanges: [.saveRecord(note.recordID)])
  /// ```
  public final class State: Sendable {
    private let content: Mutex<Content>

    private struct Content {
      var state: SyncState
      /// Whether something changed that the program was not given to keep.
      var isDirty = false
      /// Is told that the program changed something, and whether that is to be sent.
      var listener: (@Sendable (_ isToBeSent: Bool) -> Void)?
    }

    init(_ state: SyncState) {
      content = Mutex(Content(state: state))
    }

    // MARK: What is to be sent

    /// Records that are to be sent, in the order in which they were added.
    ///
    /// What was sent leaves the list, unless it failed in a way that passes by itself.
    public var pendingRecordZoneChanges: [PendingRecordZoneChange] {
      content.withLock { $0.state.records }.items.map { PendingRecordZoneChange($0) }
    }

    /// Zones that are to be sent, in the order in which they were added.
    public var pendingDatabaseChanges: [PendingDatabaseChange] {
      content.withLock { $0.state.zones }.items.map { PendingDatabaseChange($0) }
    }

    /// Whether the program keeps changes of its own that are to be sent: it is asked for them in
    /// the next batch.
    ///
    /// It is false again when the program had no more to give.
    public var hasPendingUntrackedChanges: Bool {
      get { content.withLock { $0.state.hasUntracked } }
      set {
        wish(isToBeSent: newValue) { state in
          state.hasUntracked = newValue
          if newValue { state.untrackedStamp += 1 }
        }
      }
    }

    /// Zones in which something changed that was not fetched, the oldest first.
    public var zoneIDsWithUnfetchedServerChanges: [CKRecordZone.ID] {
      content.withLock { $0.state.unfetchedZones }
    }

    /// Has records sent: of one record, the last wish counts.
    public func add(pendingRecordZoneChanges: [PendingRecordZoneChange]) {
      guard !pendingRecordZoneChanges.isEmpty else { return }
      wish(isToBeSent: true) { state in
        for change in pendingRecordZoneChanges { state.records.add(change.item) }
      }
    }

    /// Has records not sent.
    public func remove(pendingRecordZoneChanges: [PendingRecordZoneChange]) {
      guard !pendingRecordZoneChanges.isEmpty else { return }
      wish(isToBeSent: false) { state in
        for change in pendingRecordZoneChanges { state.records.remove(change.item) }
      }
    }

    /// Has zones made or deleted: of one zone, the last wish counts.
    public func add(pendingDatabaseChanges: [PendingDatabaseChange]) {
      guard !pendingDatabaseChanges.isEmpty else { return }
      wish(isToBeSent: true) { state in
        for change in pendingDatabaseChanges { state.zones.add(change.item) }
      }
    }

    /// Has zones neither made nor deleted.
    public func remove(pendingDatabaseChanges: [PendingDatabaseChange]) {
      guard !pendingDatabaseChanges.isEmpty else { return }
      wish(isToBeSent: false) { state in
        for change in pendingDatabaseChanges { state.zones.remove(change.item) }
      }
    }

    private func wish(isToBeSent: Bool, _ change: (inout SyncState) -> Void) {
      let listener = content.withLock { content in
        change(&content.state)
        content.isDirty = true
        return content.listener
      }
      listener?(isToBeSent)
    }

    // MARK: The engine

    var current: SyncState { content.withLock { $0.state } }

    func apply(_ change: SyncState.Change) {
      content.withLock { content in
        content.state.apply(change)
        content.isDirty = true
      }
    }

    /// What the program is to keep; nil where it was given everything.
    func takeUpdate() -> Serialization? {
      content.withLock { content in
        guard content.isDirty else { return nil }
        content.isDirty = false
        return Serialization(state: content.state)
      }
    }

    func listen(_ listener: @escaping @Sendable (_ isToBeSent: Bool) -> Void) {
      content.withLock { $0.listener = listener }
    }
  }
}

extension CKSyncEngine.State {
  /// What an engine knows, to be kept until the next launch beside the data that it is about.
  ///
  /// Write it with any encoder. What a newer library wrote cannot be read: begin with nil then.
  public struct Serialization: Codable, Sendable {
    let state: SyncState

    init(state: SyncState) { self.state = state }

    /// Reads what an engine knew.
    public init(from decoder: any Decoder) throws { state = try SyncState(from: decoder) }

    /// Writes what an engine knows.
    public func encode(to encoder: any Encoder) throws { try state.encode(to: encoder) }
  }
}
