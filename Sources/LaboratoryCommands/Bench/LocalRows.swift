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

  let posts = (0..<variety).map { LocalPost(number: $0) }
}
