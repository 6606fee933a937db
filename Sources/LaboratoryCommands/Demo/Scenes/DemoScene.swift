/// A part of the demonstration: what it shows, and what is done.
package struct DemoScene: Equatable, Sendable {
  package let title: String
  package let steps: [DemoStep]

  package init(_ title: String, _ steps: [DemoStep]) {
    (self.title, self.steps) = (title, steps)
  }
}

/// One thing that is done.
package enum DemoStep: Equatable, Sendable {
  /// Tells a device to do something, and waits until it has.
  case tell(DemoDeviceName, DemoOrder)
  /// Tells a device to do something, and goes on at once.
  case begin(DemoDeviceName, DemoOrder)
  /// Waits until all that was begun is done.
  case waitForAll
  /// Waits until a device shows so many notes of a folder.
  case waitFor(DemoDeviceName, folder: String, count: Int)
  /// Waits until both devices and the server have the same.
  case agree
  case expect(DemoExpectation)
  /// Renames a note on the desk again and again, and measures when the phone shows it.
  case measure(title: String, changes: Int)
  case killServer
  case startServer
}

/// What has to be true once all agree.
package enum DemoExpectation: Equatable, Sendable {
  case noteCount(Int)
  case text(String, of: String)
  /// How long a note's attachment is, and whether the server keeps it as a file.
  case attachment(of: String, bytes: Int, isFile: Bool)

  /// What is wrong, in a sentence; nil where it is as expected.
  package func problem(in contents: DemoContents, filed: Set<String>) -> String? {
    switch self {
    case .noteCount(let count):
      let found = contents.notes.count
      return found == count ? nil : "There are \(found) notes, and \(count) were expected."
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
