/// A table of values by property ordinal.
///
/// The first value is stored in the table itself. Most objects have only one, and a dictionary
/// would cost an allocation and a hash for each lookup.
package struct OrdinalTable<Value> {
  private var first: (ordinal: Int, value: Value)?
  /// The values of other ordinals.
  private var others: [Int: Value] = [:]

  package init() {}

  package var isEmpty: Bool { first == nil && others.isEmpty }

  /// The ordinals in ascending order.
  package var ordinals: [Int] { map(\.ordinal).sorted() }

  package subscript(ordinal: Int) -> Value? {
    get {
      if let first, first.ordinal == ordinal { return first.value }
      return others.isEmpty ? nil : others[ordinal]
    }
    set {
      if first?.ordinal == ordinal || (first == nil && others.isEmpty) {
        first = newValue.map { (ordinal, $0) }
      } else if newValue != nil || !others.isEmpty {
        others[ordinal] = newValue
      }
    }
  }

  /// Removes the values of all ordinals except these.
  package mutating func keepOnly(_ ordinals: [Int]) {
    if let ordinal = first?.ordinal, !ordinals.contains(ordinal) { first = nil }
    if !others.isEmpty { others = others.filter { ordinals.contains($0.key) } }
  }
}

/// The ordinals and their values, in unspecified order.
extension OrdinalTable: Sequence {
  package struct Iterator: IteratorProtocol {
    fileprivate var first: (ordinal: Int, value: Value)?
    fileprivate var others: Dictionary<Int, Value>.Iterator?

    package mutating func next() -> (ordinal: Int, value: Value)? {
      if let first {
        self.first = nil
        return first
      }
      return others?.next().map { ($0.key, $0.value) }
    }
  }

  package func makeIterator() -> Iterator {
    Iterator(first: first, others: others.isEmpty ? nil : others.makeIterator())
  }
}
