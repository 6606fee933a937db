import Simulation
import Testing

@Suite("The order of contributions")
struct ContributionOrderTests {
  private func contribution(
    _ key: String, after parent: String? = nil, by author: String = "a", at date: Int64 = 0
  )
    -> Contribution
  {
    Contribution(key: key, parent: parent, author: author, date: date)
  }

  @Test func `By date, contributions of one moment are ordered by device, then by key`() {
    let all = [
      contribution("4", by: "b", at: 2), contribution("2", by: "b", at: 1),
      contribution("3", by: "a", at: 2),
      contribution("1", by: "b", at: 1),
    ]
    #expect(ContributionOrder(all).byDate == ["1", "2", "3", "4"])
    #expect(ContributionOrder(all.reversed()) == ContributionOrder(all))
  }

  @Test func `In the tree, each contribution precedes its followers, siblings by date`() {
    let all = [
      contribution("root", at: 1), contribution("late", after: "root", at: 9),
      contribution("soon", after: "root", at: 2),
      contribution("reply", after: "soon", at: 20), contribution("other", at: 5),
    ]
    #expect(ContributionOrder(all).byTree == ["root", "soon", "reply", "late", "other"])
    #expect(ContributionOrder(all).byDate == ["root", "soon", "other", "late", "reply"])
  }

  @Test func `A contribution never precedes its parent, whatever the clock says`() {
    let order = ContributionOrder([
      contribution("child", after: "parent", at: 1), contribution("parent", at: 5),
    ])
    #expect(order.byTree == ["parent", "child"])
    #expect(order.byDate == ["child", "parent"])
  }

  @Test func `Contributions in a cycle are reported and left out of the tree`() {
    let all = [
      contribution("1", after: "2"), contribution("2", after: "1"), contribution("3", after: "1"),
      contribution("4", after: "4"), contribution("5"),
    ]
    #expect(ContributionOrder(all).cyclic == ["1", "2", "3", "4"])
    #expect(ContributionOrder(all).byTree == ["5"])
  }

  @Test func `A contribution with a missing parent becomes a root and is reported`() {
    let order = ContributionOrder([contribution("1", after: "0"), contribution("2", after: "1")])
    #expect(order.orphans == ["1"])
    #expect(order.byTree == ["1", "2"])
  }

  @Test func `An existing order survives insertions`() {
    let former = [
      contribution("1", at: 1), contribution("2", after: "1", at: 5), contribution("3", at: 9),
    ]
    let more = [
      contribution("4", after: "1", at: 2), contribution("5", after: "4", at: 30),
      contribution("6", at: 4),
    ]
    let (before, now) = (ContributionOrder(former), ContributionOrder(former + more))
    #expect(now.byTree == ["1", "4", "5", "2", "6", "3"])
    #expect(now.changed(since: before) == nil)
  }

  @Test func `A parent that arrives late changes the order of its followers`() {
    let before = ContributionOrder([contribution("1", at: 5), contribution("2", after: "0", at: 3)])
    let now = ContributionOrder([
      contribution("1", at: 5), contribution("2", after: "0", at: 3), contribution("0", at: 9),
    ])
    #expect(before.byTree == ["2", "1"])
    #expect(now.changed(since: before).map { [$0, $1] } == ["2", "1"])
  }
}
