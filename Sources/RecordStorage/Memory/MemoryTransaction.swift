/// A transaction on its own copy of the tree, which the engine commits when the body returns.
final class MemoryTransaction: StorageWriting {
  private(set) var tree: PersistentTree
  private var openVisits = 0

  init(_ tree: PersistentTree) { self.tree = tree }

  func visitValues(of keys: [StorageKey], _ visit: (Int, Span<UInt8>?) throws -> Void) throws {
    try whileVisiting {
      for (place, key) in keys.enumerated() {
        if let value = tree.value(of: key) {
          try visit(place, value.span)
        } else {
          try visit(place, nil)
        }
      }
    }
  }

  func visitEntries(
    in range: StorageRange, order: StorageOrder, limit: Int,
    _ visit: (Span<UInt8>, Span<UInt8>) throws -> VisitContinuation
  ) throws {
    var left = limit
    guard left > 0 else { return }
    try whileVisiting {
      try tree.visit(in: range, order: order) { entry in
        left -= 1
        guard try visit(entry.key.bytes.span, entry.value.span) == .proceed, left > 0 else {
          return .stop
        }
        return .proceed
      }
    }
  }

  func set(_ value: Span<UInt8>, for key: StorageKey) throws(StorageError) {
    try StorageError.checkLength(of: key, valueBytes: value.count)
    willWrite()
    tree.set(Array(copying: value), for: key)
  }

  func remove(_ key: StorageKey) throws(StorageError) {
    willWrite()
    tree.remove(key)
  }

  func removeEntries(in range: StorageRange) throws(StorageError) {
    willWrite()
    var keys: [StorageKey] = []
    tree.visit(in: range, order: .ascending) { entry in
      keys.append(entry.key)
      return .proceed
    }
    for key in keys { tree.remove(key) }
  }

  private func whileVisiting(_ body: () throws -> Void) rethrows {
    openVisits += 1
    defer { openVisits -= 1 }
    try body()
  }

  private func willWrite() {
    precondition(
      openVisits == 0,
      "A visitor may read the store, but not write it: collect the entries, and write afterwards.")
  }
}
