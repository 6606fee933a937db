import CloudKit
import ContactBook

extension Program {
  /// Runs a command on contacts.
  ///
  /// - Returns: Whether the command exists.
  func performOnContacts(_ words: [String]) async throws -> Bool {
    switch (words[0], words.count) {
    case ("list", 1): try await list(try await book())
    case ("add", 2...3): try await add(words[1], number: words.count > 2 ? words[2] : nil)
    case ("set", 4):
      let book = try await book()
      let contact = try await book.existing(words[1])
      contact.record[words[2]] = words[3]
      try await book.save(contact)
      try await list(book)
    case ("remove", 2):
      let book = try await book()
      try await book.remove(try await book.existing(words[1]))
      try await list(book)
    case ("find", 2):
      let book = ContactBook(database: database, zoneID: zoneID)
      for name in try await book.names(beginningWith: words[1]) { print(name) }
    case ("watch", 1...2):
      guard let times = words.count > 1 ? Int(words[1]) : .max else { return false }
      try await watch(times)
    default: return false
    }
    return true
  }

  /// Returns the contacts as the server has them now.
  func book() async throws -> ContactBook {
    let book = ContactBook(database: database, zoneID: zoneID)
    try await book.prepare()
    try await book.refresh()
    return book
  }

  func list(_ book: ContactBook) async throws { for line in await book.lines { Self.show(line) } }

  private func add(_ name: String, number: String?) async throws {
    if number != nil, case .readyWithNewKeys(let code) = try await container.encryption.status() {
      print("This is your first device. Write down the recovery code:", code, separator: "\n")
    }
    let book = try await book()
    try await book.add(name, phoneNumber: number)
    try await list(book)
  }

  private func watch(_ times: Int) async throws {
    let book = try await book()
    try await list(book)
    let (changes, line) = AsyncStream<Void>.makeStream()
    let following = Task {
      defer { line.finish() }
      try await book.follow(container.notifications) { line.yield() }
    }
    var count = 0
    for await _ in changes {
      print("-- changed elsewhere")
      try await list(book)
      count += 1
      if count == times { following.cancel() }
    }
    _ = await following.result
  }
}

/// The error of a command that names an unknown contact or an invalid link.
struct Missing: Error, CustomStringConvertible {
  let description: String
}

extension ContactBook {
  /// Returns the contact with a name, or throws.
  func existing(_ name: String) throws -> Contact {
    guard let contact = contact(named: name) else {
      throw Missing(description: "There is no contact called \(name).")
    }
    return contact
  }
}
