import Foundation
import ManagedObjectModel
import ManagedObjects

/// A store in a folder of its own, for one workload.
final class BenchmarkStore {
  private let place = BenchFolder()
  let coordinator: NSPersistentStoreCoordinator
  private let model: NSManagedObjectModel

  var folder: URL { place.url }
  var url: URL { folder.appendingPathComponent("Benchmark.sqlite") }

  init(_ model: NSManagedObjectModel, keepsHistory: Bool = false) throws {
    self.model = model
    try FileManager.default.createDirectory(at: place.url, withIntermediateDirectories: true)
    coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    _ = try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil,
      at: place.url.appendingPathComponent("Benchmark.sqlite"),
      options: keepsHistory ? [NSPersistentHistoryTrackingKey: true as NSNumber] : nil)
  }

  /// A context on a queue of its own; an idle queue runs `performAndWait` on the caller's thread.
  func context() -> NSManagedObjectContext {
    let context = NSManagedObjectContext(.privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  /// A copy of the store's files for the reference, with nothing left in the log.
  func copyForReference() throws -> String {
    let copy = folder.appendingPathComponent("Reference.sqlite")
    for suffix in ["", "-wal"] {
      let source = URL(fileURLWithPath: url.path + suffix)
      guard FileManager.default.fileExists(atPath: source.path) else { continue }
      try FileManager.default.copyItem(at: source, to: URL(fileURLWithPath: copy.path + suffix))
    }
    return copy.path
  }
}
