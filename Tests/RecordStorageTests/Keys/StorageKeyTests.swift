import RecordStorage
import TestSupport
import Testing

@Suite struct `Storage keys` {
  @Test func `Keys are encoded to the expected bytes`() {
    var key = StorageKey(partition: "o", keyspace: 7)
    key.append(unsigned: 0x0102)
    key.append(signed: -1)
    key.append(text: "a\u{0}b\u{1}")
    key.append(bytes: [0xFF])
    key.append(double: 1)
    let expected: [UInt8] =
      [0x6F, 0, 7, 0, 0, 0, 0, 0, 0, 1, 2, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]
      + [0x61, 1, 1, 0x62, 1, 2, 0, 0xFF, 0, 0xBF, 0xF0, 0, 0, 0, 0, 0, 0]
    #expect(key.bytes == expected)
    #expect(key.description.hasPrefix("6f000700"))
  }

  @Test func `Keys are decoded to their values`() throws {
    var random = SeededGenerator.forTest()
    for _ in 0..<500 {
      let tuple = RandomTuple(kinds: RandomTuple.randomKinds(using: &random), using: &random)
      var reader = StorageKeyReader()
      let key = tuple.key.bytes.span
      #expect(try reader.text(in: key) == tuple.partition, "\(random)")
      #expect(try reader.keyspace(in: key) == 3, "\(random)")
      for component in tuple.components {
        #expect(try component.read(from: key, &reader) == component, "\(random)")
      }
      let isAtEnd = reader.isAtEnd(of: key)
      #expect(isAtEnd, "\(random)")
    }
  }

  @Test func `Keys are ordered like their tuples`() {
    var random = SeededGenerator.forTest()
    for _ in 0..<3_000 {
      let kinds = RandomTuple.randomKinds(using: &random)
      let (one, other) = (
        RandomTuple(kinds: kinds, using: &random), RandomTuple(kinds: kinds, using: &random)
      )
      #expect((one.key < other.key) == one.precedes(other), "\(random): \(one) and \(other)")
      #expect((one.key == other.key) == (one == other), "\(random): \(one) and \(other)")
    }
  }

  @Test func `Exactly the keys with the same beginning share a prefix`() {
    var random = SeededGenerator.forTest()
    for _ in 0..<2_000 {
      let kinds = RandomTuple.randomKinds(using: &random)
      let (one, other) = (
        RandomTuple(kinds: kinds, using: &random), RandomTuple(kinds: kinds, using: &random)
      )
      let count = Int.random(in: 0...kinds.count, using: &random)
      let beginsAlike =
        one.partition == other.partition
        && one.components.prefix(count) == other.components.prefix(count)
      let range = StorageRange(prefix: one.beginning(count).key)
      #expect(
        range.contains(other.key) == beginsAlike, "\(random): \(one) and \(other) to \(count)")
    }
  }

  @Test(
    arguments: [[], [0x61], [0x61, 0, 3, 1], [0x61, 0, 3, 1, 3, 0], [0xC3, 0x28, 0]] as [[UInt8]])
  func `Damaged keys are reported`(bytes: [UInt8]) {
    var reader = StorageKeyReader()
    let error = #expect(throws: StorageError.self) {
      _ = try reader.text(in: bytes.span)
      _ = try reader.keyspace(in: bytes.span)
      _ = try reader.text(in: bytes.span)
    }
    #expect(error?.code == .damaged)
  }

  @Test func `Keys too short for a number are reported as damaged`() {
    var reader = StorageKeyReader(after: StorageKey(bytes: [1]))
    let error = #expect(throws: StorageError.self) {
      try reader.unsigned(in: ([1, 2, 3, 4, 5, 6, 7, 8] as [UInt8]).span)
    }
    #expect(error?.code == .damaged)
  }
}

@Suite struct `Storage ranges` {
  @Test func `A prefix's range ends where its last incrementable byte is incremented`() {
    #expect(StorageRange(prefix: StorageKey(bytes: [1, 2])).upper == StorageKey(bytes: [1, 3]))
    #expect(
      StorageRange(prefix: StorageKey(bytes: [1, 0xFF, 0xFF])).upper == StorageKey(bytes: [2]))
    #expect(StorageRange(prefix: StorageKey(bytes: [0xFF])).upper == nil)
    #expect(StorageRange(prefix: StorageKey(bytes: [])) == .all)
  }

  @Test func `A range continues after a key, but never before its prefix`() {
    let prefix = StorageKey(bytes: [5])
    #expect(
      StorageRange(prefix: prefix, after: StorageKey(bytes: [5, 1])).lower
        == StorageKey(bytes: [5, 1, 0]))
    #expect(StorageRange(prefix: prefix, after: StorageKey(bytes: [4])).lower == prefix)
  }

  @Test func `A range is empty unless its lower key precedes its upper one`() {
    let (one, two) = (StorageKey(bytes: [1]), StorageKey(bytes: [2]))
    #expect(!StorageRange(from: one, to: two).isEmpty)
    #expect(!StorageRange(from: two, to: nil).isEmpty)
    #expect(StorageRange(from: one, to: one).isEmpty)
    #expect(StorageRange(from: two, to: one).isEmpty)
  }
}
