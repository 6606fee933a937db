/// The content of a file after a power failure: all synced bytes, and none, some or all of later
/// writes.
struct FileImage {
  /// The unsynced writes that survive.
  enum WriteSurvival: Int, CaseIterable {
    case none, some, all
  }

  private enum Write {
    case bytes([UInt8], at: Int)
    case size(Int)
  }

  private var synced: [UInt8]
  private var pending: [Write] = []

  /// Creates an image whose bytes are all synced.
  init(_ bytes: [UInt8]) { synced = bytes }

  mutating func write(_ bytes: [UInt8], at place: Int) { pending.append(.bytes(bytes, at: place)) }

  mutating func resize(to size: Int) { pending.append(.size(size)) }

  mutating func sync() {
    for write in pending { Self.apply(write, to: &synced) }
    pending = []
  }

  /// The content of the file after a power failure.
  func settled(
    _ survival: WriteSurvival, using generator: inout some RandomNumberGenerator
  ) -> [UInt8] {
    var bytes = synced
    for write in pending {
      switch survival {
      case .none: break
      case .all: Self.apply(write, to: &bytes)
      case .some:
        if Bool.random(using: &generator) { Self.applyInPart(write, to: &bytes, using: &generator) }
      }
    }
    return bytes
  }

  /// The size of an atomic write.
  private static let sectorBytes = 512

  /// Applies a write completely in half of the cases, and otherwise some of its sectors.
  private static func applyInPart(
    _ write: Write, to bytes: inout [UInt8], using generator: inout some RandomNumberGenerator
  ) {
    guard case .bytes(let written, let place) = write, Bool.random(using: &generator) else {
      return apply(write, to: &bytes)
    }
    for start in stride(from: 0, to: written.count, by: sectorBytes)
    where Bool.random(using: &generator) {
      let sector = written[start..<min(start + sectorBytes, written.count)]
      apply(.bytes(Array(sector), at: place + start), to: &bytes)
    }
  }

  private static func apply(_ write: Write, to bytes: inout [UInt8]) {
    switch write {
    case .bytes(let written, let place):
      let end = place + written.count
      if bytes.count < end { resize(&bytes, to: end) }
      bytes.replaceSubrange(place..<end, with: written)
    case .size(let size): resize(&bytes, to: size)
    }
  }

  private static func resize(_ bytes: inout [UInt8], to size: Int) {
    if size < bytes.count {
      bytes.removeLast(bytes.count - size)
    } else {
      // Without optimization, appending a `repeatElement` is thousands of times slower.
      bytes += [UInt8](repeating: 0, count: size - bytes.count)
    }
  }
}
