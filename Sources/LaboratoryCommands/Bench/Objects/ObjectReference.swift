import CSQLiteReference
import Foundation

/// The workloads of the object graph in C, on a copy of a store.
@safe final class ObjectReference {
  private let database: OpaquePointer
  private let contents: LocalReference.Rows

  /// Opens a store through SQLite's C functions.
  ///
  /// - Parameter path: The path of a copy of a store, which nothing else has open.
  init(path: String, values: EntryValues) throws {
    guard let database = unsafe parhelion_objects_open(path) else {
      throw LocalReference.Failure(code: -1)
    }
    unsafe self.database = database
    contents = LocalReference.Rows(
      names: values.titles, notes: values.bodies,
      tokens: values.marks.map { mark in unsafe withUnsafeBytes(of: mark.uuid) { unsafe Array($0) }
      })
  }

  deinit { unsafe parhelion_reference_close(database) }

  func execute(_ sql: String) throws {
    try check(unsafe parhelion_reference_execute(database, sql))
  }

  func insertEntries(_ count: Int, withHistory: Bool = false) throws {
    if withHistory { try execute(Self.transaction) }
    try insert(Self.insertEntry, withHistory ? Self.change : nil, count, perParent: 0)
  }

  func insertFolders(_ count: Int) throws {
    try execute(
      "INSERT INTO ZFOLDER(Z_PK, Z_ENT, Z_OPT, ZNAME) WITH RECURSIVE n(k) AS "
        + "(SELECT 1 UNION ALL SELECT k + 1 FROM n LIMIT \(count)) SELECT k, 2, 1, 'Folder' FROM n")
  }

  func insertItems(_ count: Int, perFolder: Int) throws {
    try insert(Self.insertItem, nil, count, perParent: perFolder)
  }

  private func insert(_ sql: String, _ history: String?, _ count: Int, perParent: Int) throws {
    var values = unsafe parhelion_objects_values(
      titles: contents.names.baseAddress, bodies: contents.notes.baseAddress,
      marks: contents.tokens.baseAddress,
      variety: Int64(EntryValues.variety))
    try check(
      unsafe parhelion_objects_insert(
        database, sql, history, Int64(count), Int64(perParent), &values))
  }

  /// Runs a query once, or for each parameter below `lookups`; returns row count and checksum.
  func read(_ sql: String, lookups: Int = 0) throws -> (rows: Int64, sum: Int64) {
    var result: (rows: Int64, sum: Int64) = (0, 0)
    try check(
      unsafe parhelion_objects_read(database, sql, Int64(lookups), &result.rows, &result.sum))
    return result
  }

  func updateEntries(_ count: Int, version: Int64) throws {
    try check(unsafe parhelion_objects_update(database, Self.updateEntry, Int64(count), version))
  }

  func deleteEntries(_ count: Int) throws {
    try execute("BEGIN IMMEDIATE")
    try check(unsafe parhelion_objects_delete(database, Self.deleteEntry, Int64(count)))
    try execute("COMMIT")
  }

  func deleteFolders(_ folders: Int, items: Int) throws {
    try execute("BEGIN IMMEDIATE")
    try check(unsafe parhelion_objects_delete(database, Self.deleteItem, Int64(items)))
    try check(unsafe parhelion_objects_delete(database, Self.deleteFolder, Int64(folders)))
    try execute("COMMIT")
  }

  private func check(_ code: Int32) throws {
    guard code == 0 else { throw LocalReference.Failure(code: code) }
  }
}

extension ObjectReference {
  private static let columns = "ZFLAG, ZCOUNT, ZNUMBER, ZDATE, ZSCORE, ZBODY, ZTITLE, ZMARK"
  private static let insertEntry =
    "INSERT INTO ZENTRY(Z_PK, Z_ENT, Z_OPT, \(columns)) VALUES(?, 1, 1, ?, ?, ?, ?, ?, ?, ?, ?)"
  private static let insertItem =
    "INSERT INTO ZITEM(Z_PK, Z_ENT, Z_OPT, \(columns), ZFOLDER) VALUES(?, 3, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
  private static let transaction =
    "INSERT INTO ATRANSACTION(Z_ENT, ZTIMESTAMP, ZAUTHORTS) VALUES(16002, 0, NULL)"
  private static let change =
    "INSERT INTO ACHANGE(Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID) VALUES(?, 16001, 0, 1, ?, 1)"
  static let selectEntries = "SELECT Z_PK, Z_OPT, \(columns) FROM ZENTRY"
  static let selectByNumber = "SELECT Z_PK, Z_OPT, \(columns) FROM ZENTRY WHERE ZNUMBER = ?"
  /// Selects the row whose key is the parameter plus 1.
  static let selectByKey = "SELECT Z_PK, Z_OPT, \(columns) FROM ZENTRY WHERE Z_PK = ? + 1"
  /// Selects the items of the folder whose key is the parameter plus 1.
  static let selectByFolder =
    "SELECT Z_PK, Z_OPT, \(columns), ZFOLDER FROM ZITEM WHERE ZFOLDER = ? + 1"
  static let selectItems = "SELECT Z_PK, Z_OPT, \(columns), ZFOLDER FROM ZITEM ORDER BY ZFOLDER"
  private static let updateEntry =
    "UPDATE OR FAIL ZENTRY SET ZNUMBER = ?, Z_OPT = ? WHERE Z_PK = ? AND Z_OPT = ?"
  private static let deleteEntry = "DELETE FROM ZENTRY WHERE Z_PK = ? AND Z_OPT = ?"
  private static let deleteItem = "DELETE FROM ZITEM WHERE Z_PK = ? AND Z_OPT = ?"
  private static let deleteFolder = "DELETE FROM ZFOLDER WHERE Z_PK = ? AND Z_OPT = ?"
}
