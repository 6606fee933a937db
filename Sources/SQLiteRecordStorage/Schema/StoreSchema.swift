internal import SQLiteDriver

/// The tables of a store.
enum StoreSchema {
  /// The current version of the tables and of the encodings of values.
  ///
  /// Increase it with every change of an encoding that an earlier program cannot read. Otherwise
  /// that program would open the store, and fail when it reads the new encoding.
  static let version: Int64 = 1

  /// The `application_id` of stores: "PhRD".
  static let applicationID: Int64 = 0x5068_5244

  /// The page size of new stores, chosen by measurement.
  ///
  /// A store keeps the page size that it was created with.
  static let pageSize: Int64 = 4_096

  /// The statements that create the tables.
  ///
  /// `entries` stores a value of up to `Limits.inlineBytes` inline. A longer one is a row of
  /// `long_values` that belongs to exactly one entry, and the entry stores its number.
  static let creation = """
    CREATE TABLE entries(key BLOB PRIMARY KEY NOT NULL, value ANY NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE long_values(id INTEGER PRIMARY KEY, value BLOB NOT NULL) STRICT;
    """
}

extension SchemaHistory {
  /// The current version, which has no earlier ones to upgrade from.
  package static let current = SchemaHistory(
    applicationID: StoreSchema.applicationID, version: StoreSchema.version,
    create: { connection throws(SQLiteError) in try connection.execute(StoreSchema.creation) },
    upgrades: [:])
}
