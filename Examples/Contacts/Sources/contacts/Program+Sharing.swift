import CloudKit
import ContactBook
import Foundation

extension Program {
  /// Shares one contact with everyone who has the link.
  func share(_ name: String) async throws {
    let book = try await book()
    let share = try await book.share(try await book.existing(name))
    print(share.url.map { "\($0)" } ?? "The share has no address.")
  }

  /// Shares all contacts with a person.
  func invite(_ person: String) async throws {
    let participant =
      person.contains("@")
      ? try await container.shareParticipant(forEmailAddress: person)
      : try await container.shareParticipant(forUserRecordID: CKRecord.ID(recordName: person))
    let share = try await book().shareAll(with: participant)
    print(share.url.map { "\($0)" } ?? "The share has no address.")
  }

  func accept(_ address: String) async throws {
    guard let url = URL(string: address) else {
      throw Missing(description: "\(address) is no address.")
    }
    let metadata = try await container.shareMetadata(for: url)
    try await container.accept(metadata)
    print("accepted", metadata.share[CKShare.SystemFieldKey.title] ?? "something without a title")
    try await listShared()
  }

  /// Ends all shares of this user.
  func unshare() async throws {
    try await book().endShares()
    print("nothing is shared any more")
  }

  /// Returns a book for each shared zone.
  private func sharedBooks() async throws -> [ContactBook] {
    let database = container.sharedCloudDatabase
    return try await database.allRecordZones().map {
      ContactBook(database: database, zoneID: $0.zoneID)
    }
  }

  func listShared() async throws {
    // The owner can give keys of encrypted values only to a user who has keys. `status()` creates
    // them.
    _ = try await container.encryption.status()
    for book in try await sharedBooks() {
      do {
        try await book.refresh()
        try await list(book)
      } catch let error as CKError where error.code == .accountTemporarilyUnavailable {
        print("there are encrypted values without their keys: the owner calls contacts keys allow")
      }
    }
  }

  func setShared(_ name: String, _ field: String, _ text: String) async throws {
    for book in try await sharedBooks() {
      try await book.refresh()
      guard let contact = await book.contact(named: name) else { continue }
      contact.record[field] = text
      try await book.save(contact)
      return try await list(book)
    }
    throw Missing(description: "No shared contact is called \(name).")
  }

  /// Leaves each share.
  ///
  /// For a participant, deleting a share means leaving it.
  func leave() async throws {
    for book in try await sharedBooks() {
      try await book.endShares()
      print("left", await book.zoneID.zoneName)
    }
  }
}
