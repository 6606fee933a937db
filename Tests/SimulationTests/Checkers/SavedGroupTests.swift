import Simulation
import Testing

@Suite("Groups of objects from one save")
struct SavedGroupTests {
  @Test func `Keys identify a group and its size`() {
    let titles = [
      "Note-12n0of2": "x", "Note-12n1of2": "x", "Note-3n10of11": "y", "Note-4a": "z", "Note-7": "z",
    ]
    let groups = SavedGroup.all(in: titles)
    #expect(groups.map(\.name) == ["Note-12", "Note-3"])
    #expect(groups.map(\.count) == [2, 11])
    #expect(groups.map(\.isWhole) == [true, false])
  }

  @Test func `A group with titles from several saves is detected`() {
    let groups = SavedGroup.all(in: [
      "Note-1n0of2": "x", "Note-1n1of2": "y", "Note-2n0of2": "x", "Note-2n1of2": "x",
    ])
    #expect(groups.map(\.isAlike) == [false, true])
  }
}
