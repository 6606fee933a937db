import CloudKit
import CoreData
import Foundation
import PhotoSharing
import Testing

@MainActor @Suite struct TaggingTests {
  @Test(arguments: Provider.allCases)
  func `Only tags of the photo's share are offered`(_ provider: Provider) async throws {
    try await withGallery(provider) { gallery async throws in
      for (photo, tag) in [
        ("Eclipse", "Sky"), ("Aurora", "Night"), ("Comet", "Ice"), ("Nebula", "Gas"),
      ] {
        #expect(try gallery.tagging(photo).rows().map(\.name) == [tag])
      }
    }
  }

  @Test(arguments: Provider.allCases)
  func `Tags of the photo are checked`(_ provider: Provider) async throws {
    try await withGallery(provider) { gallery async throws in
      let dawn = try gallery.list.add("Dawn", data: nil)
      let tagging = TaggingModel(dawn, stack: gallery.stack, provider: gallery.sharing)
      let before = try tagging.rows()
      #expect(before.map(\.name) == ["Sky"])
      #expect(before.map(\.isChecked) == [false])
      #expect(before.map(\.photoCount) == [1])
      try tagging.toggle(at: 0)
      let after = try tagging.rows()
      #expect(after.map(\.isChecked) == [true])
      #expect(after.map(\.photoCount) == [2])
      try tagging.toggle(at: 0)
      #expect(try tagging.rows().first?.isChecked == false)
    }
  }

  @Test(arguments: Provider.allCases)
  func `A new tag is added to the photo, in the photo's store`(_ provider: Provider) async throws {
    try await withGallery(provider) { gallery in
      for (name, store) in [
        ("Aurora", gallery.stack.privateStore), ("Comet", gallery.stack.sharedStore),
      ] {
        let tagging = try gallery.tagging(name)
        tagging.filter = "Green"
        try tagging.createTag()
        #expect(tagging.filter.isEmpty)
        #expect(try tagging.rows().filter(\.isChecked).map(\.name).contains("Green"))
        let tags = try #require(try gallery.photo(name).tags as? Set<PhotoSharing.Tag>)
        for tag in tags { #expect(tag.objectID.persistentStore === store) }
      }
    }
  }

  @Test(.enabled(if: Provider.usesCloud))
  func `A tag that is new in a share is offered for its other photos after a sync`() async throws {
    try await withGallery(.cloud) { gallery in
      let tagging = try gallery.tagging("Aurora")
      tagging.filter = "Green"
      try tagging.createTag()
      try await gallery.list.add(
        try gallery.photo("Eclipse"), to: try gallery.share("Northern lights"))
      try await gallery.sync()
      #expect(try gallery.tagging("Eclipse").rows().map(\.name) == ["Green", "Night", "Sky"])
    }
  }

  @Test(arguments: Provider.allCases)
  func `The filter finds tags and names new ones`(_ provider: Provider) async throws {
    try await withGallery(provider) { gallery in
      let tagging = try gallery.tagging("Aurora")
      tagging.filter = "nig"
      #expect(try tagging.rows().map(\.name) == ["Night"])
      #expect(tagging.canCreateTag)
      tagging.filter = " Night "
      #expect(!tagging.canCreateTag)
      tagging.filter = "   "
      #expect(!tagging.canCreateTag)
    }
  }

  @Test(arguments: Provider.allCases)
  func `A tag of the same name in another share does not prevent a new one`(_ provider: Provider)
    async throws
  {
    try await withGallery(provider) { gallery in
      let tagging = try gallery.tagging("Eclipse")
      tagging.filter = "Night"
      #expect(tagging.canCreateTag)
      try tagging.createTag()
      #expect(try gallery.detail("Eclipse").tags == ["Night", "Sky"])
      #expect(try gallery.tagging("Aurora").rows().count == 1)
    }
  }

  @Test(arguments: Provider.allCases)
  func `A tag without a name is not created`(_ provider: Provider) async throws {
    try await withGallery(provider) { gallery in
      let tagging = try gallery.tagging("Eclipse")
      try tagging.createTag()
      tagging.filter = "Sky"
      try tagging.createTag()
      tagging.filter = ""
      #expect(try tagging.rows().count == 1)
    }
  }

  @Test(arguments: Provider.allCases)
  func `A tag can be deleted for all photos`(_ provider: Provider) async throws {
    try await withGallery(provider) { gallery in
      try gallery.tagging("Eclipse").delete(at: 0)
      #expect(try gallery.tagging("Eclipse").rows().isEmpty)
      #expect(try gallery.detail("Eclipse").tags.isEmpty)
    }
  }

  @Test(arguments: Provider.allCases)
  func `A photo that may only be viewed is not tagged`(_ provider: Provider) async throws {
    try await withGallery(provider) { gallery in
      let tagging = try gallery.tagging("Nebula")
      #expect(!tagging.isEditable)
      #expect(throws: SharingFailure.readOnly) { try tagging.toggle(at: 0) }
      #expect(throws: SharingFailure.readOnly) { try tagging.delete(at: 0) }
      tagging.filter = "Mine"
      #expect(!tagging.canCreateTag)
      #expect(throws: SharingFailure.readOnly) { try tagging.createTag() }
      #expect(try gallery.detail("Nebula").tags == ["Gas"])
    }
  }

  @Test(arguments: Provider.allCases)
  func `A tag that is marked as a duplicate is not shown`(_ provider: Provider) async throws {
    try await withGallery(provider) { gallery in
      let tagging = try gallery.tagging("Eclipse")
      tagging.filter = "Cloud"
      try tagging.createTag()
      let tags = try #require(try gallery.photo("Eclipse").tags as? Set<PhotoSharing.Tag>)
      tags.first { $0.name == "Cloud" }?.deduplicatedDate = Date()
      try gallery.stack.context.save()
      #expect(try tagging.rows().map(\.name) == ["Sky"])
      #expect(try gallery.detail("Eclipse").tags == ["Sky"])
    }
  }

  // MARK: Duplicates

  @Test func `Without a cloud there is nothing to merge`() async throws {
    try await withGallery(.double) { gallery async throws in
      #expect(try await gallery.stack.deduplicate().isEmpty)
    }
  }

  @Test(.enabled(if: Provider.usesCloud))
  func `Adding a photo to a share merges the tags that both have`() async throws {
    try await withGallery(.cloud) { gallery in
      let tagging = try gallery.tagging("Eclipse")
      tagging.filter = "Night"
      try tagging.createTag()
      try await gallery.sync()
      #expect(try await gallery.stack.deduplicate().isEmpty)
      try await gallery.list.add(
        try gallery.photo("Eclipse"), to: try gallery.share("Northern lights"))
      try await gallery.sync()
      let tags = try [gallery.photo("Aurora"), gallery.photo("Eclipse")].map { photo in
        Set((photo.tags as? Set<PhotoSharing.Tag> ?? []).filter { $0.name == "Night" })
      }
      #expect(tags[0].count == 1)
      #expect(tags[0] == tags[1])
      #expect(try await gallery.stack.deduplicate().waitingCount == 1)
    }
  }
}
