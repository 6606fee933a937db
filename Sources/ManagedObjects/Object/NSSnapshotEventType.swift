/// The events that replace an object's values, other than the program's own changes.
public struct NSSnapshotEventType: OptionSet, Sendable {
  /// The bits of the events.
  public let rawValue: UInt

  /// Creates a set of events from their bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// An insertion was undone.
  public static var undoInsertion: NSSnapshotEventType { .init(rawValue: 1 << 1) }
  /// A deletion was undone.
  public static var undoDeletion: NSSnapshotEventType { .init(rawValue: 1 << 2) }
  /// Changes were undone.
  public static var undoUpdate: NSSnapshotEventType { .init(rawValue: 1 << 3) }
  /// Changes were rolled back.
  public static var rollback: NSSnapshotEventType { .init(rawValue: 1 << 4) }
  /// The object was refreshed.
  public static var refresh: NSSnapshotEventType { .init(rawValue: 1 << 5) }
  /// A merge policy changed the object.
  public static var mergePolicy: NSSnapshotEventType { .init(rawValue: 1 << 6) }
}
