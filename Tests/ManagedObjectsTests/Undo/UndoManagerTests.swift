import Foundation
import ManagedObjects
import TestSupport
import Testing

@Suite struct UndoManagerTests {
  /// A text whose changes can be undone.
  private final class Document {
    let undoManager: UndoManager
    private(set) var text = ""

    init(_ undoManager: UndoManager) { self.undoManager = undoManager }

    func set(_ text: String) {
      let former = self.text
      undoManager.registerUndo(withTarget: self) { $0.set(former) }
      self.text = text
    }
  }

  private let undoManager = UndoManager()
  private let document: Document

  init() {
    document = Document(undoManager)
  }

  /// Sets each text in a separate event.
  private func setInEvents(_ texts: String...) {
    for text in texts {
      document.set(text)
      undoManager.endEvent()
    }
  }

  // MARK: Undoing and redoing

  @Test func `Events are undone and redone one by one`() {
    setInEvents("a", "b", "c")
    undoManager.undo()
    undoManager.undo()
    #expect(document.text == "a")
    undoManager.redo()
    #expect(document.text == "b")
    undoManager.undo()
    undoManager.undo()
    #expect(document.text == "")
    #expect(!undoManager.canUndo)
    for expected in ["a", "b", "c", "c"] {
      undoManager.redo()
      #expect(document.text == expected)
    }
    #expect(!undoManager.canRedo)
  }

  @Test func `Undo ends the event and reverts all of its changes`() {
    document.set("a")
    document.set("b")
    #expect(undoManager.groupingLevel == 1)
    undoManager.undo()
    #expect(document.text == "")
    #expect(undoManager.groupingLevel == 0)
    undoManager.redo()
    #expect(document.text == "b")
  }

  @Test func `A new change discards the redo steps`() {
    setInEvents("a", "b")
    undoManager.undo()
    setInEvents("c")
    #expect(!undoManager.canRedo)
    undoManager.undo()
    #expect(document.text == "a")
  }

  @Test func `Undoing is reported only while it lasts`() {
    var states: [[Bool]] = []
    undoManager.registerUndo(withTarget: document) { [undoManager] document in
      states.append([undoManager.isUndoing, undoManager.isRedoing])
      undoManager.registerUndo(withTarget: document) { _ in
        states.append([undoManager.isUndoing, undoManager.isRedoing])
      }
    }
    undoManager.undo()
    undoManager.redo()
    #expect(states == [[true, false], [false, true]])
    #expect(!undoManager.isUndoing && !undoManager.isRedoing)
  }

  @Test func `Undo and redo of any history are inverse`() {
    var generator = SeededGenerator.forTest()
    for _ in 0..<50 {
      let manager = UndoManager()
      let document = Document(manager)
      var expected = [""]
      for number in 1...Int.random(in: 1...20, using: &generator) {
        manager.beginUndoGrouping()
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
          document.set("\(number) \(generator.next())")
        }
        manager.endUndoGrouping()
        manager.endEvent()
        expected.append(document.text)
      }
      for text in expected.dropLast().reversed() {
        manager.undo()
        #expect(document.text == text, "\(generator)")
      }
      for text in expected.dropFirst() {
        manager.redo()
        #expect(document.text == text, "\(generator)")
      }
    }
  }

  // MARK: Groups

  @Test func `Groups nest inside the event's group`() {
    #expect(undoManager.groupsByEvent)
    undoManager.beginUndoGrouping()
    #expect(undoManager.groupingLevel == 2)
    undoManager.endUndoGrouping()
    #expect(undoManager.groupingLevel == 1)
    undoManager.endEvent()
    #expect(undoManager.groupingLevel == 0)
  }

  @Test func `A group inside an open one is undone separately`() {
    undoManager.groupsByEvent = false
    undoManager.beginUndoGrouping()
    document.set("a")
    undoManager.beginUndoGrouping()
    document.set("b")
    undoManager.endUndoGrouping()
    undoManager.undoNestedGroup()
    #expect(document.text == "a")
    undoManager.redo()
    #expect(document.text == "b")
    undoManager.endUndoGrouping()
    undoManager.undo()
    #expect(document.text == "")
    #expect(!undoManager.canUndo)
  }

  @Test func `The number of groups is limited to the levels of undo`() {
    undoManager.levelsOfUndo = 2
    setInEvents("a", "b", "c")
    for _ in 0..<3 { undoManager.undo() }
    #expect(document.text == "a")
    setInEvents("d", "e")
    undoManager.levelsOfUndo = 1
    for _ in 0..<2 { undoManager.undo() }
    #expect(document.text == "d")
  }

  @Test func `Closing a group that is not open stops the program`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      UndoManager().endUndoGrouping()
    }
    #expect(standardError(of: result).contains("endUndoGrouping() was called without a group"))
  }

  @Test func `Registering outside a group stops the program if events make none`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let manager = UndoManager()
      manager.groupsByEvent = false
      manager.registerUndo(withTarget: manager) { _ in }
    }
    #expect(standardError(of: result).contains("A change was registered without a group"))
  }

  @Test func `Undo inside an explicit group stops the program`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let manager = UndoManager()
      manager.beginUndoGrouping()
      manager.undo()
    }
    #expect(standardError(of: result).contains("undo() was called while 2 groups were open"))
  }

  // MARK: Registering

  @Test func `A disabled undo manager registers nothing`() {
    undoManager.disableUndoRegistration()
    undoManager.disableUndoRegistration()
    document.set("a")
    undoManager.enableUndoRegistration()
    document.set("b")
    #expect(!undoManager.canUndo && !undoManager.isUndoRegistrationEnabled)
    undoManager.enableUndoRegistration()
    document.set("c")
    #expect(undoManager.canUndo)
  }

  @Test func `A released target is skipped and not retained`() {
    weak var gone: Document?
    do {
      let short = Document(undoManager)
      gone = short
      short.set("a")
    }
    #expect(gone == nil)
    undoManager.undo()
    #expect(!undoManager.canRedo)
  }

  @Test func `Actions of one target can be removed`() {
    let other = Document(undoManager)
    document.set("a")
    other.set("b")
    undoManager.endEvent()
    setInEvents("c")
    undoManager.removeAllActions(withTarget: document)
    undoManager.undo()
    #expect(document.text == "c")
    #expect(other.text == "")
    #expect(!undoManager.canUndo)
  }

  @Test func `Removing all actions also enables registration`() {
    setInEvents("a", "b")
    undoManager.undo()
    undoManager.disableUndoRegistration()
    undoManager.removeAllActions()
    #expect(!undoManager.canUndo && !undoManager.canRedo && undoManager.isUndoRegistrationEnabled)
  }

  // MARK: Names

  @Test func `Names follow their groups between undo and redo`() {
    document.set("a")
    undoManager.setActionName("Typing")
    #expect(undoManager.undoMenuItemTitle == "Undo Typing")
    #expect(undoManager.redoMenuItemTitle == "Redo")
    undoManager.undo()
    #expect(undoManager.undoActionName == "")
    #expect(undoManager.redoMenuItemTitle == "Redo Typing")
    undoManager.redo()
    #expect(undoManager.undoActionName == "Typing")
  }

  @Test func `A group can be marked as discardable`() {
    document.set("a")
    undoManager.setActionIsDiscardable(true)
    undoManager.endEvent()
    #expect(undoManager.undoActionIsDiscardable)
    undoManager.undo()
    #expect(undoManager.redoActionIsDiscardable && !undoManager.undoActionIsDiscardable)
  }

  // MARK: Notifications

  @Test func `Notifications come in Apple's order`() {
    let names: [Notification.Name: String] = [
      .NSUndoManagerCheckpoint: "checkpoint", .NSUndoManagerDidOpenUndoGroup: "open",
      .NSUndoManagerWillCloseUndoGroup: "will close", .NSUndoManagerDidCloseUndoGroup: "close",
      .NSUndoManagerWillUndoChange: "will undo", .NSUndoManagerDidUndoChange: "undo",
      .NSUndoManagerWillRedoChange: "will redo", .NSUndoManagerDidRedoChange: "redo",
    ]
    let log = NotificationLog(names, of: undoManager)
    document.set("a")
    undoManager.undo()
    undoManager.redo()
    #expect(
      log.entries == [
        "open", "checkpoint", "will close", "close", "checkpoint", "will undo", "checkpoint",
        "undo", "checkpoint",
        "will redo", "checkpoint", "redo",
      ])
  }

  @Test func `Actions registered at the checkpoint are undone too`() {
    let log = NotificationLog([:], of: undoManager)
    setInEvents("a")
    var isPending = true
    log.observe(.NSUndoManagerCheckpoint, of: undoManager) { [document] in
      guard isPending else { return }
      isPending = false
      document.set("b")
    }
    undoManager.undo()
    #expect(document.text == "a")
  }
}

/// The notifications of an object in order, as long as the log exists.
private final class NotificationLog {
  private(set) var entries: [String] = []
  private var observers: [any NSObjectProtocol] = []

  init(_ names: [Notification.Name: String], of object: AnyObject) {
    for (name, entry) in names {
      observe(name, of: object) { [unowned self] in entries.append(entry) }
    }
  }

  func observe(_ name: Notification.Name, of object: AnyObject, _ body: @escaping () -> Void) {
    nonisolated(unsafe) let body = body
    observers.append(
      NotificationCenter.default.addObserver(forName: name, object: object, queue: nil) { _ in
        body()
      })
  }

  deinit {
    for observer in observers { NotificationCenter.default.removeObserver(observer) }
  }
}
