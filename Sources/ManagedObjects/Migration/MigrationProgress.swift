/// The progress of a migration: passes over the mappings, and objects within each.
struct MigrationProgress {
  /// The passes over all entity mappings.
  enum Pass: Int, CaseIterable {
    case objects, relationships, validation
  }

  let mappings: Int

  /// The completed fraction when some of a mapping's objects are done in a pass.
  func fraction(_ pass: Pass, mapping: Int, done: Int, of count: Int) -> Float {
    let steps = mappings * Pass.allCases.count
    guard steps > 0 else { return 1 }
    let completed = Double(pass.rawValue * mappings + mapping)
    let current = count == 0 ? 0 : Double(done) / Double(count)
    // The save at the end completes the migration.
    return Float(min(0.99, (completed + current) / Double(steps)))
  }
}
