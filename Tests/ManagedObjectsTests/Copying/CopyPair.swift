import Foundation
import ManagedObjectModel
import ManagedObjects
import Testing

/// Two stores of one model: a source, and a destination in its own coordinator.
struct CopyPair {
  let source: ShelfStack
  let destination: ShelfStack

  init(
    _ types: (String, String) = (NSSQLiteStoreType, NSSQLiteStoreType), in folder: URL,
    model: NSManagedObjectModel = ShelfModel().model, options: [AnyHashable: Any]? = nil
  ) throws {
    source = try ShelfStack(
      types.0, at: Self.place(types.0, "source", folder), model: model)
    destination = try ShelfStack(
      types.1, at: Self.place(types.1, "destination", folder), model: model, options: options)
  }

  private static func place(_ type: String, _ name: String, _ folder: URL) -> URL? {
    type == NSInMemoryStoreType ? nil : folder.appendingPathComponent("\(name).\(type)")
  }

  @discardableResult
  func copy(
    batchSize: Int = 500, _ policy: NSMergePolicyType = .errorMergePolicyType,
    author: String? = nil, progress: Progress? = nil
  ) throws -> NSPersistentStoreCoordinator.CopyResult {
    try destination.coordinator.copyObjects(
      from: source.store, to: destination.store,
      options: .init(batchSize: batchSize, mergePolicy: policy, transactionAuthor: author),
      progress: progress)
  }

  @discardableResult
  func move(batchSize: Int = 500, progress: Progress? = nil) throws
    -> NSPersistentStoreCoordinator.CopyResult
  {
    try destination.coordinator.moveObjects(
      from: source.store, to: destination.store, options: .init(batchSize: batchSize),
      progress: progress)
  }
}

/// A progress that calls a closure after each completed part, and records its errors as issues.
final class WatchedProgress: Progress, @unchecked Sendable {
  private let body: (WatchedProgress) throws -> Void
  private(set) var parts = 0

  init(_ body: @escaping (WatchedProgress) throws -> Void) {
    self.body = body
    super.init(parent: nil, userInfo: nil)
  }

  override var completedUnitCount: Int64 {
    didSet {
      guard completedUnitCount > 0 else { return }
      parts += 1
      do { try body(self) } catch { Issue.record(error, "after part \(parts)") }
    }
  }
}

/// A description of all objects of a store that is equal for equal graphs.
///
/// An object is known by its `label`, which each object of a test has under one of the keys.
func graph(of stack: ShelfStack, labels: [String] = ["name", "title", "heading", "word"]) throws
  -> [String]
{
  let context = stack.newContext()
  return try context.performAndWait {
    func label(_ object: NSManagedObject) -> String {
      let key = labels.first { object.entity.propertiesByName[$0] != nil } ?? ""
      return "\(object.entity.name ?? "").\(object.text(key) ?? "nil")"
    }
    var lines: [String] = []
    for entity in stack.coordinator.managedObjectModel.entities where entity.superentity == nil {
      for object in try context.all(entity.name ?? "") {
        var line = label(object)
        for (name, property) in object.entity.propertiesByName.sorted(by: { $0.key < $1.key })
        where !property.isTransient {
          if let relationship = property as? NSRelationshipDescription {
            let members = object.related(name).map(label)
            line += " \(name)=\(relationship.isOrdered ? members : members.sorted())"
          } else {
            line += " \(name)=\(object.value(forKey: name).map { "\($0)" } ?? "nil")"
          }
        }
        lines.append(line)
      }
    }
    return lines.sorted()
  }
}
