import CloudMirroring
import Foundation
import ManagedObjects
import ObjectRows

/// A device's store, usually mirrored with the server.
final class DemoStore: Sendable {
  let container: NSPersistentCloudKitContainer
  let place: DemoPlace
  private let folder: URL

  /// Opens a new store in a separate folder, or a file that other processes also have open.
  ///
  /// - Parameter isMirrored: Whether the store is mirrored; a store that is not mirrored still has
  ///   a history.
  init(_ place: DemoPlace, isMirrored: Bool = true) async throws {
    self.place = place
    let file = place.sharedFile.map { URL(fileURLWithPath: $0) }
    folder =
      file?.deletingLastPathComponent()
      ?? URL(fileURLWithPath: place.folder).appendingPathComponent("store-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    container = NSPersistentCloudKitContainer(name: "Demo", managedObjectModel: DemoModel.make())
    let description = NSPersistentStoreDescription(
      url: file ?? folder.appendingPathComponent("Notes.sqlite"))
    if isMirrored {
      description.cloudKitContainerOptions = NSPersistentCloudKitContainerOptions(
        container: place.account.cloudContainer(port: place.port))
    } else {
      description.cloudKitContainerOptions = nil
      description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
      description.setOption(
        true as NSNumber, forKey: NSPersistentStoreRemoteChangeNotificationPostOptionKey)
    }
    container.persistentStoreDescriptions = [description]
    try await container.loadPersistentStores()
  }

  /// Closes the store, and removes its files.
  func remove() async throws {
    let engines = container.mirroring.engines
    let coordinator = container.persistentStoreCoordinator
    for store in coordinator.persistentStores { try coordinator.remove(store) }
    for engine in engines { await engine.settle() }
    try FileManager.default.removeItem(at: folder)
  }

  /// Changes objects and saves.
  ///
  /// - Returns: The start and the end of the save.
  @discardableResult
  func save(_ body: @escaping @Sendable (NSManagedObjectContext) throws -> Void) async throws
    -> DemoSpan
  {
    try await container.performBackgroundTask { context in
      // If an import meanwhile changed other properties, the save keeps them.
      context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      try body(context)
      let began = DemoSpan.now
      try context.save()
      return DemoSpan(began: began, ended: DemoSpan.now)
    }
  }

  /// The store's content, and its sync state.
  func view() async throws -> DemoView {
    let (contents, seenAt) = try await container.performBackgroundTask { context in
      let contents = try context.demoContents()
      return (contents, DemoSpan.now)
    }
    let state = container.syncState.stores.first
    return DemoView(
      contents: contents, phase: state?.phase.word ?? "closed",
      pendingCount: state?.pendingChangeCount ?? 0,
      seenAt: seenAt)
  }
}

extension NSPersistentCloudKitContainer.StoreState.Phase {
  /// The phase in a word or two.
  fileprivate var word: String {
    switch self {
    case .stopped: "stopped"
    case .paused: "offline"
    case .settingUp: "setting up"
    case .importing: "receiving"
    case .exporting: "sending"
    case .idle: "idle"
    case .waiting: "waiting"
    case .blocked: "blocked"
    }
  }
}
