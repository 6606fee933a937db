import ParhelionCommands

/// A part of the demonstration: its title and its steps.
package struct DemoScene: Equatable, Sendable {
  package let title: String
  package let steps: [DemoStep]

  package init(_ title: String, _ steps: [DemoStep]) {
    (self.title, self.steps) = (title, steps)
  }
}

/// One step of a scene.
package enum DemoStep: Equatable, Sendable {
  /// Sends an order to a device, and waits until it is done.
  case tell(DemoDeviceName, DemoOrder)
  /// Sends an order to a device, without waiting.
  case begin(DemoDeviceName, DemoOrder)
  /// Waits until all orders are done.
  case waitForAll
  /// Waits until a device shows this many notes in a folder.
  case waitFor(DemoDeviceName, folder: String, count: Int)
  /// Waits until both devices and the server agree.
  case agree
  case expect(DemoExpectation)
  /// Renames a note on the desk repeatedly, and measures when the phone shows it.
  case measure(title: String, changes: Int)
  case killServer
  case startServer
}

/// A condition that must hold once all agree.
package enum DemoExpectation: Equatable, Sendable {
  case noteCount(Int)
  case text(String, of: String)
  /// The length of a note's attachment, and whether the server stores it as a file.
  case attachment(of: String, bytes: Int, isFile: Bool)

  /// The violation, in a sentence; nil if the expectation is met.
  package func problem(in contents: DemoContents, filed: Set<String>) -> String? {
    switch self {
    case .noteCount(let count):
      let found = contents.notes.count
      guard found != count else { return nil }
      let notes = Counted.text(found, "note")
      return "There \(found == 1 ? "is" : "are") \(notes), and \(count) were expected."
    case .text(let text, let title):
      guard let note = contents.note(title) else { return "There is no note “\(title)”." }
      return note.text == text
        ? nil : "The text of “\(title)” is “\(note.text)”, and “\(text)” was expected."
    case .attachment(let title, let bytes, let isFile):
      guard let note = contents.note(title) else { return "There is no note “\(title)”." }
      guard note.attachment == DemoAttachment(DemoAttachment.bytes(bytes)) else {
        return "The attachment of “\(title)” is not the one of \(bytes) bytes that was expected."
      }
      guard filed.contains(title) == isFile else {
        return "The attachment of “\(title)” is \(isFile ? "no" : "still a") file on the server."
      }
      return nil
    }
  }
}
