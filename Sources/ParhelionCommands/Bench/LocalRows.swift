/// The rows of the local benchmarks: eight columns, as a store's table of a small entity has them.
///
/// The contents repeat after `variety` rows, so that making them is not part of what is measured.
struct LocalRows {
  static let variety = 1_000

  static let schema = """
    CREATE TABLE ZPOST(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR, ZNOTE VARCHAR,
      ZSCORE FLOAT, ZDATE TIMESTAMP, ZTOKEN BLOB)
    """
  static let insert = "INSERT INTO ZPOST VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
  static let select = "SELECT Z_PK, Z_ENT, Z_OPT, ZNAME, ZNOTE, ZSCORE, ZDATE, ZTOKEN FROM ZPOST"

  /// Twelve bytes each.
  let names = (0..<variety).map { "Post no. " + String(1_000 + $0).suffix(3) }
  /// Sixty bytes each.
  let notes = (0..<variety).map { index in
    String(String(repeating: "a note about the post with number \(index), ", count: 2).prefix(60))
  }
  /// Sixteen bytes each, as a UUID has.
  let tokens = (0..<variety).map { index in (0..<16).map { UInt8(truncatingIfNeeded: index &* 31 &+ $0 &* 7) } }
}
