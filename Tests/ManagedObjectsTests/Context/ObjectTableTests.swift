import ManagedObjects
import TestSupport
import Testing

/// An object with an address.
private final class Thing {}

private func address(_ thing: Thing) -> UnsafeMutableRawPointer {
  Unmanaged.passUnretained(thing).toOpaque()
}

@Suite struct ObjectTableTests {
  @Test(arguments: [1, 4, 1024, 65_536, -1, -4, Int64.max / 1000])
  func `Keys in any pattern are found until the table is emptied`(_ step: Int64) {
    let table = ObjectTable()
    let things = (0..<1000).map { _ in Thing() }
    for (index, thing) in things.enumerated() {
      table.set(address(thing), for: Int64(index + 1) * step)
    }
    #expect(table.count == 1000)
    for (index, thing) in things.enumerated() {
      #expect(table.object(Int64(index + 1) * step) == address(thing))
    }
    #expect(table.object(1001 &* step) == nil)
    table.removeAll()
    #expect(table.count == 0)
    #expect(table.object(step) == nil)
  }

  @Test func `A key is removed only with its current object`() {
    let table = ObjectTable()
    let (first, second) = (Thing(), Thing())
    table.set(address(first), for: 7)
    table.set(address(second), for: 7)
    table.remove(address(first), for: 7)
    #expect(table.object(7) == address(second))
    table.remove(address(second), for: 7)
    #expect(table.object(7) == nil)
    #expect(table.count == 0)
  }

  @Test(arguments: [1, 16, 4096])
  func `Neighbours are removed in any order, and the others are found`(_ step: Int64) {
    var generator = SeededGenerator.forTest()
    let things = (0..<500).map { _ in Thing() }
    let upwards = Array(things.indices)
    for order in [upwards, upwards.reversed(), upwards.shuffled(using: &generator)] {
      let table = ObjectTable()
      for round in 0..<3 {
        for index in upwards { table.set(address(things[index]), for: Int64(index) * step) }
        var gone: Set<Int> = []
        for index in order {
          table.remove(address(things[index]), for: Int64(index) * step)
          gone.insert(index)
          guard gone.count % 50 == 0 else { continue }
          let found = upwards.filter { table.object(Int64($0) * step) != nil }
          #expect(found == upwards.filter { !gone.contains($0) }, "round \(round), \(generator)")
        }
        #expect(table.count == 0)
      }
    }
  }

  @Test func `An object table behaves like a dictionary`() {
    var generator = SeededGenerator.forTest()
    let table = ObjectTable()
    let things = (0..<64).map { _ in Thing() }
    var model: [Int64: Int] = [:]
    for _ in 0..<20_000 {
      let key =
        Int64.random(in: -40...200, using: &generator) * (Bool.random(using: &generator) ? 1 : 4096)
      let index = Int.random(in: 0..<64, using: &generator)
      switch Int.random(in: 0..<5, using: &generator) {
      case 0...1:
        table.set(address(things[index]), for: key)
        model[key] = index
      case 2...3:
        let removed = model[key] ?? index
        table.remove(address(things[removed]), for: key)
        model[key] = nil
      default:
        table.reserve(Int.random(in: 0..<8, using: &generator))
      }
      #expect(table.count == model.count, "\(generator)")
      #expect(table.object(key) == model[key].map { address(things[$0]) }, "\(generator)")
    }
    var found: [Int64: Int] = [:]
    table.forEach { key, object in found[key] = things.firstIndex { address($0) == object } }
    #expect(found == model, "\(generator)")
  }
}
