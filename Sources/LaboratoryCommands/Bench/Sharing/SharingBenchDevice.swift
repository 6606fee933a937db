import CloudKitClient
import CloudMirroring
import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows

/// A device of the sharing benchmarks, in this process.
///
/// It has a store for its user's albums, and one for the albums that other users share.
final class SharingBenchDevice: Sendable {
  let container: NSPersistentCloudKitContainer
  let cloud: CKContainer

  var own: NSPersistentStore { container.persistentStoreCoordinator.persistentStores[0] }
  var shared: NSPersistentStore { container.persistentStoreCoordinator.persistentStores[1] }

  /// Opens new stores, which sync when a benchmark asks for it.
  init(_ person: OwnAccount, on server: BenchServer) async throws {
    cloud = server.container(of: person)
    container = NSPersistentCloudKitContainer(name: "Albums", managedObjectModel: Self.model())
    let scopes: [CKDatabase.Scope] = [.private, .shared]
    container.persistentStoreDescriptions = scopes.map { [cloud] scope in
      let file = server.path(of: "\(UUID().uuidString).sqlite")
      let description = NSPersistentStoreDescription(url: URL(fileURLWithPath: file))
      let options = NSPersistentCloudKitContainerOptions(container: cloud)
      options.isAutomatic = false
      options.databaseScope = scope
      description.cloudKitContainerOptions = options
      return description
    }
    try await container.loadPersistentStores()
  }

  /// A model of albums with photos.
  private static func model() -> NSManagedObjectModel {
    func attribute(_ name: String) -> NSAttributeDescription {
      let attribute = NSAttributeDescription()
      (attribute.name, attribute.attributeType, attribute.isOptional) = (
        name, .stringAttributeType, true
      )
      return attribute
    }
    func relationship(_ name: String, to entity: NSEntityDescription, maxCount: Int)
      -> NSRelationshipDescription
    {
      let relationship = NSRelationshipDescription()
      (relationship.name, relationship.destinationEntity) = (name, entity)
      (relationship.maxCount, relationship.isOptional) = (maxCount, true)
      return relationship
    }
    let (album, photo) = (NSEntityDescription(), NSEntityDescription())
    (album.name, photo.name) = ("Album", "Photo")
    let photos = relationship("photos", to: photo, maxCount: 0)
    let parent = relationship("album", to: album, maxCount: 1)
    (photos.inverseRelationship, parent.inverseRelationship) = (parent, photos)
    album.properties = [attribute("title"), photos]
    photo.properties = [attribute("title"), attribute("note"), parent]
    let model = NSManagedObjectModel()
    model.entities = [album, photo]
    return model
  }

  /// Adds albums, each with photos.
  ///
  /// - Returns: The IDs of the albums.
  func addAlbums(_ titles: [String], photos: Int) async throws -> [NSManagedObjectID] {
    try await container.performBackgroundTask { [own] context in
      let albums = titles.map { title in
        let album = NSEntityDescription.insertNewObject(forEntityName: "Album", into: context)
        album.setValue(title, forKey: "title")
        context.assign(album, to: own)
        for number in 0..<photos {
          let photo = NSEntityDescription.insertNewObject(forEntityName: "Photo", into: context)
          photo.setValue("Photo \(number)", forKey: "title")
          photo.setValue(String(repeating: "p", count: 200), forKey: "note")
          photo.setValue(album, forKey: "album")
          context.assign(photo, to: own)
        }
        return album
      }
      try context.save()
      return albums.map(\.objectID)
    }
  }

  /// Changes the title of an album.
  func rename(_ album: NSManagedObjectID, to title: String) async throws {
    try await container.performBackgroundTask { context in
      try context.existingObject(with: album).setValue(title, forKey: "title")
      try context.save()
    }
  }

  /// The number of albums in the shared store; if a title is given, only of those with the title.
  func sharedAlbumCount(_ title: String? = nil) async throws -> Int {
    try await container.performBackgroundTask { [shared] context in
      let request = NSFetchRequest<NSManagedObject>(entityName: "Album")
      request.affectedStores = [shared]
      return try context.fetch(request).count { album in
        title == nil || album.value(forKey: "title") as? String == title
      }
    }
  }

  /// Shares albums with everyone who has the link.
  ///
  /// - Returns: The link.
  func publish(_ albums: [NSManagedObjectID]) async throws -> URL {
    let (_, share, _) = try await container.share(managedObjectsWith: albums, to: nil)
    share.publicPermission = .readWrite
    let saved = try await container.persistUpdatedShare(share, in: own)
    guard let link = saved.url else { throw SharingBenchmark.Failure.noLink }
    return link
  }

  /// Accepts the shares at links, and imports their albums.
  func accept(_ links: [URL]) async throws {
    var metadata: [CKShare.Metadata] = []
    for link in links { metadata.append(try await cloud.shareMetadata(for: link)) }
    try await container.acceptShareInvitations(from: metadata, into: shared)
  }
}
