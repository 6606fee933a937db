/// What is undone, or redone, in one step.
final class UndoGroup {
  /// One thing to do.
  enum Entry {
    case action(UndoAction)
    case group(UndoGroup)
  }

  /// Whether the group was opened for an event, without being asked for.
  let isAutomatic: Bool
  var name = ""
  var isDiscardable = false
  private(set) var entries: [Entry] = []

  init(isAutomatic: Bool = false) {
    self.isAutomatic = isAutomatic
  }

  var isEmpty: Bool { entries.isEmpty }

  func append(_ entry: Entry) { entries.append(entry) }

  /// Takes the last entry out, if it is a group.
  func popLastGroup() -> UndoGroup? {
    guard case .group(let group)? = entries.last else { return nil }
    entries.removeLast()
    return group
  }

  func removeAll() { entries = [] }

  /// Forgets the actions on a target, and the groups that are empty without them.
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

  /// Does everything, last things first.
  func perform() {
    for entry in entries.reversed() {
      switch entry {
      case .action(let action): action.perform()
      case .group(let group): group.perform()
      }
    }
  }
}

/// What a program registered to be done to an object.
struct UndoAction {
  /// The object, which the undo manager does not keep alive.
  private(set) weak var target: AnyObject?
  private let handler: (AnyObject) -> Void

  init(target: AnyObject, handler: @escaping (AnyObject) -> Void) {
    self.target = target
    self.handler = handler
  }

  /// Does it, unless the object is gone.
  func perform() {
    if let target { handler(target) }
  }
}
