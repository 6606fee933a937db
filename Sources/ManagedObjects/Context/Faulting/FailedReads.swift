import ManagedObjectModel
import ObjectRows

/// The reads of a context that an incremental store failed to answer.
///
/// An accessor cannot throw. The values are nil, and the object stays a fault that is read again at
/// the next access. A save reads what its changes need, or fails with the store's error.
struct FailedReads {
  /// The last failure since the current save began.
  var failure: (any Error)?
  /// Whether objects may have been changed while their values could not be read.
  var mayHaveUnreadChanges = false
  /// Whether delete rules could not be applied to deleted objects of earlier events.
  var hasStoppedDeletions = false
}

extension NSManagedObject {
  /// Whether the object was changed while its values could not be read.
  ///
  /// Its private row contains only the changes, and the object is still a fault.
  final var isUnread: Bool {
    guard flags.contains(.fault), let state else { return false }
    return state.ownsRow && state.committed == nil
  }
}

extension NSManagedObjectContext {
  /// Records that an accessor could not read values of a store.
  ///
  /// If the store is not an incremental store, the program stops.
  func recordFailedRead(
    _ subject: @autoclosure () -> String, of storeNumber: UInt16, _ error: any Error
  ) {
    guard source?.fetchesFaults(in: [storeNumber]) == true else {
      preconditionFailure("\(subject()) cannot be read. \(error)")
    }
    reads.failure = error
    LogLine.warn("\(subject()) cannot be read now, and counts as missing. \(error)")
  }

  /// Throws the last error of an accessor that could not read values.
  func requireSuccessfulReads() throws {
    if let failure = reads.failure { throw failure }
  }

  /// Reads the values of objects that were changed or locked while the store failed.
  func readUnreadObjects() throws {
    for object in locked.objects where object.isFault && !object.hasRow && object.context === self {
      _ = try loadRow(of: object)
    }
    guard reads.mayHaveUnreadChanges else { return }
    for object in changes.objects where object.isUnread { try readUnread(object) }
    reads.mayHaveUnreadChanges = false
  }

  /// Reads the row of an unread object, and moves the changes to it.
  func readUnread(_ object: NSManagedObject) throws {
    guard let source else { return }
    let found = try throwingPublicErrors {
      try inStepWithParent {
        try source.rows(withKeys: [object.key], layout: object.layout, in: object.storeNumber)
      }
    }
    guard let first = found.rows.first else { return handleInaccessible(object) }
    try requireEntity(of: object, in: found)
    object.rebase(on: first.row, page: found.pages[Int(first.page)])
  }
}
