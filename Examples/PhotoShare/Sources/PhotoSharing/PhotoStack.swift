import CloudKit
import CoreData
import Foundation

/// The photos of one user on one device: a store of the user's own photos, and a store of those
/// that others share.
@MainActor public final class PhotoStack {
  /// The container of both stores.
  public let container: NSPersistentCloudKitContainer
  /// The store of the user's own photos, including those that the user shares.
  public let privateStore: NSPersistentStore
  /// The store of the photos that others share.
  public let sharedStore: NSPersistentStore
  /// The context of the views.
  public var context: NSManagedObjectContext { container.viewContext }

  /// Opens the photos in a folder.
  ///
  /// - Parameter cloud: The options that mirror a store to a database; nil to keep all photos on
  ///   this device.
  public init(folder: URL, cloud: (@Sendable () -> NSPersistentCloudKitContainerOptions)? = nil)
    async throws
  {
    container = NSPersistentCloudKitContainer(name: "PhotoShare")
    let scopes: [(String, CKDatabase.Scope)] = [("Private", .private), ("Shared", .shared)]
    container.persistentStoreDescriptions = try scopes.map { name, scope in
      let place = folder.appendingPathComponent(name)
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      let file = place.appendingPathComponent("\(name.lowercased()).sqlite")
      let description = NSPersistentStoreDescription(url: file)
      description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
      let options = cloud?()
      options?.databaseScope = scope
      description.cloudKitContainerOptions = options
      return description
    }
    try await container.loadPersistentStores()
    let stores = container.persistentStoreCoordinator.persistentStores
    (privateStore, sharedStore) = (stores[0], stores[1])
    container.viewContext.automaticallyMergesChangesFromParent = true
  }

  /// Waits until this device and the cloud have the same photos.
  public func sync() async throws {
    try await container.sync()
    context.refreshAllObjects()
  }

  /// Returns the store of an object.
  public func store(of object: NSManagedObject) -> NSPersistentStore? {
    object.objectID.persistentStore
  }

  // MARK: Photos

  /// Adds a photo, with a thumbnail if there is image data.
  @discardableResult
  public func addPhoto(
    named name: String, data: Data?, in store: NSPersistentStore? = nil
  ) throws -> Photo {
    let photo: Photo = insert(in: store ?? privateStore)
    photo.displayName = name
    photo.uniqueName = UUID().uuidString
    if let data {
      let full: PhotoData = insert(in: store ?? privateStore)
      full.data = data
      photo.photoData = full
      let thumbnail: Thumbnail = insert(in: store ?? privateStore)
      thumbnail.data = Thumbnails.reduced(data)
      photo.thumbnail = thumbnail
    }
    try save()
    return photo
  }

  /// Returns all photos of one store, or of both, by name.
  public func photos(in store: NSPersistentStore? = nil) throws -> [Photo] {
    let request: NSFetchRequest<Photo> = Photo.fetchRequest()
    request.sortDescriptors = [
      NSSortDescriptor(key: "displayName", ascending: true),
      NSSortDescriptor(key: "uniqueName", ascending: true),
    ]
    request.affectedStores = store.map { [$0] }
    return try context.fetch(request)
  }

  /// Inserts an object into the store of another one, so that both can be related.
  func insert<Object: NSManagedObject>(beside object: NSManagedObject) -> Object {
    insert(in: object.objectID.persistentStore ?? privateStore)
  }

  private func insert<Object: NSManagedObject>(in store: NSPersistentStore) -> Object {
    let object = Object(context: context)
    context.assign(object, to: store)
    return object
  }

  /// Saves the context, and rolls it back if the save fails.
  func save() throws {
    guard context.hasChanges else { return }
    do { try context.save() } catch {
      context.rollback()
      throw error
    }
  }

  // MARK: Duplicates

  /// The rule by which tags with the same name in the same zone are duplicates.
  public static let tagRule = NSPersistentCloudKitContainer.Deduplicator.Rule(
    entityName: "Tag", uniqueBy: ["name"])

  /// Merges duplicate tags.
  @discardableResult
  public func deduplicate() async throws -> NSPersistentCloudKitContainer.Deduplicator.Outcome {
    let deduplicator = try NSPersistentCloudKitContainer.Deduplicator(
      container, rules: [Self.tagRule])
    let outcome = try await deduplicator.run()
    context.refreshAllObjects()
    return outcome
  }
}

/// Makes thumbnails.
///
/// An application on Apple's platforms would draw a picture of 120 points. This example keeps the
/// first 120 bytes, so that it needs no image library.
enum Thumbnails {
  static let size = 120

  static func reduced(_ data: Data) -> Data { Data(data.prefix(size)) }
}
