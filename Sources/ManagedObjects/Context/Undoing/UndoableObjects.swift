import ObjectRows

/// Objects that left a context whose undo manager may bring them back: they keep what they led to.
///
/// A ring of them keeps itself alive, until the context lets go of it.
struct UndoableObjects {
  private struct Departed {
    weak var object: NSManagedObject?
  }

  private var objects: [Departed] = []
  /// How many there may be before those that are gone are taken out.
  private var room = 64

  mutating func add(_ object: NSManagedObject) {
    objects.append(Departed(object: object))
    guard objects.count > room else { return }
    objects.removeAll { $0.object == nil }
    room = max(64, objects.count * 2)
  }

  /// Lets all go that did not come back.
  mutating func letGo() {
    for departed in objects {
      if let object = departed.object, object.context == nil { object.forgetRelated() }
    }
    objects = []
  }
}

extension NSManagedObjectContext {
  /// Lets go of what an object that left the context led to, where no undo can bring it back.
  func part(from object: NSManagedObject) {
    if storedUndoManager == nil { object.forgetRelated() } else { departed.add(object) }
  }
}
