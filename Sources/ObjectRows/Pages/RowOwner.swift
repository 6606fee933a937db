/// What keeps the memory of an object's row alive: a page, the private state of a changed object,
/// or, for an object whose values were not read yet, nothing but the layout.
open class RowOwner {
  @usableFromInline package final let layout: RowLayout
  /// The slots of the layout.
  @safe @usableFromInline package final let slotTable: SlotTable
  /// The store that the row comes from, where that is known: an object needs it when its context is
  /// gone.
  @safe @exclusivity(unchecked) package final var storeIdentity: StoreIdentity?

  package init(layout: RowLayout) {
    self.layout = layout
    slotTable = layout.slotTable
  }
}
