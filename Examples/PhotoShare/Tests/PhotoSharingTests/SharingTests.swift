import CloudKit
import CoreData
import Foundation
import PhotoSharing
import Testing

@MainActor @Suite struct SharingTests {
  // MARK: The provider

  @Test(arguments: Provider.allCases)
  func `Objects and their IDs agree about sharing`(_ provider: Provider) async throws {
    try await withGallery(provider) { gallery in
      for photo in try gallery.stack.photos() {
        #expect(
          gallery.sharing.isShared(object: photo)
            == gallery.sharing.isShared(objectID: photo.objectID))
      }
    }
  }

  @Test(arguments: Provider.allCases)
  func `Objects that belong to a photo are shared with it`(_ provider: Provider) async throws {
    try await withGallery(provider) { gallery in
      let photo = try gallery.photo("Aurora")
      #expect(gallery.sharing.isShared(object: try #require(photo.photoData)))
      #expect(gallery.sharing.isShared(object: try #require(photo.thumbnail)))
      for tag in try #require(photo.tags as? Set<PhotoSharing.Tag>) {
        #expect(gallery.sharing.isShared(object: tag))
      }
    }
  }

  @Test(arguments: Provider.allCases)
  func `Unshared objects have no entry among shares`(_ provider: Provider) async throws {
    try await withGallery(provider) { gallery in
      let photos = try gallery.stack.photos()
      let shares = try gallery.sharing.shares(matching: photos.map(\.objectID))
      #expect(shares.count == 3)
      #expect(shares[try gallery.photo("Eclipse").objectID] == nil)
      #expect(shares[try gallery.photo("Aurora").objectID]?.title == "Northern lights")
    }
  }

  @Test(arguments: Provider.allCases)
  func `An unshared photo has no participants`(_ provider: Provider) async throws {
    try await withGallery(provider) { gallery async throws in
      #expect(gallery.sharing.participants(for: try gallery.photo("Eclipse")).isEmpty)
      #expect(gallery.sharing.participants(for: try gallery.photo("Aurora")).count == 3)
      #expect(gallery.sharing.participants(for: try gallery.photo("Comet")).count == 2)
    }
  }

  @Test(arguments: Provider.allCases)
  func `Permissions follow the share`(_ provider: Provider) async throws {
    try await withGallery(provider) { gallery async throws in
      for (name, mayWrite) in [
        ("Eclipse", true), ("Aurora", true), ("Comet", true), ("Nebula", false),
      ] {
        #expect(gallery.sharing.canEdit(object: try gallery.photo(name)) == mayWrite)
        #expect(gallery.sharing.canDelete(object: try gallery.photo(name)) == mayWrite)
      }
    }
  }

  @Test(arguments: Provider.allCases)
  func `An object that is not saved is unshared and can be changed`(_ provider: Provider)
    async throws
  {
    try await withGallery(provider) { gallery in
      let tag = PhotoSharing.Tag(context: gallery.stack.context)
      #expect(!gallery.sharing.isShared(object: tag))
      #expect(gallery.sharing.canEdit(object: tag))
      gallery.stack.context.rollback()
    }
  }

  // MARK: Creating shares

  @Test(arguments: Provider.allCases)
  func `A new share has a title, a link and its owner`(_ provider: Provider) async throws {
    try await withGallery(provider) { gallery in
      let share = try await gallery.list.createShare(
        of: try gallery.photo("Eclipse"), title: "Eclipses")
      #expect(share.title == "Eclipses")
      #expect(share.url != nil)
      #expect(share.isOwn)
      #expect(share.isPrivate)
      #expect(share.renderableParticipants.map(\.role) == [.owner])
    }
  }

  @Test(arguments: Provider.allCases)
  func `A new share is in the list, and its photo has a badge after the sync`(
    _ provider: Provider
  ) async throws {
    try await withGallery(provider) { gallery in
      let list = gallery.list
      try await list.createShare(of: try gallery.photo("Eclipse"), title: "Eclipses")
      try await gallery.sync()
      #expect(try gallery.shares.ownShares().map(\.title) == ["Eclipses", "Northern lights"])
      #expect(try list.items().first { $0.name == "Eclipse" }?.isShared == true)
    }
  }

  @Test(arguments: Provider.allCases)
  func `A shared photo is not shared twice`(_ provider: Provider) async throws {
    try await withGallery(provider) { gallery in
      let photo = try gallery.photo("Aurora")
      await #expect(throws: SharingFailure.isShared) {
        try await gallery.list.createShare(of: photo, title: "Again")
      }
      #expect(try gallery.shares.ownShares().count == 1)
    }
  }

  @Test(arguments: Provider.allCases)
  func `A photo can be added to an own share`(_ provider: Provider) async throws {
    try await withGallery(provider) { gallery in
      let photo = try gallery.photo("Eclipse")
      try await gallery.list.add(photo, to: try gallery.share("Northern lights"))
      try await gallery.sync()
      let shares = try gallery.sharing.shares(matching: [photo.objectID])
      #expect(shares[photo.objectID]?.title == "Northern lights")
      #expect(try gallery.shares.ownShares().count == 1)
    }
  }

  @Test(arguments: Provider.allCases)
  func `A photo cannot be added to the share of another person`(_ provider: Provider) async throws {
    try await withGallery(provider) { gallery in
      let photo = try gallery.photo("Eclipse")
      let share = try gallery.share("Bob's comets")
      await #expect(throws: SharingFailure.notOwner) {
        try await gallery.list.add(photo, to: share)
      }
      #expect(!gallery.sharing.isShared(object: photo))
    }
  }

  @Test(arguments: Provider.allCases)
  func `An object keeps its ID when it is shared`(_ provider: Provider) async throws {
    try await withGallery(provider) { gallery in
      let before = try gallery.photo("Eclipse").objectID
      try await gallery.list.createShare(of: try gallery.photo("Eclipse"), title: "Eclipses")
      try await gallery.sync()
      #expect(try gallery.photo("Eclipse").objectID == before)
    }
  }

  // MARK: The list of shares

  @Test(arguments: Provider.allCases)
  func `All shares are listed by title`(_ provider: Provider) async throws {
    try await withGallery(provider) { gallery in
      let titles = try gallery.shares.shares().map(\.displayTitle)
      #expect(titles == ["Bob's comets", "Bob's nebulas", "Northern lights"])
      #expect(try gallery.shares.ownShares().map(\.displayTitle) == ["Northern lights"])
    }
  }

  @Test(arguments: Provider.allCases)
  func `An owner stops a share, and a participant leaves it`(_ provider: Provider) async throws {
    try await withGallery(provider) { gallery async throws in
      let shares = gallery.shares
      #expect(shares.endTitle(of: try gallery.share("Northern lights")) == "Stop Sharing")
      #expect(shares.endTitle(of: try gallery.share("Bob's comets")) == "Remove Me")
    }
  }

  @Test(arguments: Provider.allCases)
  func `The owner keeps the photos of a share that was stopped`(_ provider: Provider) async throws {
    try await withGallery(provider) { gallery in
      let before = try gallery.photo("Aurora").objectID
      try await gallery.shares.end(try gallery.share("Northern lights"))
      let photo = try gallery.photo("Aurora")
      #expect(photo.objectID == before)
      #expect(!gallery.sharing.isShared(object: photo))
      #expect(try gallery.rating("Aurora").rows.count == 2)
      #expect(try gallery.shares.ownShares().isEmpty)
    }
  }

  @Test(arguments: Provider.allCases)
  func `A photo can be shared again after its share was stopped`(_ provider: Provider) async throws
  {
    try await withGallery(provider) { gallery in
      try await gallery.shares.end(try gallery.share("Northern lights"))
      try await gallery.list.createShare(of: try gallery.photo("Aurora"), title: "Again")
      #expect(try gallery.shares.ownShares().map(\.title) == ["Again"])
    }
  }

  @Test(arguments: Provider.allCases)
  func `A share that has ended cannot be ended again`(_ provider: Provider) async throws {
    try await withGallery(provider) { gallery in
      let share = try gallery.share("Northern lights")
      try await gallery.shares.end(share)
      let participants = ParticipantsModel(share, provider: gallery.sharing)
      #expect(participants.hasEnded)
      #expect(participants.rows.isEmpty)
      #expect(participants.link == nil)
      await #expect(throws: SharingFailure.ended) {
        try await participants.invite("eve@example.com")
      }
    }
  }

  @Test(arguments: Provider.allCases)
  func `A photo of another person disappears when its share ends`(_ provider: Provider) async throws
  {
    try await withGallery(provider) { gallery in
      try await gallery.bobEnds("Bob's comets")
      #expect(try gallery.list.items().map(\.name) == ["Aurora", "Eclipse", "Nebula"])
      #expect(try gallery.shares.shares().count == 2)
    }
  }

  @Test(.enabled(if: Provider.usesCloud))
  func `Leaving a share removes its photos here`() async throws {
    try await withGallery(.cloud) { gallery in
      try await gallery.shares.end(try gallery.share("Bob's comets"))
      #expect(try gallery.list.items().map(\.name) == ["Aurora", "Eclipse", "Nebula"])
      try await gallery.sync()
      #expect(
        try gallery.shares.shares().map(\.displayTitle) == ["Bob's nebulas", "Northern lights"])
    }
  }

  @Test func `The title of a new share has its date and time`() async throws {
    let model = ShareListModel(provider: StubSharing())
    #expect(model.title(at: Date(timeIntervalSince1970: 0)) == "Share-1970-01-01 00:00:00")
  }

  @Test func `A share without a title has words in its place`() {
    #expect(StubShare(identifier: "a", title: nil, isOwn: true).displayTitle == "Untitled share")
    #expect(StubShare(identifier: "a", title: "", isOwn: true).displayTitle == "Untitled share")
    #expect(StubShare(identifier: "a", title: "Sun", isOwn: true).displayTitle == "Sun")
  }

  @Test func `A share is private if its link alone gives nothing`() {
    var share = StubShare(identifier: "a", title: nil, isOwn: true)
    #expect(share.isPrivate)
    share.publicPermission = .readOnly
    #expect(!share.isPrivate)
  }

  @Test func `A failure of the cloud reaches the view, and changes nothing`() async throws {
    try await withGallery(.double) { gallery in
      gallery.double?.failure = CKError(.networkUnavailable)
      let photo = try gallery.photo("Eclipse")
      await #expect(throws: CKError.self) {
        try await gallery.list.createShare(of: photo, title: "Eclipses")
      }
      let share = try gallery.share("Northern lights")
      await #expect(throws: CKError.self) { try await gallery.shares.end(share) }
      #expect(try gallery.shares.ownShares().count == 1)
      #expect(!gallery.sharing.isShared(object: photo))
    }
  }
}
