import Synchronization

/// Whether records are sent with exact values.
///
/// The schema of a production environment may have no fields for them. Then records are sent
/// without, until the schema changes or the program starts again.
final class ExactValues: Sendable {
  private let isLeftOut = Atomic(false)

  var areSent: Bool { !isLeftOut.load(ordering: .relaxed) }

  /// Takes the refusals of records for want of such a field as a reason to send them without it.
  ///
  /// - Returns: The other refusals.
  func leaveOut(
    for refused: [(entry: OutboxEntry, fault: MirrorFault)]
  ) -> [(entry: OutboxEntry, fault: MirrorFault)] {
    refused.filter { _, fault in
      guard fault.kind == .schemaNotDeployed, let field = fault.field, MirrorNames.isExact(field)
      else { return true }
      isLeftOut.store(true, ordering: .relaxed)
      return false
    }
  }

  /// The schema may have the fields now.
  func tryAgain() { isLeftOut.store(false, ordering: .relaxed) }
}
