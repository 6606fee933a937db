/// The rows of the local benchmarks: eight columns, like a store's table of a small entity.
///
/// The content repeats after `variety` rows, so that creating it is not part of the measurement.
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
