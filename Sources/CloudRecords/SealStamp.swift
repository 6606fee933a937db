package import BinaryCoding

/// Names the save in which a device sealed a value, and orders it among those of the record.
package struct SealStamp: Hashable, Sendable {
  package static let nameByteCount = 16

  /// A random name of the save.
  package let name: [UInt8]
  /// Grows with each save of the record; 0 if the device did not know the version that it changed.
  package let order: Int64

  package init(name: [UInt8], order: Int64) {
    self.name = name
    self.order = order
  }

  package var isOrdered: Bool { order > 0 }

  /// Whether a value with this stamp may be shown beside a value whose device knew another one.
  package func mayFollow(_ known: SealStamp) -> Bool {
    !isOrdered || !known.isOrdered || order > known.order || self == known
  }
}

extension [String: SealStamp] {
  /// Adds a stamp, unless a later one is known.
  package mutating func note(_ stamp: SealStamp, of field: String) {
    if let known = self[field], known.order > stamp.order { return }
    self[field] = stamp
  }

  // MARK: Bytes

  package var bytes: [UInt8] {
    var form = BinaryWriter()
    form.stamps(self)
    return form.bytes
  }

  package init?(bytes: [UInt8]) {
    do throws(BinaryCodingError) {
      var form = BinaryReader(bytes)
      self = try form.stamps()
      try form.requireEnd()
    } catch {
      return nil
    }
  }
}

extension BinaryWriter {
  package mutating func stamp(_ stamp: SealStamp) {
    fixed(stamp.name)
    signed(stamp.order)
  }

  package mutating func stamps(_ stamps: [String: SealStamp]) {
    count(stamps.count)
    for (field, stamp) in stamps.sorted(by: { $0.key < $1.key }) {
      text(field)
      self.stamp(stamp)
    }
  }
}

extension BinaryReader {
  package mutating func stamp() throws(BinaryCodingError) -> SealStamp {
    SealStamp(name: try fixed(SealStamp.nameByteCount), order: try signed())
  }

  package mutating func stamps() throws(BinaryCodingError) -> [String: SealStamp] {
    var stamps: [String: SealStamp] = [:]
    for _ in 0..<(try count()) {
      let field = try text()
      stamps[field] = try stamp()
    }
    return stamps
  }
}
