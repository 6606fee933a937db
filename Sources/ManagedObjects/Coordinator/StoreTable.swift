import Foundation
package import ObjectRows

/// The stores of a coordinator, in the order in which they were added.
///
/// The number of a removed store is not reused.
package struct StoreTable {
  private struct Entry {
    let open: OpenStore
    let store: NSPersistentStore
  }

  private var entries: [Entry?] = []
  /// The open stores, without gaps.
  private(set) var openStores: [OpenStore] = []
  /// The numbers of the stores that persist an entity, by layout index.
  private var numbersByLayout: [[UInt16]] = []

  /// The number of stores that were added, including removed ones.
  var addedCount: Int { entries.count }

  /// The number of the next store that is added.
  ///
  /// - Throws: An error if all numbers are used.
  package static func number(afterStores count: Int) throws(StoreError) -> UInt16 {
    if let number = UInt16(exactly: count), number != NSManagedObject.noStore { return number }
    throw StoreError(
      .cannotOpen,
      "The store cannot be added: \(count) stores were added to the coordinator before. That is "
        + "the maximum, because numbers of removed stores are not reused. Create another "
        + "coordinator.")
  }

  var persistentStores: [NSPersistentStore] { entries.compactMap { $0?.store } }

  subscript(number: UInt16) -> OpenStore? {
    Int(number) < entries.count ? entries[Int(number)]?.open : nil
  }

  /// The numbers of the stores that persist an entity, in the order in which they were added.
  func numbers(keeping layout: RowLayout) -> [UInt16] {
    layout.index < numbersByLayout.count ? numbersByLayout[layout.index] : []
  }

  func persistentStore(at url: URL) -> NSPersistentStore? {
    let place = StorePlace(url)
    return persistentStores.first { $0.url.map(StorePlace.init) == place }
  }

  mutating func add(_ open: OpenStore, _ store: NSPersistentStore) {
    entries.append(Entry(open: open, store: store))
    refresh()
  }

  /// Removes a store, and returns whether it was present.
  mutating func remove(_ store: NSPersistentStore) -> Bool {
    guard let number = entries.firstIndex(where: { $0?.store === store }) else { return false }
    entries[number] = nil
    refresh()
    return true
  }

  private mutating func refresh() {
    openStores = entries.compactMap { $0?.open }
    let layouts = openStores.first?.rowStore.layouts.layouts ?? []
    numbersByLayout = layouts.map { layout in openStores.filter { $0.keeps(layout) }.map(\.number) }
  }
}

/// A store's URL, normalized for comparison.
struct StorePlace: Hashable {
  private let text: String

  init(_ url: URL) {
    text =
      url.isFileURL ? url.standardizedFileURL.resolvingSymlinksInPath().path : url.absoluteString
  }
}
