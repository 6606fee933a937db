/// A group of actions that are undone or redone in one step.
final class UndoGroup {
  /// An action or a nested group.
  enum Entry {
    case action(UndoAction)
    case group(UndoGroup)
  }

  /// Whether the group was opened automatically for an event.
  let isAutomatic: Bool
  var name = ""
  var isDiscardable = false
  private(set) var entries: [Entry] = []

  init(isAutomatic: Bool = false) {
    self.isAutomatic = isAutomatic
  }

  var isEmpty: Bool { entries.isEmpty }

  func append(_ entry: Entry) { entries.append(entry) }

  /// Removes and returns the last entry if it is a group.
  func popLastGroup() -> UndoGroup? {
    guard case .group(let group)? = entries.last else { return nil }
    entries.removeLast()
    return group
  }

  func removeAll() { entries = [] }

  /// Removes the actions on a target, and groups that become empty.
  func removeActions(on target: AnyObject) {
    entries.removeAll { entry in
      switch entry {
      case .action(let action): return action.target == nil || action.target === target
      case .group(let group):
        group.removeActions(on: target)
        return group.isEmpty
      }
    }
  }

  /// Performs all entries in reverse order.
  func perform() {
    for entry in entries.reversed() {
      switch entry {
      case .action(let action): action.perform()
      case .group(let group): group.perform()
      }
    }
  }
}

/// An action on an object that a program registered.
struct UndoAction {
  /// The object, which the undo manager does not retain.
  private(set) weak var target: AnyObject?
  private let handler: (AnyObject) -> Void

  init(target: AnyObject, handler: @escaping (AnyObject) -> Void) {
    self.target = target
    self.handler = handler
  }

  /// Performs the action, unless the object was deallocated.
  func perform() {
    if let target { handler(target) }
  }
}
