import ManagedObjectModel
import ObjectRows

/// One step of reading a row: a column of the result, and the slot that it fills.
struct ColumnRead {
  let form: ColumnEncoding
  let slot: RowSlot
  /// The index of the column among the plan's columns.
  let column: Int32
  /// For a to-one relationship, the index of the column with the number of the destination's
  /// entity, or -1; for a composite attribute, its index in the list of composites.
  let companion: Int32
  /// For a to-one relationship, the index of the declared destination's layout.
  let destination: Int32
}

/// The steps for one entity, as a pointer: unlike an array, a pointer has no reference count.
@safe
struct ColumnReads {
  @safe private let steps: UnsafeMutableBufferPointer<ColumnRead>

  init(copying reads: ContiguousArray<ColumnRead>) {
    steps = .allocate(capacity: reads.count)
    _ = unsafe steps.initialize(fromContentsOf: reads)
  }

  func deallocate() { unsafe steps.deallocate() }

  @inline(__always) var count: Int { steps.count }

  @inline(__always) subscript(index: Int) -> ColumnRead { steps[index] }
}

/// The columns of a composite attribute.
struct CompositeRead {
  struct Leaf {
    let path: [String]
    let form: ColumnEncoding
    let column: Int32
  }

  let leaves: [Leaf]
}
