import ObjectRows

/// Iteration over many objects without retain and release.
///
/// Reference counting is an atomic operation. In a loop of a few instructions for each of many
/// objects, it would cost more than everything else.
extension Collection where Element == NSManagedObject {
  /// Calls a closure with each object in turn.
  ///
  /// The collection retains the objects meanwhile, so the closure receives them unretained. If the
  /// closure or application code may change the collection, call this method on a copy.
  @inline(__always)
  func forEachHeld(_ body: (NSManagedObject) throws -> Void) rethrows {
    let visited: Void? = try withContiguousStorageIfAvailable { objects in
      try unsafe objects.withMemoryRebound(to: Unmanaged<NSManagedObject>.self) { objects in
        for index in objects.indices { try unsafe objects[index]._withUnsafeGuaranteedRef(body) }
      }
    }
    if visited == nil { for object in self { try body(object) } }
  }

  /// Whether every object satisfies a condition.
  @inline(__always)
  func allHeldSatisfy(_ condition: (NSManagedObject) -> Bool) -> Bool {
    var isSatisfied = true
    forEachHeld { if isSatisfied { isSatisfied = condition($0) } }
    return isSatisfied
  }

  /// The objects as a set.
  func heldSet() -> Set<NSManagedObject> {
    var set = Set<NSManagedObject>(minimumCapacity: count)
    // `update` returns the earlier member, which is nil. `insert` would return the object, retained
    // once more.
    forEachHeld { set.update(with: $0) }
    return set
  }
}

extension ContiguousArray where Element == NSManagedObject {
  /// Calls a closure with runs of adjacent objects of one entity.
  ///
  /// A run is short enough that its objects stay in the processor's cache.
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
  /// Whether the object's row has the given layout, without retaining the layout.
  @inline(__always)
  final func hasLayout(_ layout: RowLayout?) -> Bool {
    unsafe Unmanaged.passUnretained(owner)._withUnsafeGuaranteedRef { $0.layout === layout }
  }

  /// The index of the object's layout, without retaining the layout.
  @inline(__always)
  final var layoutIndex: Int {
    unsafe Unmanaged.passUnretained(owner)._withUnsafeGuaranteedRef { $0.layout.index }
  }

  /// The layout index of the root entity, without retaining the layout.
  @inline(__always)
  final var rootIndex: Int {
    unsafe Unmanaged.passUnretained(owner)._withUnsafeGuaranteedRef { $0.layout.rootIndex }
  }

  /// Whether the owner of the object's row knows the store after the context is gone.
  @inline(__always)
  final var ownerKnowsStore: Bool {
    unsafe Unmanaged.passUnretained(owner)._withUnsafeGuaranteedRef { $0.storeIdentity != nil }
  }
}
