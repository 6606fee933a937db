/// The groups of an undo manager: undoable, redoable and open ones.
///
/// ```
///              begin(.undoing)
/// registering ──────────────────▶ undoing ──end──▶ registering
///                                   registered actions form a group of `redoable`
///              begin(.redoing)
/// registering ──────────────────▶ redoing ──end──▶ registering
///                                   registered actions form a group to undo
/// ```
///
/// While registering, closed groups go to `undoable`, and each action clears `redoable`.
struct UndoStacks {
  enum Activity {
    case registering, undoing, redoing
  }

  /// Groups that can be undone, in order.
  private(set) var undoable: [UndoGroup] = []
  /// Groups that can be redone, in order.
  private(set) var redoable: [UndoGroup] = []
  /// Open groups, from the outermost to the innermost.
  private(set) var open: [UndoGroup] = []
  var activity = Activity.registering

  /// The maximum number of groups to undo; 0 means no limit.
  var limit = 0 {
    didSet { dropBeyondLimit() }
  }

  /// The group whose name a menu shows: the outermost open one, or else the latest closed one.
  var shownGroup: UndoGroup? {
    open.first.flatMap { $0.isEmpty && $0.name.isEmpty ? nil : $0 } ?? undoable.last
  }

  /// The group to which a name or a discardable mark applies.
  var current: UndoGroup? { open.last ?? undoable.last }

  mutating func openGroup(isAutomatic: Bool) { open.append(UndoGroup(isAutomatic: isAutomatic)) }

  /// Registers an action in the innermost open group.
  mutating func register(_ action: UndoAction) {
    if activity == .registering { redoable = [] }
    open.last?.append(.action(action))
  }

  /// Closes the innermost open group.
  mutating func closeGroup() {
    let group = open.removeLast()
    if group.isAutomatic && group.isEmpty { return }
    addUndoable(group)
  }

  /// Adds a closed group to the innermost open group, or to `undoable` if no group is open.
  private mutating func addUndoable(_ group: UndoGroup) {
    if let parent = open.last {
      if parent.name.isEmpty { parent.name = group.name }
      parent.append(.group(group))
    } else {
      undoable.append(group)
      dropBeyondLimit()
    }
  }

  /// Removes and returns the group to undo next, from the innermost open group if there is one.
  mutating func takeUndoable() -> UndoGroup? {
    open.last.map { $0.popLastGroup() } ?? undoable.popLast()
  }

  mutating func takeRedoable() -> UndoGroup? { redoable.popLast() }

  /// Begins to undo or redo a group.
  ///
  /// Registrations made meanwhile form the opposite group.
  mutating func begin(_ activity: Activity, of group: UndoGroup) {
    self.activity = activity
    let opposite = UndoGroup()
    opposite.name = group.name
    opposite.isDiscardable = group.isDiscardable
    open.append(opposite)
  }

  /// Ends the activity that `begin` started.
  ///
  /// - Parameter depth: The number of open groups before `begin`.
  mutating func end(depth: Int) {
    while open.count > depth + 1 { closeGroup() }
    let opposite = open.removeLast()
    let wasUndoing = activity == .undoing
    activity = .registering
    guard !opposite.isEmpty else { return }
    if wasUndoing { redoable.append(opposite) } else { addUndoable(opposite) }
  }

  /// Removes all actions and closed groups; open groups stay open.
  mutating func removeAll() {
    undoable = []
    redoable = []
    for group in open { group.removeAll() }
  }

  mutating func removeActions(on target: AnyObject) {
    for group in undoable + redoable + open { group.removeActions(on: target) }
    undoable.removeAll(where: \.isEmpty)
    redoable.removeAll(where: \.isEmpty)
  }

  private mutating func dropBeyondLimit() {
    if limit > 0, undoable.count > limit { undoable.removeFirst(undoable.count - limit) }
  }
}
