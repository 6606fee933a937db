import CoreData
import Foundation

/// The grocery lists of one person, on one of their devices.
public final class Groceries: Sendable {
  /// The container whose store is mirrored.
  public let container: NSPersistentCloudKitContainer

  /// Opens the lists in a file.
  ///
  /// - Parameter cloud: The CloudKit container that the lists are mirrored to.
  public init(file: URL, cloud: NSPersistentCloudKitContainerOptions) async throws {
    container = NSPersistentCloudKitContainer(name: "Groceries")
    let description = NSPersistentStoreDescription(url: file)
    description.cloudKitContainerOptions = cloud
    container.persistentStoreDescriptions = [description]
    try await container.loadPersistentStores()
    container.viewContext.automaticallyMergesChangesFromParent = true
  }

  /// Waits until this device and the cloud have the same data.
  public func sync() async throws { try await container.sync() }

  // MARK: Lists and items

  /// Adds an item to a list, which is created if needed.
  public func add(_ name: String, amount: String? = nil, photo: Data? = nil, to listName: String)
    async throws
  {
    try await change { context in
      let item = GroceryItem(context: context)
      item.name = name
      item.amount = amount
      item.photo = photo
      item.added = Date()
      item.list = try self.list(listName, in: context) ?? self.makeList(listName, in: context)
    }
  }

  /// Changes the items with a name.
  public func change(_ name: String, _ change: @escaping @Sendable (GroceryItem) -> Void)
    async throws
  {
    try await self.change { context in
      for item in try self.items(NSPredicate(format: "name == %@", name), in: context) {
        change(item)
      }
    }
  }

  /// Removes the items with a name.
  public func remove(_ name: String) async throws {
    try await change { context in
      for item in try self.items(NSPredicate(format: "name == %@", name), in: context) {
        context.delete(item)
      }
    }
  }

  /// Returns a line for each item: lists by name, items in the order in which they were added.
  public func lines() async throws -> [String] {
    try await container.performBackgroundTask { context in
      try self.items(NSPredicate(value: true), in: context).map { item in
        let amount = item.amount.map { " (\($0))" } ?? ""
        let photo = item.photo.map { " + \($0.count / 1024) KB" } ?? ""
        return
          "\(item.list?.name ?? "?"): \(item.isDone ? "[x]" : "[ ]") \(item.name ?? "?")\(amount)\(photo)"
      }
    }
  }

  private func change(_ body: @escaping @Sendable (NSManagedObjectContext) throws -> Void)
    async throws
  {
    try await container.performBackgroundTask { context in
      try body(context)
      try context.save()
    }
  }

  private func list(_ name: String, in context: NSManagedObjectContext) throws -> GroceryList? {
    let request: NSFetchRequest<GroceryList> = GroceryList.fetchRequest()
    request.predicate = NSPredicate(format: "name == %@", name)
    request.fetchLimit = 1
    return try context.fetch(request).first
  }

  private func makeList(_ name: String, in context: NSManagedObjectContext) -> GroceryList {
    let list = GroceryList(context: context)
    list.name = name
    return list
  }

  private func items(_ predicate: NSPredicate, in context: NSManagedObjectContext) throws
    -> [GroceryItem]
  {
    let request: NSFetchRequest<GroceryItem> = GroceryItem.fetchRequest()
    request.predicate = predicate
    request.sortDescriptors = [
      NSSortDescriptor(key: "list.name", ascending: true),
      NSSortDescriptor(key: "added", ascending: true),
    ]
    return try context.fetch(request)
  }
}
