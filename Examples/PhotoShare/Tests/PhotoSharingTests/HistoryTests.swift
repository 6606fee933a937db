import CloudKit
import CoreData
import Foundation
import PhotoSharing
import Testing

@MainActor @Suite struct HistoryTests {
  private func withHistory(
    _ provider: Provider, _ body: @MainActor (Gallery, PhotoHistory, URL) async throws -> Void
  ) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "tokens-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await withGallery(provider) { gallery in
      try await body(gallery, PhotoHistory(stack: gallery.stack, folder: folder), folder)
    }
  }

  @Test(arguments: Provider.allCases)
  func `Each transaction is read once`(_ provider: Provider) async throws {
    try await withHistory(provider) { gallery, history, _ in
      #expect(try history.newTransactions(in: gallery.stack.privateStore).isEmpty == false)
      #expect(try history.newTransactions(in: gallery.stack.privateStore).isEmpty)
      try gallery.detail("Eclipse").rename("Total")
      #expect(try history.newTransactions(in: gallery.stack.privateStore).count == 1)
    }
  }

  @Test(arguments: Provider.allCases)
  func `Each store has its own position`(_ provider: Provider) async throws {
    try await withHistory(provider) { gallery, history, _ in
      _ = try history.newTransactions(in: gallery.stack.privateStore)
      #expect(try history.newTransactions(in: gallery.stack.sharedStore).isEmpty == false)
      try gallery.detail("Eclipse").rename("Total")
      #expect(try history.newTransactions(in: gallery.stack.sharedStore).isEmpty)
    }
  }

  @Test(arguments: Provider.allCases)
  func `The position survives the end of the program`(_ provider: Provider) async throws {
    try await withHistory(provider) { gallery, history, folder in
      _ = try history.newTransactions(in: gallery.stack.privateStore)
      let next = PhotoHistory(stack: gallery.stack, folder: folder)
      #expect(try next.newTransactions(in: gallery.stack.privateStore).isEmpty)
    }
  }

  @Test(arguments: Provider.allCases)
  func `A change of a share alone has no transaction`(_ provider: Provider) async throws {
    try await withHistory(provider) { gallery, history, _ in
      try await history.process()
      try await gallery.participants("Northern lights").invite("dora@example.com")
      try await gallery.sync()
      #expect(try await history.process() == 0)
      #expect(try gallery.participants("Northern lights").rows.count == 4)
    }
  }

  @Test(.enabled(if: Provider.usesCloud))
  func `New tags are checked for duplicates`() async throws {
    try await withHistory(.cloud) { gallery, history, _ in
      try await history.process()
      // A second tag Night, as another device would make it.
      let photo = try gallery.photo("Aurora")
      let tag = PhotoSharing.Tag(context: gallery.stack.context)
      gallery.stack.context.assign(tag, to: gallery.stack.privateStore)
      (tag.name, tag.uuid) = ("Night", UUID())
      tag.addToPhotos(photo)
      try gallery.stack.context.save()
      #expect(try gallery.detail("Aurora").tags == ["Night", "Night"])
      try await history.process()
      #expect(try gallery.detail("Aurora").tags == ["Night"])
    }
  }
}
