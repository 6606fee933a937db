import Foundation
import ManagedObjectModel
import ObjectRows

/// Copies the objects of one store into another, if either is an XML, binary or custom store.
///
/// The copies are managed objects that a context saves, because such a store identifies its own
/// objects. All copies are saved at once, because it may write its whole file in each save.
struct ObjectCopy {
  private let source: NSPersistentStore
  private let destination: NSPersistentStore
  private let coordinator: NSPersistentStoreCoordinator

  init(
    from source: NSPersistentStore, to destination: NSPersistentStore,
    in coordinator: NSPersistentStoreCoordinator
  ) {
    (self.source, self.destination, self.coordinator) = (source, destination, coordinator)
  }

  /// Copies the objects, and returns them with their copies.
  ///
  /// - Parameters:
  ///   - given: The context that saves; by default a new one, without an author or a merge policy.
  ///   - delete: Whether the objects are deleted from the source in a second save.
  func run(in given: NSManagedObjectContext? = nil, deletingFormer delete: Bool = false) throws
    -> [Pair]
  {
    let context = given ?? coordinator.makeContext()
    return try context.performAndWait {
      context.savesUnvalidated = true
      let pairs = try copyObjects(in: context)
      if pairs.isEmpty {
        try (destination as? NSAtomicStore)?.save()
      } else {
        try context.save()
      }
      guard delete else { return pairs }
      for pair in pairs { context.delete(pair.former) }
      try context.save()
      return pairs
    }
  }

  struct Pair {
    let former: NSManagedObject
    let copy: NSManagedObject
  }

  private func copyObjects(in context: NSManagedObjectContext) throws -> [Pair] {
    let kept = sourceLayouts.filter { destination.open?.keeps($0) == true }
    let pairs = try kept.flatMap { layout in
      try objects(of: layout, in: context).map { former in
        Pair(former: former, copy: try makeCopy(of: former, in: context))
      }
    }
    let copies = Dictionary(
      pairs.map { (ObjectIdentifier($0.former), $0.copy) }, uniquingKeysWith: { first, _ in first })
    for pair in pairs { copyRelationships(of: pair, copies) }
    try context.requireSuccessfulReads()
    return pairs
  }

  /// The layout of a source's object that the destination cannot have; nil if it can have all.
  func unkeptLayout(in context: NSManagedObjectContext) throws -> RowLayout? {
    try sourceLayouts.first {
      try destination.open?.keeps($0) != true && context.count(for: request(for: $0)) > 0
    }
  }

  private var sourceLayouts: [RowLayout] {
    coordinator.layouts.layouts.filter { source.open?.keeps($0) == true }
  }

  private func objects(of layout: RowLayout, in context: NSManagedObjectContext) throws
    -> [NSManagedObject]
  {
    try context.fetch(request(for: layout)).sorted(by: NSManagedObject.precedesInContext)
  }

  /// A request for the stored objects of an entity in the source.
  private func request(for layout: RowLayout) -> NSFetchRequest<NSManagedObject> {
    let request = NSFetchRequest<NSManagedObject>()
    request.entity = layout.entity
    request.includesSubentities = false
    request.returnsObjectsAsFaults = false
    request.includesPendingChanges = false
    request.affectedStores = [source]
    return request
  }

  /// A new object with the same attributes.
  private func makeCopy(of former: NSManagedObject, in context: NSManagedObjectContext) throws
    -> NSManagedObject
  {
    let copy = NSManagedObject.instantiate(former.entity)
    context.insertNew(copy)
    context.assign(copy, to: destination)
    for (ordinal, property) in former.layout.properties.enumerated()
    where property is NSAttributeDescription && !property.isTransient {
      // Encoded values are copied without decoding. Files of the source are read into memory.
      former.layout.copyValue(ordinal, from: former.row, to: copy.row)
      let slot = former.layout.slots[ordinal]
      guard slot.kind == .boxed,
        let external = slot.load(from: copy.row, as: BoxedValue?.self) as? ExternalValue
      else { continue }
      slot.store(Optional<BoxedValue>(BinaryValue(try external.data())), in: copy.row)
    }
    return copy
  }

  private func copyRelationships(of pair: Pair, _ copies: [ObjectIdentifier: NSManagedObject]) {
    for (ordinal, property) in pair.former.layout.properties.enumerated() {
      guard let relationship = property as? NSRelationshipDescription, !relationship.isTransient
      else { continue }
      guard relationship.isToMany else {
        let copy = pair.former.destination(ordinal).flatMap { copies[ObjectIdentifier($0)] }
        if let copy { set(copy, relationship, ordinal, of: pair.copy) }
        continue
      }
      let members = pair.former.members(ordinal).objects.compactMap { copies[ObjectIdentifier($0)] }
      guard !members.isEmpty else { continue }
      let value = relationship.isOrdered ? NSOrderedSet(array: members) : NSSet(array: members)
      set(value, relationship, ordinal, of: pair.copy)
    }
  }

  private func set(
    _ value: Any, _ relationship: NSRelationshipDescription, _ ordinal: Int,
    of copy: NSManagedObject
  ) {
    copy.willChangeValue(forKey: relationship.name)
    copy.setCurrentValue(value, ordinal)
    copy.didChangeValue(forKey: relationship.name)
  }
}
