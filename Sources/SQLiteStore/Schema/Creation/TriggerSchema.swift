/// A trigger of a store.
package struct TriggerSchema: Sendable {
  package let name: String
  /// The table that fires it.
  package let table: String
  /// The event: `INSERT`, `DELETE`, or `UPDATE OF` columns.
  let event: String
  var condition: String?
  /// Its statements, each terminated by a semicolon.
  let body: String

  /// The statement that creates the trigger.
  package var definition: String {
    let when = condition.map { " WHEN (\($0))" } ?? ""
    return "CREATE TRIGGER \(name) AFTER \(event) ON \(table) FOR EACH ROW\(when) BEGIN \(body) END"
  }
}
