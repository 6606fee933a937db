import CloudKit
import CoreData
import Foundation
import PhotoSharing
import Testing

@MainActor @Suite struct PhotoListTests {
  @Test(arguments: Provider.allCases)
  func `The list has the photos of both stores by name`(_ provider: Provider) async throws {
    try await withGallery(provider) { gallery in
      let names = try gallery.list.items().map(\.name)
      #expect(names == ["Aurora", "Comet", "Eclipse", "Nebula"])
    }
  }

  @Test(arguments: Provider.allCases)
  func `Shared photos have a badge`(_ provider: Provider) async throws {
    try await withGallery(provider) { gallery in
      let shared = try gallery.list.items().filter(\.isShared).map(\.name)
      #expect(shared == ["Aurora", "Comet", "Nebula"])
    }
  }

  @Test(arguments: Provider.allCases)
  func `Photos of other people are marked`(_ provider: Provider) async throws {
    try await withGallery(provider) { gallery in
      let foreign = try gallery.list.items().filter(\.isFromOthers).map(\.name)
      #expect(foreign == ["Comet", "Nebula"])
    }
  }

  @Test(arguments: Provider.allCases)
  func `Each row has a thumbnail`(_ provider: Provider) async throws {
    try await withGallery(provider) { gallery in
      for item in try gallery.list.items() { #expect(item.thumbnail?.count == 120) }
    }
  }

  @Test(arguments: Provider.allCases)
  func `A filter ignores capitals`(_ provider: Provider) async throws {
    try await withGallery(provider) { gallery async throws in
      let list = gallery.list
      list.filter = "EC"
      #expect(try list.items().map(\.name) == ["Eclipse"])
      list.filter = "nothing like it"
      #expect(try list.items().isEmpty)
    }
  }

  @Test(arguments: Provider.allCases)
  func `A new photo is own, unshared and has a thumbnail`(_ provider: Provider) async throws {
    try await withGallery(provider) { gallery in
      try gallery.list.add("Dawn", data: Data(repeating: 3, count: 500))
      let item = try #require(try gallery.list.items().first { $0.name == "Dawn" })
      #expect(!item.isShared)
      #expect(!item.isFromOthers)
      #expect(item.thumbnail?.count == 120)
      #expect(try gallery.photo("Dawn").objectID.persistentStore === gallery.stack.privateStore)
    }
  }

  @Test(arguments: Provider.allCases)
  func `A photo without data has no thumbnail`(_ provider: Provider) async throws {
    try await withGallery(provider) { gallery in
      try gallery.list.add("Dawn", data: nil)
      #expect(try gallery.list.items().first { $0.name == "Dawn" }?.thumbnail == nil)
    }
  }

  @Test(arguments: Provider.allCases)
  func `Two photos of one name are two rows`(_ provider: Provider) async throws {
    try await withGallery(provider) { gallery in
      try gallery.list.add("Eclipse", data: nil)
      #expect(try gallery.list.items().filter { $0.name == "Eclipse" }.count == 2)
    }
  }

  // MARK: Menus

  private func menu(_ name: String, _ gallery: Gallery) throws -> [PhotoAction: Bool] {
    let menu = try gallery.list.menu(for: try gallery.photo(name))
    return Dictionary(uniqueKeysWithValues: menu.map { ($0.action, $0.isEnabled) })
  }

  @Test(arguments: Provider.allCases)
  func `An unshared photo can be shared in two ways`(_ provider: Provider) async throws {
    try await withGallery(provider) { gallery in
      let menu = try menu("Eclipse", gallery)
      #expect(menu[.createShare] == true)
      #expect(menu[.addToShare] == true)
      #expect(menu[.manageParticipation] == nil)
    }
  }

  @Test(arguments: Provider.allCases)
  func `A shared photo cannot be shared again`(_ provider: Provider) async throws {
    try await withGallery(provider) { gallery in
      let menu = try menu("Aurora", gallery)
      #expect(menu[.createShare] == false)
      #expect(menu[.addToShare] == false)
    }
  }

  @Test(arguments: Provider.allCases)
  func `The photo of another person offers participation only`(_ provider: Provider) async throws {
    try await withGallery(provider) { gallery in
      let menu = try menu("Comet", gallery)
      #expect(menu[.manageParticipation] == true)
      #expect(menu[.createShare] == nil)
      #expect(menu[.addToShare] == nil)
    }
  }

  @Test(arguments: Provider.allCases)
  func `Delete is offered if it is allowed`(_ provider: Provider) async throws {
    try await withGallery(provider) { gallery async throws in
      #expect(try menu("Eclipse", gallery)[.delete] == true)
      #expect(try menu("Comet", gallery)[.delete] == true)
      #expect(try menu("Nebula", gallery)[.delete] == nil)
    }
  }

  @Test(arguments: Provider.allCases)
  func `Every photo can be looked at with its tags and ratings`(_ provider: Provider) async throws {
    try await withGallery(provider) { gallery async throws in
      for name in ["Aurora", "Comet", "Eclipse", "Nebula"] {
        #expect(try menu(name, gallery)[.tag] == true)
        #expect(try menu(name, gallery)[.rate] == true)
      }
    }
  }

  @Test(arguments: Provider.allCases)
  func `Without an own share, photos cannot be added to one`(_ provider: Provider) async throws {
    try await withGallery(provider) { gallery in
      try await gallery.shares.end(try gallery.share("Northern lights"))
      #expect(try menu("Eclipse", gallery)[.addToShare] == false)
      #expect(try menu("Eclipse", gallery)[.createShare] == true)
    }
  }

  // MARK: Deleting

  @Test(arguments: Provider.allCases)
  func `Deleting a photo deletes its data and ratings, and keeps its tags`(
    _ provider: Provider
  ) async throws {
    try await withGallery(provider) { gallery in
      try gallery.list.delete(try gallery.photo("Aurora"))
      let context = gallery.stack.context
      #expect(try !gallery.list.items().map(\.name).contains("Aurora"))
      #expect(try context.count(for: PhotoData.fetchRequest()) == 3)
      #expect(try context.count(for: Rating.fetchRequest()) == 2)
      #expect(try context.count(for: PhotoSharing.Tag.fetchRequest()) == 4)
    }
  }

  @Test(arguments: Provider.allCases)
  func `A photo that may only be viewed stays`(_ provider: Provider) async throws {
    try await withGallery(provider) { gallery in
      let photo = try gallery.photo("Nebula")
      #expect(throws: SharingFailure.readOnly) { try gallery.list.delete(photo) }
      #expect(try gallery.list.items().map(\.name).contains("Nebula"))
    }
  }
}
