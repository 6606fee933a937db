import Foundation

/// The objects at the far end of a to-many relationship: each once, in the order of their arrival.
struct RelatedObjects {
  private(set) var objects: [NSManagedObject] = []
  private var identifiers: Set<ObjectIdentifier> = []

  init(_ objects: some Sequence<NSManagedObject> = []) {
    for object in objects { append(object) }
  }

  var count: Int { objects.count }

  func contains(_ object: NSManagedObject) -> Bool { identifiers.contains(ObjectIdentifier(object)) }

  mutating func append(_ object: NSManagedObject) { insert(object, at: objects.count) }

  mutating func insert(_ object: NSManagedObject, at index: Int) {
    guard identifiers.insert(ObjectIdentifier(object)).inserted else { return }
    objects.insert(object, at: index)
  }

  mutating func remove(_ object: NSManagedObject) {
    guard identifiers.remove(ObjectIdentifier(object)) != nil else { return }
    objects.removeAll { $0 === object }
  }
}
