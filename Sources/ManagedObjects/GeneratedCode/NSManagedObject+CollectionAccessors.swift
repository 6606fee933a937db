public import Foundation
import ManagedObjectModel

/// Functions for generated methods that change to-many relationships.
extension NSManagedObject {
  /// Adds an object to a relationship.
  ///
  /// For generated code.
  public func _add(_ object: NSManagedObject, to key: String) {
    let (relationship, ordinal) = toMany(key)
    addMember(self.object(object, for: relationship), relationship, ordinal)
  }

  /// Adds objects to a relationship.
  ///
  /// For generated code.
  public func _add(contentsOf objects: some Sequence, to key: String) {
    let (relationship, ordinal) = toMany(key)
    for object in objects {
      addMember(self.object(object, for: relationship), relationship, ordinal)
    }
  }

  /// Removes an object from a relationship.
  ///
  /// For generated code.
  public func _remove(_ object: NSManagedObject, from key: String) {
    let (relationship, ordinal) = toMany(key)
    removeMember(object, relationship, ordinal)
  }

  /// Removes objects from a relationship.
  ///
  /// For generated code.
  public func _remove(contentsOf objects: some Sequence, from key: String) {
    let (relationship, ordinal) = toMany(key)
    let gone = objects.compactMap { $0 as? NSManagedObject }
    prepareAccess()
    let members = members(ordinal)
    // Replacing all members costs more than searching for a few of them.
    guard gone.count > 16, members.isLoaded else {
      for object in gone { removeMember(object, relationship, ordinal) }
      return
    }
    let identifiers = Set(gone.map(ObjectIdentifier.init))
    replaceMembers(
      of: relationship, ordinal,
      with: members.objects.filter { !identifiers.contains(ObjectIdentifier($0)) })
  }

  /// Inserts an object into an ordered relationship.
  ///
  /// For generated code.
  public func _insert(_ object: NSManagedObject, into key: String, at index: Int) {
    change(key) { related in
      requireIndex(index, in: key, upTo: related.count)
      related.insert(object, at: index)
    }
  }

  /// Inserts objects into an ordered relationship, each at its index in the result.
  ///
  /// For generated code.
  public func _insert(contentsOf objects: some Sequence, into key: String, at indexes: NSIndexSet) {
    change(key) { related in
      let objects = Array(objects).map { $0 as Any }
      requireSameCount(objects.count, indexes, in: key)
      for (index, object) in zip(indexes, objects) {
        requireIndex(index, in: key, upTo: related.count)
        related.insert(object, at: index)
      }
    }
  }

  /// Removes the object at an index of an ordered relationship.
  ///
  /// For generated code.
  public func _remove(at index: Int, from key: String) {
    _remove(at: NSIndexSet(index: index), from: key)
  }

  /// Removes the objects at the given indexes of an ordered relationship.
  ///
  /// For generated code.
  public func _remove(at indexes: NSIndexSet, from key: String) {
    change(key) { related in
      for index in Array(indexes).reversed() {
        requireIndex(index, in: key, upTo: related.count - 1)
        related.remove(at: index)
      }
    }
  }

  /// Replaces the object at an index of an ordered relationship.
  ///
  /// For generated code.
  public func _replace(at index: Int, with object: NSManagedObject, in key: String) {
    _replace(at: NSIndexSet(index: index), withContentsOf: [object], in: key)
  }

  /// Replaces the objects at the given indexes of an ordered relationship.
  ///
  /// For generated code.
  public func _replace(
    at indexes: NSIndexSet, withContentsOf objects: some Sequence, in key: String
  ) {
    change(key) { related in
      let objects = Array(objects).map { $0 as Any }
      requireSameCount(objects.count, indexes, in: key)
      for (index, object) in zip(indexes, objects) {
        requireIndex(index, in: key, upTo: related.count - 1)
        related[index] = object
      }
    }
  }

  /// Changes the members of a to-many relationship with a closure.
  private func change(_ key: String, _ change: (inout [Any]) -> Void) {
    let (_, ordinal) = toMany(key)
    prepareAccess()
    var related: [Any] = members(ordinal).objects
    change(&related)
    setValue(related, forKey: key)
  }

  private func requireIndex(_ index: Int, in key: String, upTo last: Int) {
    precondition(
      (0...max(last, 0)).contains(index) && last >= 0,
      "\(entity.name ?? "An entity without a name").\(key) has no index \(index).")
  }

  private func requireSameCount(_ count: Int, _ indexes: NSIndexSet, in key: String) {
    precondition(
      count == indexes.count,
      "\(entity.name ?? "An entity without a name").\(key) was given \(count) objects for \(indexes.count) indexes."
    )
  }
}
