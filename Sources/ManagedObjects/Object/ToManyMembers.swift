/// The objects at the far end of a to-many relationship of one object, in the order of the
/// relationship.
///
/// Changes that come from the other side do not load it: they are kept until somebody asks for the
/// members. What comes then is no member yet, and what goes is one. An ordered relationship is
/// loaded before it is changed, since a change has a place in it.
final class ToManyMembers {
  /// The members, once they are loaded.
  private(set) var objects: [NSManagedObject]
  /// The members as they were last fetched or saved; nil while nothing was changed since.
  private(set) var committed: [NSManagedObject]?
  /// Whether the members are known.
  private(set) var isLoaded: Bool
  /// What came and went before the members were loaded.
  private(set) var added: [NSManagedObject] = []
  private(set) var removed: [NSManagedObject] = []
  /// What the members are, for quick look-ups in long lists; made when it is needed.
  private var identifiers: Set<ObjectIdentifier>?

  /// Known members, as they are in the store.
  init(loaded objects: [NSManagedObject]) {
    self.objects = objects
    isLoaded = true
  }

  /// Members that are not known yet.
  init() {
    objects = []
    isLoaded = false
  }

  /// Whether there is something to save.
  var isChanged: Bool { committed != nil || !added.isEmpty || !removed.isEmpty }

  /// Takes the members that the store has, and applies what came and went before.
  func load(_ stored: [NSManagedObject]) {
    guard !isLoaded else { return }
    isLoaded = true
    objects = stored
    guard !added.isEmpty || !removed.isEmpty else { return }
    let known = Set(stored.map(ObjectIdentifier.init))
    // What went and was deleted then is not brought in, and was a member all the same: an undo may
    // bring it back.
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

  /// Makes these the members.
  func replace(with objects: [NSManagedObject]) {
    keepCommitted()
    self.objects = objects
    identifiers = nil
  }

  /// Adds an object at the end, unless it is there.
  ///
  /// Returns whether it was not.
  func add(_ object: NSManagedObject) -> Bool {
    guard isLoaded else { return addBeforeLoading(object) }
    guard !contains(object) else { return false }
    keepCommitted()
    append(object)
    return true
  }

  /// Takes an object out, if it is there.
  ///
  /// Returns whether it was.
  func remove(_ object: NSManagedObject) -> Bool {
    guard isLoaded else { return removeBeforeLoading(object) }
    guard let index = objects.lastIndex(where: { $0 === object }) else { return false }
    keepCommitted()
    objects.remove(at: index)
    identifiers?.remove(ObjectIdentifier(object))
    return true
  }

  /// Takes what is there for what the store has: called after a save.
  func acceptChanges() {
    committed = nil
    added = []
    removed = []
  }

  /// Takes all members for new ones, since no store has them any more.
  func becomeNew() {
    if isLoaded { committed = [] }
  }

  /// Puts the former members back.
  func restore(_ objects: [NSManagedObject]) {
    if !isLoaded { isLoaded = true }
    keepCommitted()
    self.objects = objects
    identifiers = nil
  }

  /// Puts the committed members back.
  func revert() {
    if let committed { objects = committed }
    acceptChanges()
    identifiers = nil
  }

  /// Forgets the members, and keeps what came and went.
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

  /// Takes objects out that are no more, as if they had never been members.
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
    removed.append(object)
    return true
  }
}

extension ToManyMembers {
  /// Whether changes have cancelled each other out.
  var isBackToCommitted: Bool {
    guard let committed, isLoaded else { return added.isEmpty && removed.isEmpty }
    return committed.count == objects.count && zip(committed, objects).allSatisfy { $0 === $1 }
  }
}
