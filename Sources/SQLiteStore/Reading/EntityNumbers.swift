import ObjectRows

/// Maps the entity numbers of a store to row layouts, and back.
///
/// Numbers are small and dense, so both directions are tables.
struct EntityNumbers {
  /// The layouts' indexes by number; -1 if the store has no entity with the number.
  private let indexes: ContiguousArray<Int32>
  /// The numbers by the layouts' indexes; 0 if the store does not keep the entity.
  private let numbers: ContiguousArray<Int64>

  init(_ schema: StoreSchema) {
    let highest = schema.entities.map(\.number).max() ?? 0
    var indexes = ContiguousArray<Int32>(repeating: -1, count: highest + 1)
    var numbers = ContiguousArray<Int64>(repeating: 0, count: schema.layouts.layouts.count)
    for entity in schema.entities {
      indexes[entity.number] = Int32(entity.layout.index)
      numbers[entity.layout.index] = Int64(entity.number)
    }
    self.indexes = indexes
    self.numbers = numbers
  }

  /// The index of the layout of an entity, or -1.
  func layoutIndex(ofEntity number: Int64) -> Int32 {
    guard number > 0, number < Int64(indexes.count) else { return -1 }
    return indexes[Int(number)]
  }

  /// The number of the entity of a layout, or 0.
  func number(ofLayout index: Int32) -> Int64 { numbers[Int(index)] }
}
