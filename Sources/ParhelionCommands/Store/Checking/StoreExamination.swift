import ManagedObjectModel
import ObjectRows
import SQLiteDriver
import SQLiteStore

/// The complete check of a store whose pages are intact.
enum StoreExamination {
  /// Runs every check that applies.
  ///
  /// - Parameter model: The model that wrote the store, if it is known.
  static func run(_ snapshot: StoreSnapshot, model: NSManagedObjectModel?) throws -> StoreFindings {
    let file = try snapshot.fileSchema()
    guard let model else { return try withoutModel(snapshot, file) }
    let layout = try snapshot.layout(of: model)
    guard layout.missing.isEmpty else { return try incomplete(snapshot, file, layout) }
    var check = FileCheck(snapshot, file: file, schema: layout.schema)
    var findings = try check.run()
    var modelCheck = ModelCheck(snapshot, model: model, layout: layout)
    findings.append(try modelCheck.run())
    return findings
  }

  private static func withoutModel(_ snapshot: StoreSnapshot, _ file: FileSchema) throws
    -> StoreFindings
  {
    var check = FileCheck(snapshot, file: file, schema: nil)
    _ = try check.run()
    try check.checkColumns()
    try check.checkPairs()
    try check.checkReferences()
    check.warn(
      "model",
      "\(try StoreCommands.reasonWithoutModel(snapshot)) Values were only checked against the types of their columns, and to-one relationships were not checked."
    )
    return check.findings
  }

  /// Checks a store with missing tables or columns, whose rows the model cannot read.
  private static func incomplete(
    _ snapshot: StoreSnapshot, _ file: FileSchema, _ layout: StoreLayout
  ) throws -> StoreFindings {
    var check = FileCheck(snapshot, file: file, schema: nil)
    check.note(layout.missing)
    _ = try check.run()
    check.warn(
      "model", "Values and relationships were not checked, because tables or columns are missing.")
    // A table that both the model and the file describe would be reported twice.
    var known: Set<StoreIssue> = []
    check.findings.issues.removeAll { !known.insert($0).inserted }
    return check.findings
  }
}
