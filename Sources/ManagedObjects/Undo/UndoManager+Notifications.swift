public import Foundation

/// Whether the group of a notification may be thrown away: a Boolean in its `userInfo`.
public let NSUndoManagerGroupIsDiscardableKey = "NSUndoManagerGroupIsDiscardableKey"

/// Where a run loop closes groups among the other things that it does in a turn.
public let NSUndoCloseGroupingRunLoopOrdering = 350_000

extension NSNotification.Name {
  /// An undo manager is about to look at its groups: whoever has changes to register does it now.
  public static let NSUndoManagerCheckpoint = NSNotification.Name(
    "NSUndoManagerCheckpointNotification")

  /// An undo manager is about to undo.
  public static let NSUndoManagerWillUndoChange = NSNotification.Name(
    "NSUndoManagerWillUndoChangeNotification")

  /// An undo manager undid.
  public static let NSUndoManagerDidUndoChange = NSNotification.Name(
    "NSUndoManagerDidUndoChangeNotification")

  /// An undo manager is about to redo.
  public static let NSUndoManagerWillRedoChange = NSNotification.Name(
    "NSUndoManagerWillRedoChangeNotification")

  /// An undo manager redid.
  public static let NSUndoManagerDidRedoChange = NSNotification.Name(
    "NSUndoManagerDidRedoChangeNotification")

  /// An undo manager opened a group.
  public static let NSUndoManagerDidOpenUndoGroup = NSNotification.Name(
    "NSUndoManagerDidOpenUndoGroupNotification")

  /// An undo manager is about to close a group.
  public static let NSUndoManagerWillCloseUndoGroup = NSNotification.Name(
    "NSUndoManagerWillCloseUndoGroupNotification")

  /// An undo manager closed a group.
  public static let NSUndoManagerDidCloseUndoGroup = NSNotification.Name(
    "NSUndoManagerDidCloseUndoGroupNotification")
}
