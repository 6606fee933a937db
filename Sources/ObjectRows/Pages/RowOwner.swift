/// What keeps the memory of an object's row alive: a page, the private state of a changed object, or, for an object
/// whose values were not read yet, nothing but the layout.
open class RowOwner {
  @usableFromInline package final let layout: RowLayout

  package init(layout: RowLayout) { self.layout = layout }
}
