import ContactBook
import Foundation

extension Program {
  /// Changes the contacts in the file and syncs them.
  ///
  /// Without a network, the changes stay in the file until the next sync.
  ///
  /// - Returns: Whether the command exists.
  func sync(_ words: [String]) async throws -> Bool {
    let file = URL(fileURLWithPath: "Contacts.book")
    let kept = FileManager.default.fileExists(atPath: file.path) ? try Data(contentsOf: file) : nil
    let book =
      try kept.map { try SyncedBook(zoneID: zoneID, kept: $0) } ?? SyncedBook(zoneID: zoneID)
    await book.start(with: database, automatically: false)
    switch (words.first, words.count) {
    case (nil, 0): break
    case ("add", 2): await book.add(words[1])
    case ("set", 4) where await book.set(words[2], to: words[3], ofContactNamed: words[1]): break
    case ("remove", 2) where await book.remove(contactNamed: words[1]): break
    case ("set", 4), ("remove", 2):
      throw Missing(description: "This device knows no contact called \(words[1]): sync first.")
    default: return false
    }
    var failure: (any Error)?
    do { try await book.sync() } catch { failure = error }
    // By now, the engine has reported a state with the pending change.
    try await book.kept().write(to: file, options: .atomic)
    if let failure { throw failure }
    for line in await book.lines { print(line) }
    return true
  }
}
