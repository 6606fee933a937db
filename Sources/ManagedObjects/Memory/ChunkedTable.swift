/// A table of elements by key, for keys that are assigned from 1 upward.
///
/// Keys are grouped in chunks, and a copy of the table shares all chunks that are not changed
/// afterwards. Readers use a copy and are isolated from writers. Empty chunks take no memory.
struct ChunkedTable<Element> {
  private struct Chunk {
    var elements = ContiguousArray<Element?>(repeating: nil, count: keysPerChunk)
    var count = 0
  }

  private var chunks: ContiguousArray<Chunk?> = []
  private(set) var count = 0

  subscript(key: Int64) -> Element? {
    get {
      let chunk = Int(key >> keyBits)
      guard chunk >= 0, chunk < chunks.count else { return nil }
      return chunks[chunk]?.elements[Int(key & keyMask)]
    }
    set {
      if newValue == nil { return remove(key) }
      let chunk = Int(key >> keyBits)
      while chunks.count <= chunk { chunks.append(nil) }
      if chunks[chunk] == nil { chunks[chunk] = Chunk() }
      change(key, by: newValue)
    }
  }

  /// Calls a closure with the keys and elements, in key order.
  func forEach<Failure>(_ body: (Int64, Element) throws(Failure) -> Void) throws(Failure) {
    for (number, chunk) in chunks.enumerated() {
      guard let chunk else { continue }
      for (index, element) in chunk.elements.enumerated() {
        if let element { try body(Int64(number) << keyBits | Int64(index), element) }
      }
    }
  }

  private mutating func remove(_ key: Int64) {
    guard self[key] != nil else { return }
    let chunk = Int(key >> keyBits)
    change(key, by: nil)
    if chunks[chunk]?.count == 0 { chunks[chunk] = nil }
  }

  private mutating func change(_ key: Int64, by element: Element?) {
    let (chunk, index) = (Int(key >> keyBits), Int(key & keyMask))
    let difference = (element == nil ? 0 : 1) - (self[key] == nil ? 0 : 1)
    chunks[chunk]?.elements[index] = element
    chunks[chunk]?.count += difference
    count += difference
  }
}

/// A chunk has 256 keys: copying it costs about as much as saving a few rows.
private let keyBits: Int64 = 8
private let keysPerChunk = 1 << 8
private let keyMask: Int64 = 0xFF
