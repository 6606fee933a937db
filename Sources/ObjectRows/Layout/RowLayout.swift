package import ManagedObjectModel

// Sendable: immutable after its initialiser.
/// How the rows of an entity lie in memory.
///
/// ```
/// 0       8          16                              nullBitmap
/// | key   | version  | slots, widest alignment first | one bit for each slot |
/// ```
///
/// A property is named by its ordinal: its place among the properties of the entity's most distant ancestor, sorted by name,
/// then those of the next one, and so on. An inherited property has the same ordinal in every subentity.
@safe
public final class RowLayout: @unchecked Sendable {
  package static let headerBytes = 16

  package let entity: NSEntityDescription
  /// The place of the layout among those of the model.
  package let index: Int
  /// The place of the layout of the entity's most distant ancestor.
  ///
  /// Keys are unique among all rows whose layouts have the same root.
  package let rootIndex: Int

  /// The properties, by ordinal.
  package let properties: [NSPropertyDescription]
  /// The slots, by ordinal.
  package let slots: [RowSlot]
  /// The ordinals of the slots that hold references, and so must be destroyed one by one.
  package let referenceOrdinals: [Int]

  /// The bytes of a row.
  @usableFromInline package let stride: Int
  @usableFromInline package let nullBitmapOffset: Int
  @usableFromInline package let nullBitmapBytes: Int
  @usableFromInline package let slotCount: Int
  /// The same as `slots`, without the cost of an array.
  @safe @usableFromInline package let slotTable: UnsafeMutablePointer<RowSlot>

  private let ordinalsByName: [String: Int]

  /// A row without values, for objects whose values were not read yet.
  package let emptyRow: RowReference

  package init(entity: NSEntityDescription, index: Int, rootIndex: Int) {
    self.entity = entity
    self.index = index
    self.rootIndex = rootIndex
    properties = entity.propertiesInRowOrder
    ordinalsByName = Dictionary(
      properties.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { _, nearest in nearest })
    var plan = SlotPlan()
    for property in properties { plan.add(kind(of: property), isStored: !property.isTransient) }
    let planned = plan.finish(startingAt: Self.headerBytes)
    slots = planned.slots
    slotCount = planned.slots.count
    stride = planned.stride
    nullBitmapOffset = planned.nullBitmapOffset
    nullBitmapBytes = planned.nullBitmapBytes
    referenceOrdinals = planned.slots.indices.filter { !planned.slots[$0].kind.isTrivial }
    slotTable = .allocate(capacity: max(1, planned.slots.count))
    for (ordinal, slot) in planned.slots.enumerated() { unsafe (slotTable + ordinal).initialize(to: slot) }
    emptyRow = unsafe RowReference(.allocate(byteCount: planned.stride, alignment: 16))
    initializeRow(emptyRow, key: 0, version: 0)
  }

  deinit {
    deallocateRow(emptyRow)
    unsafe slotTable.deallocate()
  }

  /// The ordinal of a property, or nil where the entity has no property of the name.
  package func ordinal(of name: String) -> Int? { ordinalsByName[name] }
}
