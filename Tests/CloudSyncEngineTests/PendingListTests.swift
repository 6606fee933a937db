import CloudKitClient
import CloudSyncEngine
import Foundation
import Testing

/// A program's pending changes: which of several counts, and which remain after some were sent.
@Suite struct PendingListTests {
  private typealias List = PendingList<String>

  private func list(_ items: (List.Kind, String)...) -> List {
    var list = List()
    for (kind, name) in items { list.add(.init(kind, name)) }
    return list
  }

  private func text(_ list: List) -> String {
    list.items.map { ($0.kind == .save ? "+" : "-") + $0.name }.joined(separator: " ")
  }

  @Test func `Pending changes keep their order, each once, and the last one counts`() {
    #expect(text(list((.save, "a"), (.save, "b"), (.delete, "c"))) == "+a +b -c")
    #expect(text(list((.save, "a"), (.save, "b"), (.save, "a"))) == "+a +b")
    #expect(text(list((.save, "a"), (.save, "b"), (.delete, "a"))) == "+b -a")
    #expect(text(list((.delete, "a"), (.save, "b"), (.save, "a"))) == "+b +a")
  }

  @Test func `A pending change can be removed, but not by its opposite`() {
    var list = list((.save, "a"), (.save, "b"))
    list.remove(.init(.delete, "a"))
    list.remove(.init(.save, "b"))
    list.remove(.init(.save, "nobody"))
    #expect(text(list) == "+a" && list.count == 1)
  }

  @Test func `A change that is added again while it is sent stays`() {
    var list = list((.save, "a"), (.save, "b"), (.save, "c"))
    let sent = list.stamp
    list.add(.init(.save, "a"))
    list.add(.init(.delete, "b"))
    for name in ["a", "b", "c"] { list.settle(name, upTo: sent) }
    #expect(text(list) == "+a -b")
  }

  @Test func `Many added and completed changes leave the remaining ones`() {
    var list = List()
    for number in 0..<1_000 { list.add(.init(.save, "\(number)")) }
    let stamp = list.stamp
    for number in 0..<1_000 where number % 10 != 3 { list.settle("\(number)", upTo: stamp) }
    #expect(list.items.map(\.name) == (0..<100).map { "\($0 * 10 + 3)" })
    list.add(.init(.delete, "13"))
    #expect(list.count == 100 && list.items.last == .init(.delete, "13"))
    for item in list.items { list.remove(item) }
    #expect(list.isEmpty)
  }

  @Test func `A record that is saved and deleted in turn takes no more memory`() {
    var list = List()
    for _ in 0..<1_000 {
      list.add(.init(.save, "a"))
      list.add(.init(.delete, "a"))
    }
    let entries = Mirror(reflecting: list).children.first { $0.label == "entries" }?.value
    let count = entries.map { Mirror(reflecting: $0).children.count }
    #expect(text(list) == "-a" && count.map { $0 < 64 } == true)
  }
}
