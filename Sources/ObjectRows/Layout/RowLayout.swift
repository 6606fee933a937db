package import ManagedObjectModel
import Synchronization

// Sendable: immutable after its initialiser.
/// How the rows of an entity lie in memory.
///
/// ```
/// 0       8          16                              nullBitmap
/// | key   | version  | slots, widest alignment first | one bit for each slot |
/// ```
///
/// A property is named by its ordinal: its place among the properties of the entity's most distant
/// ancestor, sorted by name, then those of the next one, and so on. An inherited property has the
/// same ordinal in every subentity.
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

  /// Tells the most distant ancestors of entities apart, in all models in which they have the same
  /// name.
  let rootNameHash: Int

  /// The properties, by ordinal.
  package let properties: [NSPropertyDescription]
  /// What kind of members the properties have, by ordinal.
  package let memberKinds: [MemberKind]
  /// The slots, by ordinal.
  package let slots: [RowSlot]

  /// The bytes of a row.
  @usableFromInline package let stride: Int
  @usableFromInline package let slotCount: Int
  /// The same as `slots`, without the cost of an array.
  @safe @usableFromInline package let slotTable: SlotTable
  /// The slots that hold references, without the cost of an array.
  let references: SlotTable
  let referenceCount: Int

  private let ordinalsByName: [String: Int]

  /// A row without values, for objects whose values were not read yet.
  package let emptyRow: RowReference

  /// What the layer above keeps with the layout.
  private let companion = unsafe Atomic<UnsafeRawPointer?>(nil)

  package init(entity: NSEntityDescription, index: Int, rootIndex: Int) {
    self.entity = entity
    self.index = index
    self.rootIndex = rootIndex
    rootNameHash = Self.hash(of: entity.lineage.last?.name ?? "")
    properties = entity.propertiesInRowOrder
    memberKinds = properties.map(MemberKind.init)
    ordinalsByName = Dictionary(
      properties.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { _, nearest in nearest })
    var plan = SlotPlan()
    for property in properties { plan.add(kind(of: property), isStored: !property.isTransient) }
    let planned = plan.finish(startingAt: Self.headerBytes)
    slots = planned.slots
    slotCount = planned.slots.count
    stride = planned.stride
    let references = planned.slots.filter { !$0.kind.isTrivial }
    referenceCount = references.count
    self.references = SlotTable(copying: references)
    slotTable = SlotTable(copying: planned.slots)
    emptyRow = unsafe RowReference(.allocate(byteCount: planned.stride, alignment: 16))
    makeEmpty(emptyRow, nullBitmapOffset: planned.nullBitmapOffset)
  }

  deinit {
    // First, since it may have rows of the layout.
    if let companion = unsafe companion.load(ordering: .acquiring) {
      unsafe Unmanaged<AnyObject>.fromOpaque(companion).release()
    }
    unsafe emptyRow.start.deallocate()
    slotTable.deallocate()
    references.deallocate()
  }

  /// What the layer above keeps with the layout, made when it is first asked for.
  ///
  /// Two threads may make it at once; one of the two is kept. It must not keep the layout alive.
  package func companion<Companion: AnyObject>(_ make: () -> Companion) -> Companion {
    if let known = unsafe companion.load(ordering: .acquiring) {
      return unsafe unsafeDowncast(
        Unmanaged<AnyObject>.fromOpaque(known).takeUnretainedValue(), to: Companion.self)
    }
    let made = unsafe Unmanaged<AnyObject>.passRetained(make())
    let (isFirst, first) = unsafe companion.compareExchange(
      expected: nil, desired: UnsafeRawPointer(made.toOpaque()), ordering: .acquiringAndReleasing)
    if !isFirst { unsafe made.release() }
    let kept = unsafe isFirst ? made : Unmanaged<AnyObject>.fromOpaque(first.unsafelyUnwrapped)
    return unsafe unsafeDowncast(kept.takeUnretainedValue(), to: Companion.self)
  }

  /// The same in every run, as the order of a set of identifiers should be as far as that is in our
  /// hands.
  private static func hash(of name: String) -> Int {
    let bits = name.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01B3
    }
    return Int(truncatingIfNeeded: bits)
  }

  /// The ordinal of a property, or nil where the entity has no property of the name.
  package func ordinal(of name: String) -> Int? { ordinalsByName[name] }
}
