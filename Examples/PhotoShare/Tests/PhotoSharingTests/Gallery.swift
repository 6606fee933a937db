import CloudKit
import CloudKitTesting
import CoreData
import Foundation
import PhotoSharing
import Testing

/// The provider that a test uses.
enum Provider: CaseIterable, Sendable {
  /// A test double in memory.
  case double
  /// A cloud in this process.
  case cloud

  /// Whether tests run with a cloud too, which `PHOTOS_DOUBLE_ONLY=1` prevents.
  static let usesCloud = ProcessInfo.processInfo.environment["PHOTOS_DOUBLE_ONLY"] == nil

  /// The providers that tests run with.
  static var allCases: [Provider] { usesCloud ? [.double, .cloud] : [.double] }
}

/// Ada's photos.
///
/// | photo | store | share | Ada may |
/// |---|---|---|---|
/// | Eclipse | private | none | edit |
/// | Aurora | private | Northern lights, Bob accepted, Carl is invited | edit |
/// | Comet | shared | Bob's comets | edit |
/// | Nebula | shared | Bob's nebulas | view |
@MainActor struct Gallery {
  let stack: PhotoStack
  let sharing: any SharingProvider & SharingActions
  /// Bob's device; nil with a double.
  fileprivate let bob: Device?
  /// The cloud, retained while its devices are in use; nil with a double.
  fileprivate let cloud: TestCloud?

  var double: StubSharing? { sharing as? StubSharing }

  func photo(_ name: String) throws -> Photo {
    try #require(try stack.photos().first { $0.displayName == name })
  }

  func share(_ title: String) throws -> any RenderableShare {
    try #require(try sharing.shares().first { $0.title == title })
  }

  var list: PhotoListModel { PhotoListModel(stack: stack, provider: sharing) }
  var shares: ShareListModel { ShareListModel(provider: sharing) }

  func detail(_ name: String) throws -> PhotoDetailModel {
    PhotoDetailModel(try photo(name), stack: stack, provider: sharing)
  }

  func rating(_ name: String) throws -> RatingModel {
    RatingModel(try photo(name), stack: stack, provider: sharing)
  }

  func tagging(_ name: String) throws -> TaggingModel {
    TaggingModel(try photo(name), stack: stack, provider: sharing)
  }

  func participants(_ title: String) throws -> ParticipantsModel {
    ParticipantsModel(try share(title), provider: sharing)
  }

  /// Syncs all devices.
  func sync() async throws {
    guard let bob else { return }
    for _ in 0..<2 {
      try await stack.sync()
      try await bob.stack.sync()
    }
  }

  /// Ends one of Bob's shares in which Ada takes part.
  func bobEnds(_ title: String) async throws {
    let share = try share(title)
    if let double {
      for photo in try stack.photos(in: stack.sharedStore)
      where try sharing.shares(matching: [photo.objectID])[photo.objectID]?.title == title {
        stack.context.delete(photo)
      }
      try stack.context.save()
      double.forget(share.identifier)
    } else if let bob {
      let own = try #require(try bob.sharing.shares().first { $0.title == title })
      try await bob.sharing.end(own)
      try await sync()
    }
  }

  /// Limits Ada's permission in one of Bob's shares to reading.
  func bobLetsAdaOnlyRead(_ title: String) async throws {
    let share = try share(title)
    if let double, let stub = double.sharesByIdentifier[share.identifier] {
      double.state(stub, of: [], isReadOnly: true)
    } else if let bob {
      let own = try #require(try bob.sharing.shares().first { $0.title == title })
      try await bob.sharing.invite("ada@example.com", .readOnly, to: own)
      try await sync()
    }
  }
}

/// The device of one user of the cloud.
@MainActor private struct Device {
  let stack: PhotoStack
  let sharing: CloudSharing

  init(_ name: String, _ cloud: TestCloud, in folder: URL) async throws {
    let container = try await cloud.signIn("\(name)@example.com").container
    stack = try await PhotoStack(folder: folder.appendingPathComponent(name)) {
      NSPersistentCloudKitContainerOptions(container: container)
    }
    sharing = CloudSharing(stack: stack, cloud: container)
  }

  /// Shares a photo, and lets a person accept the invitation.
  func share(
    _ photo: Photo, title: String, with other: (Device, String),
    _ permission: CKShare.ParticipantPermission
  ) async throws {
    let share = try await sharing.share(photo, to: nil, title: title)
    try await sharing.invite("\(other.1)@example.com", permission, to: share)
    try await stack.sync()
    let link = try #require(try sharing.shares().first { $0.title == title }?.url)
    try await other.0.sharing.accept(link)
  }
}

/// Runs a test with Ada's photos.
@MainActor func withGallery(_ provider: Provider, _ body: @MainActor (Gallery) async throws -> Void)
  async throws
{
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
    "photos-\(UUID().uuidString)")
  defer { try? FileManager.default.removeItem(at: folder) }
  switch provider {
  case .double: try await body(try await makeDouble(in: folder))
  case .cloud:
    let gallery = try await makeCloud(in: folder)
    try await body(gallery)
    await gallery.cloud?.end()
  }
}

@MainActor private func makeDouble(in folder: URL) async throws -> Gallery {
  let stack = try await PhotoStack(folder: folder)
  let stub = StubSharing()
  let gallery = Gallery(stack: stack, sharing: stub, bob: nil, cloud: nil)
  try addOwnPhotos(stack, stub)
  try addPhotosOfBob(stack, stub, in: stack.sharedStore)
  let ada = StubParticipant("ada@example.com", .privateUser, .readWrite, .accepted)
  let bob = StubParticipant("bob@example.com", .owner, .readWrite, .accepted)
  for (photo, title, isReadOnly) in [
    ("Comet", "Bob's comets", false), ("Nebula", "Bob's nebulas", true),
  ] {
    let share = StubShare(
      identifier: title, title: title, isOwn: false, participants: [bob, ada])
    stub.state(share, of: try all(of: try gallery.photo(photo)), isReadOnly: isReadOnly)
  }
  let people = [
    StubParticipant("ada@example.com", .owner, .readWrite, .accepted),
    StubParticipant("bob@example.com", .privateUser, .readWrite, .accepted),
    StubParticipant("carl@example.com", .privateUser, .readOnly, .pending),
  ]
  stub.state(
    StubShare(identifier: "north", title: "Northern lights", isOwn: true, participants: people),
    of: try all(of: try gallery.photo("Aurora")))
  return gallery
}

@MainActor private func makeCloud(in folder: URL) async throws -> Gallery {
  let cloud = try await TestCloud()
  let ada = try await Device("ada", cloud, in: folder)
  let bob = try await Device("bob", cloud, in: folder)
  _ = try await cloud.signIn("carl@example.com")
  let gallery = Gallery(stack: ada.stack, sharing: ada.sharing, bob: bob, cloud: cloud)
  try addOwnPhotos(ada.stack, ada.sharing)
  try addPhotosOfBob(bob.stack, bob.sharing, in: bob.stack.privateStore)
  try await gallery.sync()
  for (photo, title, permission) in [
    ("Comet", "Bob's comets", CKShare.ParticipantPermission.readWrite),
    ("Nebula", "Bob's nebulas", .readOnly),
  ] {
    let photo = try #require(try bob.stack.photos().first { $0.displayName == photo })
    try await bob.share(photo, title: title, with: (ada, "ada"), permission)
  }
  try await ada.share(
    try gallery.photo("Aurora"), title: "Northern lights", with: (bob, "bob"), .readWrite)
  try await ada.sharing.invite(
    "carl@example.com", .readOnly, to: try gallery.share("Northern lights"))
  try await gallery.sync()
  return gallery
}

@MainActor private func addOwnPhotos(
  _ stack: PhotoStack, _ provider: any SharingProvider & SharingActions
) throws {
  let picture = Data(repeating: 1, count: 1_000)
  let eclipse = try stack.addPhoto(named: "Eclipse", data: picture)
  let aurora = try stack.addPhoto(named: "Aurora", data: picture)
  try add("Sky", to: eclipse, stack, provider)
  try add("Night", to: aurora, stack, provider)
  let rating = RatingModel(aurora, stack: stack, provider: provider)
  try rating.add(4)
  try rating.add(5)
}

@MainActor private func addPhotosOfBob(
  _ stack: PhotoStack, _ provider: any SharingProvider & SharingActions,
  in store: NSPersistentStore
) throws {
  let picture = Data(repeating: 2, count: 1_000)
  let comet = try stack.addPhoto(named: "Comet", data: picture, in: store)
  let nebula = try stack.addPhoto(named: "Nebula", data: picture, in: store)
  try add("Ice", to: comet, stack, provider)
  try add("Gas", to: nebula, stack, provider)
  try RatingModel(comet, stack: stack, provider: provider).add(3)
  try RatingModel(nebula, stack: stack, provider: provider).add(2)
}

@MainActor private func add(
  _ name: String, to photo: Photo, _ stack: PhotoStack,
  _ provider: any SharingProvider & SharingActions
) throws {
  let tagging = TaggingModel(photo, stack: stack, provider: provider)
  tagging.filter = name
  try tagging.createTag()
}

/// Returns a photo and the objects that belong to it.
@MainActor private func all(of photo: Photo) throws -> [NSManagedObject] {
  let related = [photo.photoData, photo.thumbnail].compactMap { $0 as NSManagedObject? }
  let tags = (photo.tags as? Set<NSManagedObject>) ?? []
  let ratings = (photo.ratings as? Set<NSManagedObject>) ?? []
  return [photo] + related + tags + ratings
}
