import SQLiteDriver

/// The numbers of a model's names, used while a store is opened.
///
/// A number is assigned once and never reused. The table keeps numbers whose names are gone from
/// the model; a migration has set these names to NULL (`MirroredNames`).
struct NameTable {
  /// The kind of a name.
  ///
  /// The raw values are stored.
  enum Kind: Int64 {
    /// An entity. It has no owner.
    case entity
    /// A mirrored property of an entity, which is its owner. The number is a bit of a mask.
    case property
    /// A many-to-many relationship in one of its directions. The declaring entity is the owner.
    case relationship
  }

  private struct Name: Hashable {
    let kind: Kind
    let owner: Int64
    let text: String
  }

  /// Names that share one sequence of numbers.
  private struct Sequence: Hashable {
    let kind: Kind
    let owner: Int64

    init(_ kind: Kind, _ owner: Int64) {
      (self.kind, self.owner) = (kind, kind == .property ? owner : 0)
    }

    var first: Int64 { kind == .property ? 0 : 1 }
  }

  private let connection: Connection
  private var numbers: [Name: Int64] = [:]
  private var next: [Sequence: Int64] = [:]

  /// Reads the table.
  init(_ connection: Connection) throws(SQLiteError) {
    self.connection = connection
    for row in try connection.rows("SELECT kind, owner, number, name FROM PHM_NAME") {
      guard case .integer(let rawKind) = row[0], let kind = Kind(rawValue: rawKind),
        case .integer(let owner) = row[1], case .integer(let number) = row[2]
      else { continue }
      if case .text(let text) = row[3] {
        numbers[Name(kind: kind, owner: owner, text: text)] = number
      }
      let sequence = Sequence(kind, owner)
      next[sequence] = max(next[sequence] ?? sequence.first, number + 1)
    }
  }

  /// The number of a name; nil if it has none.
  func number(of text: String, _ kind: Kind, owner: Int64 = 0) -> Int64? {
    numbers[Name(kind: kind, owner: owner, text: text)]
  }

  /// Returns the number of a name, and assigns one if needed.
  ///
  /// - Parameter former: The former name, whose number is taken over if another program migrated
  ///   the store. Nil if something else in the model has that name.
  mutating func assignNumber(
    to text: String, _ kind: Kind, owner: Int64 = 0, formerly former: String? = nil
  ) throws(SQLiteError) -> Int64 {
    let name = Name(kind: kind, owner: owner, text: text)
    if let number = numbers[name] { return number }
    if let former,
      let number = numbers.removeValue(forKey: Name(kind: kind, owner: owner, text: former))
    {
      try connection.run(
        "UPDATE PHM_NAME SET name = ? WHERE kind = ? AND owner = ? AND number = ?",
        [.text(text), .integer(kind.rawValue), .integer(owner), .integer(number)])
      numbers[name] = number
      return number
    }
    let sequence = Sequence(kind, owner)
    let number = next[sequence] ?? sequence.first
    try connection.run(
      "INSERT INTO PHM_NAME(kind, owner, number, name) VALUES(?, ?, ?, ?)",
      [.integer(kind.rawValue), .integer(owner), .integer(number), .text(text)])
    numbers[name] = number
    next[sequence] = number + 1
    return number
  }
}
