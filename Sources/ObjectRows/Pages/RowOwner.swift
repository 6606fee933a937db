/// The owner of a row's memory: a page, the private state of a changed object, or a placeholder
/// with only the layout.
open class RowOwner {
  @usableFromInline package final let layout: RowLayout
  /// The slots of the layout.
  @safe @usableFromInline package final let slotTable: SlotTable
  /// The store of the row, if it is known.
  ///
  /// An object needs it after its context is gone.
  @safe @exclusivity(unchecked) package final var storeIdentity: StoreIdentity?

  package init(layout: RowLayout) {
    self.layout = layout
    slotTable = layout.slotTable
  }
}
