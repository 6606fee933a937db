import Foundation
import ManagedObjects
import ObjectRows
import TestSupport
import Testing

@Suite(.tags(.threads)) struct `A row cache` {
  private let sample = ShelfModel()
  private let cache: RowCache

  init() {
    cache = RowCache(layouts: sample.layouts)
  }

  private func page(_ rows: [(key: Int64, version: Int64)], of entity: String = "Book") -> RowPage {
    let page = RowPage(layout: sample.layout(entity), capacity: max(1, rows.count))
    for row in rows { _ = page.appendRow(key: row.key, version: row.version) }
    return page
  }

  private func key(_ key: Int64, _ entity: String = "Book") -> RowKey {
    RowKey(key: key, layoutIndex: Int32(sample.layout(entity).index))
  }

  @Test func `A row is found as long as its page is retained`() {
    var held: RowPage? = page([(1, 1), (2, 1)])
    held.map { cache.register($0) }
    #expect(cache.row(for: key(2))?.row.key == 2)
    #expect(cache.row(for: key(3)) == nil)
    #expect(cache.pageCount == 1)
    held = nil
    #expect(cache.row(for: key(2)) == nil)
    #expect(cache.pageCount == 0)
  }

  @Test func `An unused page is released without a trace`() {
    for number in 0..<10 { cache.register(page([(Int64(number + 1), 1)])) }
    #expect(cache.pageCount == 0)
    #expect(cache.row(for: key(1)) == nil)
  }

  @Test func `The newer of two versions is found in any order of arrival`() {
    for versions: [Int64] in [[1, 2], [2, 1]] {
      let cache = RowCache(layouts: sample.layouts)
      let pages = versions.map { page([(1, $0)]) }
      for page in pages { cache.register(page) }
      #expect(cache.row(for: key(1))?.row.version == 2)
      withExtendedLifetime(pages) {}
    }
  }

  @Test func `An older version does not return when the newer one is released`() {
    let old = page([(1, 1)])
    cache.register(old)
    var new: RowPage? = page([(1, 2)])
    new.map { cache.register($0) }
    #expect(cache.row(for: key(1))?.row.version == 2)
    new = nil
    #expect(cache.row(for: key(1)) == nil)
    withExtendedLifetime(old) {}
  }

  @Test func `Entities of one root share their keys, others do not`() {
    let (novel, tag) = (page([(1, 1)], of: "Novel"), page([(1, 5)], of: "Tag"))
    cache.register(novel)
    cache.register(tag)
    #expect(cache.row(for: key(1, "Book"))?.page === novel)
    #expect(cache.row(for: key(1, "Tag"))?.row.version == 5)
    #expect(cache.row(for: key(1, "Author")) == nil)
  }

  @Test func `Pages that were read before a save are not recorded after it`() {
    let moment = cache.moment
    let read = page([(1, 1)])
    cache.removeAll()
    cache.register([read], readAt: moment)
    #expect(cache.row(for: key(1)) == nil)
    cache.register([read], readAt: cache.moment)
    #expect(cache.row(for: key(1)) != nil)
  }

  @Test(arguments: 0..<40) func `The cache never returns a row that a save made stale`(round: Int) {
    var generator = SeededGenerator(seed: SeededGenerator.forTest().seed &+ UInt64(round))
    let cache = RowCache(layouts: sample.layouts)
    var versions = Dictionary(uniqueKeysWithValues: (1...30).map { (Int64($0), Int64(1)) })
    var pages: [RowPage] = []
    var late: (page: RowPage, moment: Int)?
    for _ in 0..<120 {
      let wanted = Int64.random(in: 1...30, using: &generator)
      switch Int.random(in: 0..<10, using: &generator) {
      case 0..<3:
        let keys = (0..<8).map { _ in Int64.random(in: 1...30, using: &generator) }
        let read = page(Set(keys).sorted().map { (key: $0, version: versions[$0] ?? 0) })
        if Bool.random(using: &generator) {
          cache.register([read], readAt: cache.moment)
          pages.append(read)
        } else {
          late = (read, cache.moment)
        }
      case 3:
        // A fetch that was running during saves of others.
        if let late {
          cache.register([late.page], readAt: late.moment)
          pages.append(late.page)
        }
        late = nil
      case 4: save(wanted, &versions, cache).map { pages.append($0) }
      case 5, 6:
        if !pages.isEmpty { pages.remove(at: Int.random(in: 0..<pages.count, using: &generator)) }
      default:
        if let found = cache.row(for: key(wanted)) {
          #expect(found.row.version == versions[wanted], "\(generator)")
        }
      }
    }
    withExtendedLifetime(pages) {}
  }

  /// Saves a row.
  ///
  /// Returns the page with its new version if the save records it.
  private func save(_ key: Int64, _ versions: inout [Int64: Int64], _ cache: RowCache) -> RowPage? {
    let former = versions[key] ?? 0
    versions[key] = former + 1
    let saved = page([(key, former + 1)])
    var changes = StoreChanges(
      transaction: TransactionDescription(
        author: nil, contextName: nil, bundleID: "", processID: "", date: Date()))
    changes.updated = [
      RowChange(
        layout: saved.layout, row: saved.row(at: 0), changed: OrdinalSet(), expectedVersion: former)
    ]
    cache.outdate(changes, StoreSaveReceipt())
    if key % 3 == 0 { return nil }
    cache.register(saved)
    return saved
  }

  @Test func `Threads record, look up and release pages concurrently`() async {
    let cache = cache
    let sample = sample
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<4 {
        group.addTask {
          for round in 0..<300 {
            let layout = sample.layout("Book")
            let page = RowPage(layout: layout, capacity: 8)
            for number in 0..<8 {
              _ = page.appendRow(key: Int64(number + task + 1), version: Int64(round))
            }
            cache.register(page)
            let found = cache.row(
              for: RowKey(key: Int64(task + 3), layoutIndex: Int32(layout.index)))
            #expect(found.map { $0.row.key == Int64(task + 3) } ?? true)
          }
        }
      }
    }
    #expect(cache.pageCount == 0)
  }
}
