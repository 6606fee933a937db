import MirrorModel
import TestSupport
import Testing

@Suite("Member orders")
struct MemberOrderTests {
  @Test func `Members follow the list, and the others come last by name`() {
    #expect(
      MemberOrder.arrange(["D", "C", "A", "B"], by: ["B", "X", "A", "B"]) == ["B", "A", "C", "D"])
    #expect(MemberOrder.arrange([], by: ["A"]) == [])
  }

  @Test(
    "Members that only the server names stay after their predecessor there",
    arguments: [
      ([], [], []), (["A"], [], ["A"]), ([], ["A", "B"], ["A", "B"]),
      (["A", "B"], ["S", "A", "T", "B", "U"], ["S", "A", "T", "B", "U"]),
      (["B", "A"], ["A", "S", "B", "T"], ["B", "T", "A", "S"]),
      (["A"], ["S", "S", "A"], ["S", "A"]),
    ])
  func merging(local: [String], server: [String], merged: [String]) {
    #expect(MemberOrder.merge(local: local, server: server) == merged)
  }

  @Test func `A merged order has the members of both once, and local ones in local order`() {
    var random = SeededGenerator.forTest()
    let names = "ABCDEFGH".map(String.init)
    for _ in 0..<500 {
      let local = Array(
        names.shuffled(using: &random).prefix(Int.random(in: 0...8, using: &random)))
      let server = Array(
        names.shuffled(using: &random).prefix(Int.random(in: 0...8, using: &random)))
      let merged = MemberOrder.merge(local: local, server: server)
      #expect(merged.sorted() == Set(local + server).sorted(), "\(random)")
      #expect(
        MemberOrder.agree(merged, local) && merged.filter(local.contains) == local, "\(random)")
      #expect(MemberOrder.merge(local: merged, server: server) == merged, "\(random)")
    }
  }
}
