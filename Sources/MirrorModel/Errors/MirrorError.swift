package import CloudKitClient

/// The error of a step, which decides what the machine does next.
package struct MirrorError: Hashable, Sendable {
  /// The kinds of errors; `MirrorReaction` has the reaction to each.
  package enum Kind: String, CaseIterable, Sendable {
    case offline = "offline"
    case throttled = "throttled"
    case serviceUnavailable = "service-unavailable"
    case zoneBusy = "zone-busy"
    case limitExceeded = "limit-exceeded"
    case quotaExceeded = "quota-exceeded"
    case permission = "permission"
    case conflict = "conflict"
    case tokenExpired = "token-expired"
    case zoneMissing = "zone-missing"
    case zoneDeletedByUser = "zone-deleted-by-user"
    case encryptedDataReset = "encrypted-data-reset"
    case schemaNotDeployed = "schema-not-deployed"
    case rejectedRecord = "rejected-record"
    case unreadableValue = "unreadable-value"
    case unreadableRecord = "unreadable-record"
    case keysMissing = "keys-missing"
    case peopleChanged = "people-changed"
    case notListening = "not-listening"
    case noAccount = "no-account"
    case signInAgain = "sign-in-again"
    case accountChanged = "account-changed"
    case cloudChanged = "cloud-changed"
    case notConfigured = "not-configured"
    case notMirrored = "not-mirrored"
    case nothingMirrored = "nothing-mirrored"
    case storeRemoved = "store-removed"
    case storeInUse = "store-in-use"
    case store = "store"
    case cannotUndo = "cannot-undo"
    case paused = "paused"
    case cancelled = "cancelled"
    case unexpected = "unexpected"
  }

  package var kind: Kind
  /// A sentence that describes the error.
  package var message: String
  /// The delay that the server asked for.
  package var retryAfterSeconds: Double?
  package var recordType: String?
  package var field: String?
  /// The underlying error, if it was one of CloudKit's.
  package var cause = ErrorCause()
  private let ownRemedy: String?

  /// The advice for the user or the program.
  package var remedy: String { ownRemedy ?? kind.remedy }

  /// Creates an error.
  ///
  /// - Parameter remedy: The remedy, if that of the kind does not fit.
  package init(
    _ kind: Kind, _ message: String, retryAfterSeconds: Double? = nil, recordType: String? = nil,
    field: String? = nil, remedy: String? = nil
  ) {
    (self.kind, self.message, self.retryAfterSeconds) = (kind, message, retryAfterSeconds)
    (self.recordType, self.field, ownRemedy) = (recordType, field, remedy)
  }
}

/// An underlying error, which does not count when errors are compared.
///
/// So an error stays the same error if several requests encounter it.
package struct ErrorCause: Hashable, Sendable {
  package var error: CKError?

  package static func == (one: Self, other: Self) -> Bool { true }
  package func hash(into hasher: inout Hasher) {}
}

extension MirrorError {
  /// A user is signed in, but the server rejects the session.
  package static let sessionRefused = MirrorError(
    .signInAgain, "The server no longer accepts the account's session.")

  /// The program has asked for a pause.
  package static let paused = MirrorError(.paused, "The store is paused.")

  /// The program asked for a sync, but no store is mirrored.
  package static let nothingMirrored = MirrorError(
    .nothingMirrored, "No store of the container is mirrored.")
}

extension MirrorError.Kind {
  /// The advice for the user or the program.
  package var remedy: String {
    switch self {
    case .offline: "Nothing: pending changes are kept, and sent when there is a network."
    case .throttled, .serviceUnavailable, .zoneBusy:
      "Nothing: it is retried after the delay that the server asked for."
    case .limitExceeded:
      "Nothing: the next request is smaller. If a single record is too large, store its data as "
        + "smaller attributes."
    case .quotaExceeded:
      "Free space in the account, or get more. Pending changes are kept, and sent then."
    case .permission: "Ask the owner for permission to write, or undo the changes."
    case .conflict: "Nothing: the changes are merged and sent again."
    case .tokenExpired: "Nothing: everything is fetched again."
    case .zoneMissing: "Nothing: the zone is created again, and everything is sent again."
    case .zoneDeletedByUser:
      "Ask the user, then call resolveDeletion(of:by:) to remove the objects here too, or to "
        + "send them again. Until then this device keeps its objects, and neither sends nor "
        + "fetches anything."
    case .encryptedDataReset:
      "Nothing: the zone is created again with new keys, and everything is sent again."
    case .schemaNotDeployed:
      "Run initializeCloudKitSchema() in development and deploy the schema: parhelion schema "
        + "deploy. Changes that need it are kept, and sent then."
    case .rejectedRecord:
      "Change the object so that the server accepts it; the message has the reason."
    case .unreadableValue:
      "Change the value that the message names, or correct its transformer. Objects that do not "
        + "depend on this one are sent meanwhile."
    case .unreadableRecord:
      "Save the object again on a device that has its values; the message has the reason. The "
        + "record is fetched again when the program starts or calls sync(). All other records "
        + "are synced meanwhile."
    case .keysMissing:
      "Give this device the user's keys: CKContainer.encryption.recover(with:) takes the "
        + "recovery code of the first device, and requestApproval(deviceName:) asks another "
        + "device. The keys of a share come from a device of its owner. Values that are not "
        + "encrypted are synced meanwhile."
    case .notListening:
      "Check the proxies between this device and the server: requests succeed, but the push "
        + "connection does not stay open. Changes are polled every five minutes meanwhile; sync() "
        + "fetches them at once."
    case .peopleChanged:
      "Compare the safety number with the person and confirm it "
        + "(CKContainer.encryption.confirm(safetyNumber:with:)), or remove the person from the "
        + "share. Values that are not encrypted are synced meanwhile."
    case .noAccount: "Sign in. Everything is kept here, and syncing continues then."
    case .signInAgain: "Sign in again: the server no longer accepts the session."
    case .accountChanged:
      "Sign in with the former account, use another store for this account, or call "
        + "resolveAccountChange(of:by:) to move the data to this account, or to replace it with "
        + "this account's data. Until then the former account's data is kept here."
    case .cloudChanged:
      "Point the program at the former cloud again, use another store for this one, or call "
        + "moveToCurrentCloud(_:), which sends everything in the store to the cloud that the "
        + "program now uses."
    case .notConfigured:
      "Correct the container's configuration, by CKContainer.configure(_:), the environment or "
        + "a file; the message has the reason. The API token must be one that the server "
        + "created for this container and environment."
    case .notMirrored:
      "Save the object first, in a mirrored store; its entity must belong to that store's "
        + "configuration."
    case .nothingMirrored:
      "Set cloudKitContainerOptions in the descriptions of the stores to mirror, and then call "
        + "loadPersistentStores(). A container without mirrored stores need not be synced."
    case .storeRemoved: "Add the store again."
    case .storeInUse: "Mirror a store with only one container of a process at a time."
    case .store: "Read the error: the store could not be read or written."
    case .cannotUndo:
      "Read the message: it names what no longer exists. The conflict's overwrittenValues has "
        + "the lost values, which the program can use elsewhere."
    case .paused: "Call resume(). Changes that are saved meanwhile are kept, and sent then."
    case .cancelled: "Nothing: it is retried."
    case .unexpected: "Read the message; it is retried automatically."
    }
  }
}
