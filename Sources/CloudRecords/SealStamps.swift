import BinaryCoding

/// The latest known save of a field.
package struct KnownSave: Hashable, Sendable {
  package let field: String
  package let stamp: SealStamp

  package init(field: String, stamp: SealStamp) { (self.field, self.stamp) = (field, stamp) }
}

/// The last known saves of a record's encrypted fields, sorted by field.
///
/// A record has few fields, so a sorted array is faster than a dictionary.
package struct SealStamps: Hashable, Sendable {
  package private(set) var saves: [KnownSave] = []

  package init() {}

  /// The stamps of fields that were saved together.
  ///
  /// - Parameter fields: The fields, which may repeat.
  package init(_ fields: [String], stamp: SealStamp) {
    saves.reserveCapacity(fields.count)
    for field in fields { self[field] = stamp }
  }

  package var count: Int { saves.count }
  package var isEmpty: Bool { saves.isEmpty }

  package mutating func reserveCapacity(_ count: Int) { saves.reserveCapacity(count) }

  package subscript(field: String) -> SealStamp? {
    get {
      let place = place(of: field)
      return place.isTaken ? saves[place.index].stamp : nil
    }
    set {
      let place = place(of: field)
      switch (newValue, place.isTaken) {
      case (let stamp?, true): saves[place.index] = KnownSave(field: field, stamp: stamp)
      case (let stamp?, false):
        saves.insert(KnownSave(field: field, stamp: stamp), at: place.index)
      case (nil, true): saves.remove(at: place.index)
      case (nil, false): break
      }
    }
  }

  private func place(of field: String) -> (index: Int, isTaken: Bool) {
    // Fields are mostly added in order.
    guard let last = saves.last, field <= last.field else { return (saves.count, false) }
    var (low, high) = (0, saves.count)
    while low < high {
      let middle = (low + high) / 2
      if saves[middle].field < field { low = middle + 1 } else { high = middle }
    }
    return (low, saves[low].field == field)
  }

  /// Adds a stamp, unless a later one is known.
  package mutating func record(_ stamp: SealStamp, of field: String) {
    let place = place(of: field)
    guard place.isTaken else {
      return saves.insert(KnownSave(field: field, stamp: stamp), at: place.index)
    }
    guard saves[place.index].stamp.order <= stamp.order else { return }
    saves[place.index] = KnownSave(field: field, stamp: stamp)
  }

  /// Replaces the stamps of the fields that `others` contains.
  package mutating func replace(by others: SealStamps) {
    for save in others { self[save.field] = save.stamp }
  }

  /// Returns the fields whose stamps in `shown` are older than the saves known here.
  ///
  /// Such a value belongs to another version of the record.
  package func fields(after shown: [KnownSave]) -> [String] {
    var fields: [String] = []
    for save in shown {
      if let known = self[save.field], !save.stamp.mayFollow(known) { fields.append(save.field) }
    }
    return fields
  }

  // MARK: Bytes

  package var bytes: [UInt8] {
    var form = BinaryWriter()
    form.count(saves.count)
    for save in saves {
      form.text(save.field)
      form.stamp(save.stamp)
    }
    return form.bytes
  }

  package init?(bytes: [UInt8]) {
    do throws(BinaryCodingError) {
      var form = BinaryReader(bytes)
      for _ in 0..<(try form.count()) {
        let field = try form.text()
        self[field] = try form.stamp()
      }
      try form.requireEnd()
    } catch {
      return nil
    }
  }
}

extension SealStamps: Sequence {
  package func makeIterator() -> IndexingIterator<[KnownSave]> { saves.makeIterator() }
}

extension SealStamps: ExpressibleByDictionaryLiteral {
  package init(dictionaryLiteral elements: (String, SealStamp)...) {
    for (field, stamp) in elements { self[field] = stamp }
  }
}
