import Foundation
import ManagedObjectModel
import ManagedObjects

/// A store in a separate folder, for one workload.
final class BenchmarkStore {
  private let benchFolder = BenchFolder()
  let coordinator: NSPersistentStoreCoordinator
  private let model: NSManagedObjectModel

  var folder: URL { benchFolder.url }
  var url: URL { folder.appendingPathComponent("Benchmark.sqlite") }

  init(_ model: NSManagedObjectModel, keepsHistory: Bool = false) throws {
    self.model = model
    try FileManager.default.createDirectory(at: benchFolder.url, withIntermediateDirectories: true)
    coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    _ = try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil,
      at: benchFolder.url.appendingPathComponent("Benchmark.sqlite"),
      options: keepsHistory ? [NSPersistentHistoryTrackingKey: true as NSNumber] : nil)
  }

  /// A context with a private queue; if the queue is idle, `performAndWait` runs on the caller's
  /// thread.
  func context() -> NSManagedObjectContext {
    let context = NSManagedObjectContext(.privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  /// Copies the store's files, with its write-ahead log, for the reference in C.
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
