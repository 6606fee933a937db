import CloudKit
import CoreData
import Foundation
import PhotoSharing
import Testing

@MainActor @Suite struct DetailTests {
  @Test(arguments: Provider.allCases)
  func `The picture is the whole data`(_ provider: Provider) async throws {
    try await withGallery(provider) { gallery async throws in
      #expect(try gallery.detail("Aurora").picture == .data(Data(repeating: 1, count: 1_000)))
      #expect(try gallery.detail("Comet").picture == .data(Data(repeating: 2, count: 1_000)))
    }
  }

  @Test(arguments: Provider.allCases)
  func `Without data the picture is not downloaded`(_ provider: Provider) async throws {
    try await withGallery(provider) { gallery in
      try gallery.list.add("Dawn", data: nil)
      #expect(try gallery.detail("Dawn").picture == .notDownloaded)
    }
  }

  @Test(arguments: Provider.allCases)
  func `A photo that another person deleted is shown as deleted`(_ provider: Provider) async throws
  {
    try await withGallery(provider) { gallery in
      let detail = try gallery.detail("Comet")
      try await gallery.bobEnds("Bob's comets")
      #expect(detail.picture == .deleted)
      #expect(!detail.isEditable)
    }
  }

  @Test(arguments: Provider.allCases)
  func `The audience counts the other people`(_ provider: Provider) async throws {
    try await withGallery(provider) { gallery async throws in
      #expect(try gallery.detail("Eclipse").audience == "Only you")
      #expect(try gallery.detail("Aurora").audience == "Shared with 2 people")
      #expect(try gallery.detail("Comet").audience == "Shared with 1 person")
    }
  }

  @Test(arguments: Provider.allCases)
  func `The rating is the average`(_ provider: Provider) async throws {
    try await withGallery(provider) { gallery async throws in
      #expect(try gallery.detail("Aurora").rating == "★★★★★")
      #expect(try gallery.detail("Comet").rating == "★★★☆☆")
      #expect(try gallery.detail("Eclipse").rating == "Not rated")
    }
  }

  @Test(arguments: Provider.allCases)
  func `The tags are those of the photo`(_ provider: Provider) async throws {
    try await withGallery(provider) { gallery async throws in
      #expect(try gallery.detail("Aurora").tags == ["Night"])
      #expect(try gallery.detail("Nebula").tags == ["Gas"])
    }
  }

  @Test(arguments: Provider.allCases)
  func `A photo can be renamed`(_ provider: Provider) async throws {
    try await withGallery(provider) { gallery in
      try gallery.detail("Comet").rename(" Halley ")
      #expect(try gallery.detail("Halley").name == "Halley")
    }
  }

  @Test(arguments: Provider.allCases)
  func `A photo that may only be viewed keeps its name`(_ provider: Provider) async throws {
    try await withGallery(provider) { gallery in
      let detail = try gallery.detail("Nebula")
      #expect(!detail.isEditable)
      #expect(throws: SharingFailure.readOnly) { try detail.rename("Mine") }
      #expect(detail.name == "Nebula")
    }
  }

  @Test(arguments: Provider.allCases)
  func `A permission that was lowered closes the fields`(_ provider: Provider) async throws {
    try await withGallery(provider) { gallery in
      let detail = try gallery.detail("Comet")
      #expect(detail.isEditable)
      try await gallery.bobLetsAdaOnlyRead("Bob's comets")
      #expect(!detail.isEditable)
      #expect(throws: SharingFailure.readOnly) { try gallery.rating("Comet").add(1) }
    }
  }

  @Test func `Stars are rounded and bounded`() {
    #expect(Stars.text(0) == "☆☆☆☆☆")
    #expect(Stars.text(2.4) == "★★☆☆☆")
    #expect(Stars.text(2.5) == "★★★☆☆")
    #expect(Stars.text(9) == "★★★★★")
    #expect(Stars.text(-3) == "☆☆☆☆☆")
  }

  // MARK: Ratings

  @Test(arguments: Provider.allCases)
  func `Ratings are shown with the best first`(_ provider: Provider) async throws {
    try await withGallery(provider) { gallery async throws in
      #expect(try gallery.rating("Aurora").rows == ["★★★★★", "★★★★☆"])
    }
  }

  @Test(arguments: Provider.allCases)
  func `A rating is added to the store of its photo`(_ provider: Provider) async throws {
    try await withGallery(provider) { gallery in
      try gallery.rating("Comet").add(1)
      #expect(try gallery.rating("Comet").rows == ["★★★☆☆", "★☆☆☆☆"])
      let ratings = try #require(try gallery.photo("Comet").ratings as? Set<Rating>)
      for rating in ratings {
        #expect(rating.objectID.persistentStore === gallery.stack.sharedStore)
      }
    }
  }

  @Test(arguments: Provider.allCases)
  func `A rating outside of one to five is rejected`(_ provider: Provider) async throws {
    try await withGallery(provider) { gallery async throws in
      for value in [0, 6, -1] {
        #expect(throws: RatingFailure.outOfRange(value)) {
          try gallery.rating("Eclipse").add(value)
        }
      }
      #expect(try gallery.rating("Eclipse").rows.isEmpty)
    }
  }

  @Test(arguments: Provider.allCases)
  func `A rating can be deleted`(_ provider: Provider) async throws {
    try await withGallery(provider) { gallery in
      try gallery.rating("Aurora").delete(at: 0)
      #expect(try gallery.rating("Aurora").rows == ["★★★★☆"])
    }
  }

  @Test(arguments: Provider.allCases)
  func `A photo that may only be viewed is not rated`(_ provider: Provider) async throws {
    try await withGallery(provider) { gallery in
      let model = try gallery.rating("Nebula")
      #expect(!model.isEditable)
      #expect(throws: SharingFailure.readOnly) { try model.add(5) }
      #expect(throws: SharingFailure.readOnly) { try model.delete(at: 0) }
      #expect(model.rows == ["★★☆☆☆"])
    }
  }
}
