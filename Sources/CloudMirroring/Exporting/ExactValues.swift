import MirrorModel
import Synchronization

/// The fields for exact values that the cloud's schema lacks.
///
/// They have the text of values that Apple's fields cannot hold. A production schema may lack such
/// fields: records are then sent without them, until rejected records are retried.
final class ExactValues: Sendable {
  private let lacking = Mutex<[String: Set<String>]>([:])

  /// The fields that are left out of records, by record type.
  var leftOut: [String: Set<String>] { lacking.withLock(\.self) }

  /// Leaves out missing fields from now on if records were rejected because of them.
  ///
  /// - Returns: The other rejections, and the fields that are now left out.
  func leaveOut(
    for refused: [(entry: OutboxEntry, failure: MirrorError)]
  ) -> (others: [(entry: OutboxEntry, failure: MirrorError)], fields: [String]) {
    var fields: [String] = []
    let others = refused.filter { _, error in
      guard error.kind == .schemaNotDeployed, let type = error.recordType, let field = error.field,
        MirrorNames.isExact(field)
      else { return true }
      if lacking.withLock({ $0[type, default: []].insert(field).inserted }) {
        fields.append("\(type).\(field)")
      }
      return false
    }
    return (others, fields)
  }

  /// Retries all fields, because the schema may have them now.
  func tryAgain() { lacking.withLock { $0 = [:] } }
}
