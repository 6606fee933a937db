internal import SQLiteDriver

/// The tables of a store.
enum StoreSchema {
  /// The version that this code writes: that of the tables, and of the forms that values have.
  ///
  /// Who changes a form of values so that an earlier program cannot read it raises this, too; else
  /// that program would open the store, and fail wherever it meets the new form.
  static let version: Int64 = 10

  /// What `application_id` says: "PhRS".
  static let applicationID: Int64 = 0x5068_5253

  /// Chosen by measurement; a store keeps the size that it was created with.
  static let pageSize: Int64 = 4_096

  /// The tables as they have been since version 1.
  ///
  /// `entries` has a value up to `Limits.inlineBytes` as it is. A longer one is a row of
  /// `long_values`, which belongs to exactly one entry, and the entry has its number.
  static let creation = """
    CREATE TABLE entries(key BLOB PRIMARY KEY NOT NULL, value ANY NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE long_values(id INTEGER PRIMARY KEY, value BLOB NOT NULL) STRICT;
    """
}

extension SchemaHistory {
  /// The versions there have been.
  package static let current = SchemaHistory(
    applicationID: StoreSchema.applicationID, version: StoreSchema.version,
    create: { connection throws(SQLiteError) in try connection.execute(StoreSchema.creation) },
    upgrades: [
      // Zones are of form 3, accounts and rings of secrets of form 2. Earlier ones are read as they
      // are and become new ones when they are written next, so that a store of any size is upgraded
      // at once.
      1: { _ throws(SQLiteError) in },
      // Shares that people may ask to be let into have a form of their own.
      2: { _ throws(SQLiteError) in },
      // Clients' requests came, and the chore that forgets them, which an earlier program does not
      // know.
      3: { _ throws(SQLiteError) in },
      // Records with sealed fields are of form 3. A chore seals what lies readable in earlier ones,
      // in steps, while the server runs.
      4: { _ throws(SQLiteError) in },
      // Records and their marks say where shares ended that showed them, in forms 5 and 4, and
      // shares say since when their participants see by them. Of earlier ones nobody knows: a
      // record left a share with its last change, and participants have seen all along. A chore
      // looks once for records that belong to no share any more since a cascade of an earlier
      // program took their parents.
      5: { _ throws(SQLiteError) in },
      // Zones, tokens and bags of keys of restored stores go on in a history of their own, in form
      // 4 of zones; what is known of a database says how far deleted zones went. Of those that were
      // deleted before nobody knows. Clients' requests are of form 2, with fingerprints and with
      // numbers whose answers are forgotten. Subscriptions whose notifications have titles, or more
      // that came with these, are of form 2.
      6: { _ throws(SQLiteError) in },
      // Clients' requests are of form 3, which says of which numbers nobody knows whether they were
      // answered, and beside them lies when each client came last. The chore that forgot those of
      // earlier programs notes them.
      7: { _ throws(SQLiteError) in },
      // What is known of a database is of form 2, which counts its zones, and the marks of those
      // that were deleted lie in their order. Of earlier marks each is forgotten by a chore of its
      // own.
      8: { _ throws(SQLiteError) in },
      // Zones that a restoration found say in form 5 what it lost of them. Of earlier restorations
      // this is unknown. Sealed fields say whether they were written as `ENCRYPTED_BYTES`, and
      // users are indexed by address, which a chore does once.
      9: { _ throws(SQLiteError) in },
    ])
}
