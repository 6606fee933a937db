import ObjectRows
import SQLiteDriver

/// Properties of an entity as bits, which keep their meaning if the model changes.
///
/// `LedgerNames` assigns the bits. All properties from `LedgerLimits.properties - 1` on share the
/// last bit.
struct PropertyMask: Hashable {
  package var words: (Int64, Int64, Int64, Int64) = (0, 0, 0, 0)

  package static let all: PropertyMask = {
    var mask = PropertyMask()
    mask.words = (-1, -1, -1, -1)
    return mask
  }()

  package mutating func insert(_ bit: Int) {
    let bit = min(bit, LedgerLimits.properties - 1)
    let flag = Int64(bitPattern: 1 << UInt64(bit % 64))
    switch bit / 64 {
    case 0: words.0 |= flag
    case 1: words.1 |= flag
    case 2: words.2 |= flag
    default: words.3 |= flag
    }
  }

  package func contains(_ bit: Int) -> Bool {
    let bit = min(bit, LedgerLimits.properties - 1)
    let flag = Int64(bitPattern: 1 << UInt64(bit % 64))
    return switch bit / 64 {
    case 0: words.0 & flag != 0
    case 1: words.1 & flag != 0
    case 2: words.2 & flag != 0
    default: words.3 & flag != 0
    }
  }

  package func union(_ other: PropertyMask) -> PropertyMask {
    var mask = self
    mask.words = (
      words.0 | other.words.0, words.1 | other.words.1, words.2 | other.words.2,
      words.3 | other.words.3
    )
    return mask
  }

  static func == (one: PropertyMask, other: PropertyMask) -> Bool { one.words == other.words }

  package func hash(into hasher: inout Hasher) {
    for word in [words.0, words.1, words.2, words.3] { hasher.combine(word) }
  }
}

extension PropertyMask {
  /// Reads the mask from four columns of a row.
  init(_ row: borrowing Row, at column: Int) {
    words = (
      row.int64(at: column), row.int64(at: column + 1), row.int64(at: column + 2),
      row.int64(at: column + 3)
    )
  }
}

extension Statement {
  /// Binds a mask to four parameters.
  mutating func bind(_ mask: PropertyMask, at parameter: Int) throws(SQLiteError) {
    try bind(mask.words.0, at: parameter)
    try bind(mask.words.1, at: parameter + 1)
    try bind(mask.words.2, at: parameter + 2)
    try bind(mask.words.3, at: parameter + 3)
  }
}
