/// The members of an object's to-many relationship, in order.
///
/// Changes that come from the inverse are recorded without loading the members. `added` lists
/// objects that are not members in the store, and `removed` lists objects that are. An ordered
/// relationship is loaded before it is changed, because a change needs its position.
final class ToManyMembers {
  /// The members, if they are loaded.
  private(set) var objects: [NSManagedObject] { didSet { changeCount &+= 1 } }
  /// The members as last fetched or saved; nil if nothing was changed since.
  private(set) var committed: [NSManagedObject]?
  /// Whether the members are loaded.
  private(set) var isLoaded: Bool
  /// The number of changes of `objects`, by which a copy is found to be outdated.
  private(set) var changeCount: UInt32 = 0
  /// Members that were added before the members were loaded.
  private(set) var added: [NSManagedObject] = []
  private(set) var removed: [NSManagedObject] = []
  /// The set whose changes the members adopt, after a custom accessor asked for it.
  var primitiveSet: PrimitiveSet?
  /// The members, for fast lookup in long lists.
  ///
  /// Created when needed.
  private var identifiers: Set<ObjectIdentifier>?

  /// Creates loaded members, as they are in the store.
  init(loaded objects: [NSManagedObject]) {
    self.objects = objects
    isLoaded = true
  }

  /// Creates members that are not loaded.
  init() {
    objects = []
    isLoaded = false
  }

  /// Whether there are unsaved changes.
  var isChanged: Bool { committed != nil || !added.isEmpty || !removed.isEmpty }

  /// Sets the stored members, and applies the changes that were made before.
  func load(_ stored: [NSManagedObject]) {
    guard !isLoaded else { return }
    isLoaded = true
    objects = stored
    stored.forEachHeld { $0.flags.insert(.related) }
    guard !added.isEmpty || !removed.isEmpty else { return }
    let known = Set(stored.map(ObjectIdentifier.init))
    // Removed objects that were then deleted are not loaded, but were members: an undo may restore
    // them.
    committed = stored + removed.filter { !known.contains(ObjectIdentifier($0)) }
    let gone = Set(removed.map(ObjectIdentifier.init))
    if !gone.isEmpty { objects.removeAll { gone.contains(ObjectIdentifier($0)) } }
    for object in added where !contains(object) { append(object) }
    added = []
    removed = []
  }

  func contains(_ object: NSManagedObject) -> Bool {
    guard objects.count > 16 else { return objects.contains { $0 === object } }
    if identifiers == nil { identifiers = Set(objects.map(ObjectIdentifier.init)) }
    return identifiers?.contains(ObjectIdentifier(object)) ?? false
  }

  /// Replaces the members.
  func replace(with objects: [NSManagedObject]) {
    keepCommitted()
    self.objects = objects
    objects.forEachHeld { $0.flags.insert(.related) }
    identifiers = nil
  }

  /// Appends an object, unless it is a member.
  ///
  /// Returns whether it was appended.
  func add(_ object: NSManagedObject) -> Bool {
    object.flags.insert(.related)
    guard isLoaded else { return addBeforeLoading(object) }
    guard !contains(object) else { return false }
    keepCommitted()
    append(object)
    return true
  }

  /// Inserts an object into loaded members, unless it is a member.
  ///
  /// Returns whether it was inserted.
  func insert(_ object: NSManagedObject, at index: Int) -> Bool {
    object.flags.insert(.related)
    guard !contains(object) else { return false }
    keepCommitted()
    objects.insert(object, at: index)
    identifiers?.insert(ObjectIdentifier(object))
    return true
  }

  /// Removes and returns the object at an index of loaded members.
  func remove(at index: Int) -> NSManagedObject {
    keepCommitted()
    let object = objects.remove(at: index)
    identifiers?.remove(ObjectIdentifier(object))
    return object
  }

  /// Removes an object if it is a member.
  ///
  /// Returns whether it was removed.
  func remove(_ object: NSManagedObject) -> Bool {
    object.flags.insert(.related)
    guard isLoaded else { return removeBeforeLoading(object) }
    guard let index = objects.lastIndex(where: { $0 === object }) else { return false }
    _ = remove(at: index)
    return true
  }

  /// Makes the current members the committed ones, after a save.
  func acceptChanges() {
    committed = nil
    added = []
    removed = []
  }

  /// Makes all members additions, because no store has them now.
  func becomeNew() {
    if isLoaded { committed = [] }
  }

  /// Restores the former members.
  func restore(_ objects: [NSManagedObject]) {
    if !isLoaded { isLoaded = true }
    keepCommitted()
    self.objects = objects
    identifiers = nil
  }

  /// Restores the committed members.
  func revert() {
    if let committed { objects = committed }
    acceptChanges()
    identifiers = nil
  }

  /// Unloads the members, and keeps the additions and removals.
  func unload() {
    guard isLoaded else { return }
    let former = committed.map { Set($0.map(ObjectIdentifier.init)) }
    let current = Set(objects.map(ObjectIdentifier.init))
    added = former.map { former in objects.filter { !former.contains(ObjectIdentifier($0)) } } ?? []
    removed = committed?.filter { !current.contains(ObjectIdentifier($0)) } ?? []
    isLoaded = false
    objects = []
    committed = nil
    identifiers = nil
  }

  /// Removes objects that no longer exist, as if they had never been members.
  func forget(_ gone: Set<ObjectIdentifier>) {
    let isGone = { (object: NSManagedObject) in gone.contains(ObjectIdentifier(object)) }
    objects.removeAll(where: isGone)
    committed?.removeAll(where: isGone)
    added.removeAll(where: isGone)
    removed.removeAll(where: isGone)
    identifiers = nil
  }

  private func append(_ object: NSManagedObject) {
    objects.append(object)
    identifiers?.insert(ObjectIdentifier(object))
  }

  private func keepCommitted() {
    if committed == nil { committed = objects }
  }

  private func addBeforeLoading(_ object: NSManagedObject) -> Bool {
    if let index = removed.firstIndex(where: { $0 === object }) {
      removed.remove(at: index)
      return true
    }
    guard added.last !== object, !(added.count < 16 && added.contains { $0 === object }) else {
      return false
    }
    added.append(object)
    return true
  }

  private func removeBeforeLoading(_ object: NSManagedObject) -> Bool {
    if let index = added.lastIndex(where: { $0 === object }) {
      added.remove(at: index)
      return true
    }
    guard removed.last !== object, !(removed.count < 16 && removed.contains { $0 === object })
    else { return false }
    removed.append(object)
    return true
  }
}

extension ToManyMembers {
  /// Whether the changes have cancelled out.
  ///
  /// - Parameter isOrdered: Whether the order of the members counts.
  func isBackToCommitted(isOrdered: Bool) -> Bool {
    guard let committed, isLoaded else { return added.isEmpty && removed.isEmpty }
    guard committed.count == objects.count else { return false }
    let first = committed.indices.first { committed[$0] !== objects[$0] }
    guard let first else { return true }
    if isOrdered { return false }
    let former = Set(committed[first...].map(ObjectIdentifier.init))
    return objects[first...].allSatisfy { former.contains(ObjectIdentifier($0)) }
  }
}
