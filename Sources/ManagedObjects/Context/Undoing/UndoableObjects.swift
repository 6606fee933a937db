import ObjectRows

/// Removed objects that an undo may restore.
///
/// They keep their references to related objects, so a reference cycle among them persists until
/// the context releases it.
struct UndoableObjects {
  private struct Entry {
    weak var object: NSManagedObject?
  }

  private var objects: [Entry] = []
  /// The number of entries above which deallocated objects are removed from the list.
  private var room = 64

  mutating func add(_ object: NSManagedObject) {
    objects.append(Entry(object: object))
    guard objects.count > room else { return }
    objects.removeAll { $0.object == nil }
    room = max(64, objects.count * 2)
  }

  /// Releases all objects that were not restored.
  mutating func releaseUnrestored() {
    for entry in objects {
      if let object = entry.object, object.context == nil { object.releaseRelated() }
    }
    objects = []
  }
}

extension NSManagedObjectContext {
  /// Releases the related objects of a removed object, if no undo can restore it.
  func handleRemoval(of object: NSManagedObject) {
    if storedUndoManager == nil { object.releaseRelated() } else { undoableObjects.add(object) }
  }
}
