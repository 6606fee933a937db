import ObjectRows

/// Visiting many objects without counting.
///
/// Counting a reference is an operation that other processors must see. Where each of many objects
/// gets a few instructions, holding and letting go of them would cost more than all the rest.
extension Collection where Element == NSManagedObject {
  /// Calls a closure with each object in turn.
  ///
  /// The collection holds the objects meanwhile, so that the closure gets them without a hold of
  /// its own. A list that the closure may change, or that code of applications may reach, must be a
  /// copy.
  @inline(__always)
  func forEachHeld(_ body: (NSManagedObject) throws -> Void) rethrows {
    let visited: Void? = try withContiguousStorageIfAvailable { objects in
      try unsafe objects.withMemoryRebound(to: Unmanaged<NSManagedObject>.self) { objects in
        for index in objects.indices { try unsafe objects[index]._withUnsafeGuaranteedRef(body) }
      }
    }
    if visited == nil { for object in self { try body(object) } }
  }

  /// Whether something is so for every object.
  @inline(__always)
  func allHeldSatisfy(_ condition: (NSManagedObject) -> Bool) -> Bool {
    var isSo = true
    forEachHeld { if isSo { isSo = condition($0) } }
    return isSo
  }

  /// The objects as a set.
  func heldSet() -> Set<NSManagedObject> {
    var set = Set<NSManagedObject>(minimumCapacity: count)
    // An update gives back what was there before, which is nothing; an insertion would give back
    // the object, held once more.
    forEachHeld { set.update(with: $0) }
    return set
  }
}

extension ContiguousArray where Element == NSManagedObject {
  /// Calls a closure with objects that follow one another and are of one entity, up to as many as a
  /// processor has at hand after they were looked at.
  func forEachRun(_ body: (RowLayout, ArraySlice<NSManagedObject>) throws -> Void) rethrows {
    var start = startIndex
    while start < endIndex {
      let layout = self[start].layout
      let end = endOfRun(from: start, layout)
      try body(layout, self[start..<end])
      start = end
    }
  }

  private func endOfRun(from start: Int, _ layout: RowLayout) -> Int {
    let limit = Swift.min(endIndex, start + 128)
    return unsafe withUnsafeBufferPointer { objects in
      unsafe objects.withMemoryRebound(to: Unmanaged<NSManagedObject>.self) { objects in
        var end = start + 1
        while end < limit, unsafe objects[end]._withUnsafeGuaranteedRef({ $0.hasLayout(layout) }) {
          end += 1
        }
        return end
      }
    }
  }
}

extension NSManagedObject {
  /// Whether the object's row is of a layout, which nobody needs to hold for the answer.
  @inline(__always)
  final func hasLayout(_ layout: RowLayout?) -> Bool {
    unsafe Unmanaged.passUnretained(owner)._withUnsafeGuaranteedRef { $0.layout === layout }
  }

  /// The place of the layout of the entity's most distant ancestor, which nobody needs to hold for
  /// the answer.
  @inline(__always)
  final var rootIndex: Int {
    unsafe Unmanaged.passUnretained(owner)._withUnsafeGuaranteedRef { $0.layout.rootIndex }
  }

  /// Whether what keeps the object's row can tell the store when the context is gone.
  @inline(__always)
  final var ownerKnowsStore: Bool {
    unsafe Unmanaged.passUnretained(owner)._withUnsafeGuaranteedRef { $0.storeIdentity != nil }
  }
}
