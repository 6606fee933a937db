/// A trigger of a store.
package struct TriggerSchema: Sendable {
  package let name: String
  /// The table whose changes run it.
  package let table: String
  /// What runs it: `INSERT`, `DELETE`, or `UPDATE OF` columns.
  let event: String
  var condition: String?
  /// Its statements, each with a semicolon at its end.
  let body: String

  /// The statement that creates the trigger.
  package var definition: String {
    let when = condition.map { " WHEN (\($0))" } ?? ""
    return "CREATE TRIGGER \(name) AFTER \(event) ON \(table) FOR EACH ROW\(when) BEGIN \(body) END"
  }
}
