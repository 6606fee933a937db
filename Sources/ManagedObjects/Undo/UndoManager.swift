public import Foundation
public import PredicateLanguage

/// Remembers how to take changes back, and how to make them again.
///
/// What changes something registers the opposite change. Registered changes are collected in
/// groups; `undo()` performs the latest group, last changes first, and what is registered meanwhile
/// becomes the group that `redo()` performs.
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
/// With `groupsByEvent`, the usual case, the first registration of an event opens a group. Outside
/// Apple's platforms there is no run loop that says where an event ends: contexts say it at the end
/// of their blocks, and other code calls `endEvent()`. `undo()` ends the event as well.
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

  /// Whether groups are opened for events on their own.
  open var groupsByEvent = true

  /// The greatest number of groups to keep for undoing; 0, the default, means no limit.
  open var levelsOfUndo: Int {
    get { stacks.limit }
    set { stacks.limit = max(0, newValue) }
  }

  /// The modes of a run loop in which events end.
  ///
  /// They mean nothing here, where no run loop ends events.
  open var runLoopModes: [RunLoop.Mode] = [.default]

  /// The number of groups that are open.
  open var groupingLevel: Int { stacks.open.count }

  /// Opens a group in which registrations are collected until `endUndoGrouping()`.
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

  /// Ends the event in which changes were made: closes the group that was opened for it.
  ///
  /// Parhelion's addition. Contexts call it after each block of `perform(_:)`; a program with an
  /// event loop of its own calls it at the end of a turn.
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

  /// Makes registrations void, until `enableUndoRegistration()` is called as often.
  open func disableUndoRegistration() {
    timesDisabled += 1
  }

  /// Takes one `disableUndoRegistration()` back.
  ///
  /// - Precondition: Registration is disabled.
  open func enableUndoRegistration() {
    precondition(
      timesDisabled > 0, "enableUndoRegistration() was called while registration was not disabled.")
    timesDisabled -= 1
  }

  /// Registers what takes a change back.
  ///
  /// The undo manager does not keep the target alive, and forgets the change when the target is
  /// gone.
  ///
  /// - Precondition: A group is open, or `groupsByEvent` is set.
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

  /// Selectors do not exist without the Objective-C runtime.
  @available(*, unavailable, message: "Use registerUndo(withTarget:handler:).")
  public func registerUndo(withTarget target: Any, selector: Selector, object anObject: Any?) {}

  /// Invocations do not exist without the Objective-C runtime.
  @available(*, unavailable, message: "Use registerUndo(withTarget:handler:).")
  public func prepare(withInvocationTarget target: Any) -> Any { self }

  /// Forgets everything that could be undone or redone, and enables registration.
  open func removeAllActions() {
    stacks.removeAll()
    timesDisabled = 0
  }

  /// Forgets what is registered for one target.
  open func removeAllActions(withTarget target: Any) {
    stacks.removeActions(on: target as AnyObject)
  }

  // MARK: Undoing and redoing

  /// Whether there is something to undo.
  open var canUndo: Bool { !stacks.undoable.isEmpty || stacks.open.contains { !$0.isEmpty } }

  /// Whether there is something to redo.
  ///
  /// Those who have changes to register are told before.
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
  /// - Precondition: No group is open but the one of the event.
  open func undo() {
    if groupingLevel == 0 { post(.NSUndoManagerCheckpoint) }
    precondition(
      groupingLevel <= 1,
      "undo() was called while \(groupingLevel) groups were open: call endUndoGrouping() before, or undoNestedGroup()."
    )
    if groupingLevel == 1 { endUndoGrouping() }
    undoNestedGroup()
  }

  /// Undoes the latest group, be it inside of one that is open.
  ///
  /// - Precondition: Nothing was registered since the group was closed.
  open func undoNestedGroup() {
    precondition(!isUndoing && !isRedoing, "undo() was called by what is being undone or redone.")
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

  /// Makes the changes again that were undone last.
  ///
  /// - Precondition: Nothing is being undone.
  open func redo() {
    precondition(!isUndoing && !isRedoing, "redo() was called by what is being undone or redone.")
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

  /// Names the group that is open, or the latest: what a menu shows after “Undo”.
  open func setActionName(_ actionName: String) {
    stacks.current?.name = actionName
  }

  /// Says whether the group that is open may be thrown away, since what it changes is no content of
  /// a document.
  open func setActionIsDiscardable(_ discardable: Bool) {
    stacks.current?.isDiscardable = discardable
  }

  /// The name of what would be undone, or an empty text.
  open var undoActionName: String { stacks.shownGroup?.name ?? "" }

  /// The name of what would be redone, or an empty text.
  open var redoActionName: String { stacks.redoable.last?.name ?? "" }

  /// Whether what would be undone may be thrown away.
  open var undoActionIsDiscardable: Bool { stacks.shownGroup?.isDiscardable ?? false }

  /// Whether what would be redone may be thrown away.
  open var redoActionIsDiscardable: Bool { stacks.redoable.last?.isDiscardable ?? false }

  /// “Undo” and the name of what would be undone.
  open var undoMenuItemTitle: String { undoMenuTitle(forUndoActionName: undoActionName) }

  /// “Redo” and the name of what would be redone.
  open var redoMenuItemTitle: String { redoMenuTitle(forUndoActionName: redoActionName) }

  /// “Undo” and a name.
  ///
  /// Override it to speak another language.
  open func undoMenuTitle(forUndoActionName actionName: String) -> String {
    actionName.isEmpty ? "Undo" : "Undo \(actionName)"
  }

  /// “Redo” and a name.
  ///
  /// Override it to speak another language.
  open func redoMenuTitle(forUndoActionName actionName: String) -> String {
    actionName.isEmpty ? "Redo" : "Redo \(actionName)"
  }
}
