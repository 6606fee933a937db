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

  /// Sets each text in an event of its own.
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

  @Test func `Undo ends the event, all of whose changes it takes back`() {
    document.set("a")
    document.set("b")
    #expect(undoManager.groupingLevel == 1)
    undoManager.undo()
    #expect(document.text == "")
    #expect(undoManager.groupingLevel == 0)
    undoManager.redo()
    #expect(document.text == "b")
  }

  @Test func `A new change forgets what could be redone`() {
    setInEvents("a", "b")
    undoManager.undo()
    setInEvents("c")
    #expect(!undoManager.canRedo)
    undoManager.undo()
    #expect(document.text == "a")
  }

  @Test func `Undoing says so, and only while it lasts`() {
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

  @Test func `Undo and redo of any history lead back and forth`() {
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

  @Test func `Groups nest, and the one of the event is outside`() {
    #expect(undoManager.groupsByEvent)
    undoManager.beginUndoGrouping()
    #expect(undoManager.groupingLevel == 2)
    undoManager.endUndoGrouping()
    #expect(undoManager.groupingLevel == 1)
    undoManager.endEvent()
    #expect(undoManager.groupingLevel == 0)
  }

  @Test func `A group inside of an open one is undone on its own`() {
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
    #expect(document.text == "a" || document.text == "")
  }

  @Test func `Only as many groups are kept as levels are allowed`() {
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
    await #expect(processExitsWith: .failure) { UndoManager().endUndoGrouping() }
  }

  @Test func `Registering outside of a group stops the program where events make none`() async {
    await #expect(processExitsWith: .failure) {
      let manager = UndoManager()
      manager.groupsByEvent = false
      manager.registerUndo(withTarget: manager) { _ in }
    }
  }

  @Test func `Undo inside of a group of one's own stops the program`() async {
    await #expect(processExitsWith: .failure) {
      let manager = UndoManager()
      manager.beginUndoGrouping()
      manager.undo()
    }
  }

  // MARK: Registering

  @Test func `While disabled, nothing is registered`() {
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

  @Test func `A target that is gone is left alone, and is not kept`() {
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

  @Test func `Actions of one target are forgotten`() {
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

  @Test func `Names follow their groups from undo to redo`() {
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

  @Test func `A group can be marked as one to throw away`() {
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

  @Test func `What is registered at the checkpoint is undone too`() {
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

/// The notifications of an object, in order, until the log goes.
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
