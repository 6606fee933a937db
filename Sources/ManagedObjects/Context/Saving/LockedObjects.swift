/// The objects whose rows must be unchanged at the next save, each once, in the order of the calls.
struct LockedObjects {
  private(set) var objects: [NSManagedObject] = []
  private var known: Set<ObjectIdentifier> = []

  mutating func add(_ object: NSManagedObject) {
    if known.insert(ObjectIdentifier(object)).inserted { objects.append(object) }
  }
}
