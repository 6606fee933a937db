public import Foundation
public import PredicateLanguage

/// An object that records how to undo and redo changes.
///
/// Code that changes something registers the opposite change. Registered changes are collected in
/// groups. `undo()` performs the latest group in reverse order, and the changes registered
/// meanwhile become the group that `redo()` performs.
///
/// ```swift
/// func rename(_ document: Document, to name: String) {
///   let former = document.name
///   undoManager.registerUndo(withTarget: document) { rename($0, to: former) }
///   undoManager.setActionName("Rename")
///   document.name = name
/// }
/// ```
///
/// With `groupsByEvent`, the default, the first registration in an event opens a group. Outside
/// Apple's platforms no run loop ends events: contexts end them after their blocks, and other code
/// calls `endEvent()`. `undo()` ends the event too.
///
/// An undo manager belongs to one queue, that of its context.
open class UndoManager: NSObject {
  private var stacks = UndoStacks()
  private var timesDisabled = 0

  /// Creates an undo manager with nothing to undo.
  public override init() {
    super.init()
  }

  // MARK: Groups

  /// Whether groups are opened automatically for events.
  open var groupsByEvent = true

  /// The maximum number of groups that can be undone.
  ///
  /// 0, the default, means no limit.
  open var levelsOfUndo: Int {
    get { stacks.limit }
    set { stacks.limit = max(0, newValue) }
  }

  /// The run loop modes in which events end.
  ///
  /// They have no effect, because no run loop ends events on this platform.
  open var runLoopModes: [RunLoop.Mode] = [.default]

  /// The number of open groups.
  open var groupingLevel: Int { stacks.open.count }

  /// Opens a group for registrations, until `endUndoGrouping()`.
  open func beginUndoGrouping() {
    if !isUndoing && !isRedoing { post(.NSUndoManagerCheckpoint) }
    if groupsByEvent && groupingLevel == 0 { openGroup(isAutomatic: true) }
    openGroup(isAutomatic: false)
  }

  /// Closes the group that was opened last.
  ///
  /// - Precondition: A group is open.
  open func endUndoGrouping() {
    precondition(
      groupingLevel > 0,
      "endUndoGrouping() was called without a group: call beginUndoGrouping() before.")
    post(.NSUndoManagerCheckpoint)
    let userInfo = [NSUndoManagerGroupIsDiscardableKey: stacks.open.last?.isDiscardable ?? false]
    post(.NSUndoManagerWillCloseUndoGroup, userInfo)
    stacks.closeGroup()
    post(.NSUndoManagerDidCloseUndoGroup, userInfo)
  }

  /// Ends the event and closes its group.
  ///
  /// This method is Parhelion's addition.
  ///
  /// Contexts call it after each block of `perform(_:)`. A program with a custom event loop calls
  /// it at the end of a turn.
  open func endEvent() {
    guard groupsByEvent, !isUndoing, !isRedoing, groupingLevel == 1, stacks.open[0].isAutomatic
    else { return }
    endUndoGrouping()
  }

  private func openGroup(isAutomatic: Bool) {
    stacks.openGroup(isAutomatic: isAutomatic)
    post(.NSUndoManagerDidOpenUndoGroup)
  }

  // MARK: Registering

  /// Whether changes can be registered.
  open var isUndoRegistrationEnabled: Bool { timesDisabled == 0 }

  /// Disables registration until `enableUndoRegistration()` is called equally often.
  open func disableUndoRegistration() {
    timesDisabled += 1
  }

  /// Reverts one call of `disableUndoRegistration()`.
  ///
  /// - Precondition: Registration is disabled.
  open func enableUndoRegistration() {
    precondition(
      timesDisabled > 0, "enableUndoRegistration() was called while registration was not disabled.")
    timesDisabled -= 1
  }

  /// Registers the action that undoes a change.
  ///
  /// The undo manager does not retain the target, and skips the action once the target is gone.
  ///
  /// - Precondition: A group is open, or `groupsByEvent` is true.
  public func registerUndo<TargetType: AnyObject>(
    withTarget target: TargetType, handler: @escaping (TargetType) -> Void
  ) {
    guard isUndoRegistrationEnabled else { return }
    if groupingLevel == 0 {
      precondition(
        groupsByEvent, "A change was registered without a group: call beginUndoGrouping() before.")
      openGroup(isAutomatic: true)
    }
    stacks.register(
      UndoAction(target: target) { object in
        if let target = object as? TargetType { handler(target) }
      })
  }

  /// Unavailable: selectors require the Objective-C runtime.
  @available(*, unavailable, message: "Use registerUndo(withTarget:handler:).")
  public func registerUndo(withTarget target: Any, selector: Selector, object anObject: Any?) {}

  /// Unavailable: invocations require the Objective-C runtime.
  @available(*, unavailable, message: "Use registerUndo(withTarget:handler:).")
  public func prepare(withInvocationTarget target: Any) -> Any { self }

  /// Removes all groups, and enables registration.
  open func removeAllActions() {
    stacks.removeAll()
    timesDisabled = 0
  }

  /// Removes the actions of one target.
  open func removeAllActions(withTarget target: Any) {
    stacks.removeActions(on: target as AnyObject)
  }

  // MARK: Undoing and redoing

  /// Whether there is something to undo.
  open var canUndo: Bool { !stacks.undoable.isEmpty || stacks.open.contains { !$0.isEmpty } }

  /// Whether there is something to redo.
  ///
  /// Observers are asked to register pending changes first.
  open var canRedo: Bool {
    post(.NSUndoManagerCheckpoint)
    return !stacks.redoable.isEmpty
  }

  /// Whether changes are being undone.
  open var isUndoing: Bool { stacks.activity == .undoing }

  /// Whether changes are being redone.
  open var isRedoing: Bool { stacks.activity == .redoing }

  /// Ends the event and undoes the latest group.
  ///
  /// - Precondition: No group is open except the event's.
  open func undo() {
    if groupingLevel == 0 { post(.NSUndoManagerCheckpoint) }
    precondition(
      groupingLevel <= 1,
      "undo() was called while \(groupingLevel) groups were open: call endUndoGrouping() before, or undoNestedGroup()."
    )
    if groupingLevel == 1 { endUndoGrouping() }
    undoNestedGroup()
  }

  /// Undoes the latest group, even one nested in an open group.
  ///
  /// - Precondition: Nothing is being undone or redone, and nothing was registered since the group
  ///   was closed.
  open func undoNestedGroup() {
    precondition(!isUndoing && !isRedoing, "undo() was called during an undo or redo.")
    post(.NSUndoManagerCheckpoint)
    let isInside = stacks.open.last.map { !$0.isEmpty } ?? false
    guard let group = stacks.takeUndoable() else {
      precondition(
        !isInside,
        "undoNestedGroup() was called after changes were registered: close their group before.")
      return
    }
    perform(group, .undoing, from: .NSUndoManagerWillUndoChange, to: .NSUndoManagerDidUndoChange)
  }

  /// Redoes the changes that were undone last.
  ///
  /// - Precondition: Nothing is being undone or redone.
  open func redo() {
    precondition(!isUndoing && !isRedoing, "redo() was called during an undo or redo.")
    post(.NSUndoManagerCheckpoint)
    guard let group = stacks.takeRedoable() else { return }
    perform(group, .redoing, from: .NSUndoManagerWillRedoChange, to: .NSUndoManagerDidRedoChange)
  }

  private func perform(
    _ group: UndoGroup, _ activity: UndoStacks.Activity, from before: Notification.Name,
    to after: Notification.Name
  ) {
    post(before)
    let depth = groupingLevel
    stacks.begin(activity, of: group)
    group.perform()
    post(.NSUndoManagerCheckpoint)
    stacks.end(depth: depth)
    post(after)
  }

  private func post(_ name: Notification.Name, _ userInfo: [AnyHashable: Any]? = nil) {
    NotificationCenter.default.post(name: name, object: self, userInfo: userInfo)
  }

  // MARK: Names

  /// Sets the name of the innermost open group, or else of the latest group to undo.
  ///
  /// A menu shows the name after “Undo”.
  open func setActionName(_ actionName: String) {
    stacks.current?.name = actionName
  }

  /// Sets whether the innermost open group, or else the latest group to undo, is discardable.
  ///
  /// The actions of a discardable group change no content of a document.
  open func setActionIsDiscardable(_ discardable: Bool) {
    stacks.current?.isDiscardable = discardable
  }

  /// The name of the action that `undo()` would undo, or an empty string.
  open var undoActionName: String { stacks.shownGroup?.name ?? "" }

  /// The name of the action that `redo()` would redo, or an empty string.
  open var redoActionName: String { stacks.redoable.last?.name ?? "" }

  /// Whether the group that `undo()` would undo is discardable.
  open var undoActionIsDiscardable: Bool { stacks.shownGroup?.isDiscardable ?? false }

  /// Whether the group that `redo()` would redo is discardable.
  open var redoActionIsDiscardable: Bool { stacks.redoable.last?.isDiscardable ?? false }

  /// “Undo” and the name of the action that would be undone.
  open var undoMenuItemTitle: String { undoMenuTitle(forUndoActionName: undoActionName) }

  /// “Redo” and the name of the action that would be redone.
  open var redoMenuItemTitle: String { redoMenuTitle(forUndoActionName: redoActionName) }

  /// “Undo” and a name.
  ///
  /// Override it to localize the title.
  open func undoMenuTitle(forUndoActionName actionName: String) -> String {
    actionName.isEmpty ? "Undo" : "Undo \(actionName)"
  }

  /// “Redo” and a name.
  ///
  /// Override it to localize the title.
  open func redoMenuTitle(forUndoActionName actionName: String) -> String {
    actionName.isEmpty ? "Redo" : "Redo \(actionName)"
  }
}
