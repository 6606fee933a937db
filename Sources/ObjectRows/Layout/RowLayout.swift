package import ManagedObjectModel
import Synchronization

// Sendable: immutable after its initializer.
/// The memory layout of an entity's rows.
///
/// ```
/// 0       8          16                              nullBitmap
/// | key   | version  | slots, widest alignment first | one bit for each slot |
/// ```
///
/// A property's ordinal is its index among the properties of the root entity, sorted by name,
/// followed by those of each descendant down to the entity. An inherited property has the same
/// ordinal in every subentity.
@safe
public final class RowLayout: @unchecked Sendable {
  package static let headerBytes = 16

  package let entity: NSEntityDescription
  /// The index of the layout in the model.
  package let index: Int
  /// The layout index of the root entity.
  ///
  /// Keys are unique among all rows with the same root.
  package let rootIndex: Int

  /// A hash of the root entity's name, which is equal in all models.
  let rootNameHash: Int

  /// The name of the root entity.
  package var rootName: String { entity.lineage.last?.name ?? "" }

  /// The properties, by ordinal.
  package let properties: [NSPropertyDescription]
  /// The kinds of the properties' members, by ordinal.
  package let memberKinds: [MemberKind]
  /// The slots, by ordinal.
  package let slots: [RowSlot]

  /// The size of a row in bytes.
  @usableFromInline package let stride: Int
  @usableFromInline package let slotCount: Int
  /// The slots, without the cost of an array.
  @safe @usableFromInline package let slotTable: SlotTable
  /// The slots that hold references, without the cost of an array.
  let references: SlotTable
  let referenceCount: Int

  private let ordinalsByName: [String: Int]

  /// A row without values, for objects whose values were not loaded.
  package let emptyRow: RowReference

  /// An object that a higher layer keeps with the layout.
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
    // The companion is released first, because it may have rows of this layout.
    if let companion = unsafe companion.load(ordering: .acquiring) {
      unsafe Unmanaged<AnyObject>.fromOpaque(companion).release()
    }
    unsafe emptyRow.start.deallocate()
    slotTable.deallocate()
    references.deallocate()
  }

  /// The object that a higher layer keeps with the layout, created on first use.
  ///
  /// If two threads create it at once, one of the two is kept. It must not retain the layout.
  package func companion<Companion: AnyObject>(_ make: () -> Companion) -> Companion {
    if let known = unsafe companion.load(ordering: .acquiring) {
      return unsafe unsafeDowncast(
        Unmanaged<AnyObject>.fromOpaque(known).takeUnretainedValue(), to: Companion.self)
    }
    let created = unsafe Unmanaged<AnyObject>.passRetained(make())
    let (isFirst, first) = unsafe companion.compareExchange(
      expected: nil, desired: UnsafeRawPointer(created.toOpaque()), ordering: .acquiringAndReleasing
    )
    if !isFirst { unsafe created.release() }
    let kept = unsafe isFirst ? created : Unmanaged<AnyObject>.fromOpaque(first.unsafelyUnwrapped)
    return unsafe unsafeDowncast(kept.takeUnretainedValue(), to: Companion.self)
  }

  /// Returns a hash that is the same in every run, so that the order of sets of identifiers is as
  /// repeatable as possible.
  private static func hash(of name: String) -> Int {
    let bits = name.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01B3
    }
    return Int(truncatingIfNeeded: bits)
  }

  /// The ordinal of a property, or nil if the entity has no property with the name.
  package func ordinal(of name: String) -> Int? { ordinalsByName[name] }
}
