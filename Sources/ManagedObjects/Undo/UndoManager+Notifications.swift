public import Foundation

/// The `userInfo` key for whether a notification's group is discardable: a Boolean.
public let NSUndoManagerGroupIsDiscardableKey = "NSUndoManagerGroupIsDiscardableKey"

/// The order in which a run loop closes groups, among its other observers.
public let NSUndoCloseGroupingRunLoopOrdering = 350_000

extension NSNotification.Name {
  /// A notification that an undo manager is about to inspect its groups.
  ///
  /// Observers register pending changes now.
  public static let NSUndoManagerCheckpoint = NSNotification.Name(
    "NSUndoManagerCheckpointNotification")

  /// A notification that an undo manager is about to undo.
  public static let NSUndoManagerWillUndoChange = NSNotification.Name(
    "NSUndoManagerWillUndoChangeNotification")

  /// A notification that an undo manager undid a group.
  public static let NSUndoManagerDidUndoChange = NSNotification.Name(
    "NSUndoManagerDidUndoChangeNotification")

  /// A notification that an undo manager is about to redo.
  public static let NSUndoManagerWillRedoChange = NSNotification.Name(
    "NSUndoManagerWillRedoChangeNotification")

  /// A notification that an undo manager redid a group.
  public static let NSUndoManagerDidRedoChange = NSNotification.Name(
    "NSUndoManagerDidRedoChangeNotification")

  /// A notification that an undo manager opened a group.
  public static let NSUndoManagerDidOpenUndoGroup = NSNotification.Name(
    "NSUndoManagerDidOpenUndoGroupNotification")

  /// A notification that an undo manager is about to close a group.
  public static let NSUndoManagerWillCloseUndoGroup = NSNotification.Name(
    "NSUndoManagerWillCloseUndoGroupNotification")

  /// A notification that an undo manager closed a group.
  public static let NSUndoManagerDidCloseUndoGroup = NSNotification.Name(
    "NSUndoManagerDidCloseUndoGroupNotification")
}
