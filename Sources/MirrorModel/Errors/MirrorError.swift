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

  package init(
    _ kind: Kind, _ message: String, retryAfterSeconds: Double? = nil, recordType: String? = nil,
    field: String? = nil
  ) {
    self.kind = kind
    self.message = message
    self.retryAfterSeconds = retryAfterSeconds
    self.recordType = recordType
    self.field = field
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
    .signInAgain, "The server does not take the account's session any more.")

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
    case .offline: "Nothing: what is to be sent is kept, and goes when there is a network."
    case .throttled, .serviceUnavailable, .zoneBusy:
      "Nothing: it is tried again when the server wants to be asked."
    case .limitExceeded:
      "Nothing: less is sent at once. If a single record is too large, store its data as "
        + "smaller attributes."
    case .quotaExceeded:
      "Make room in the account, or get more. What is to be sent is kept, and goes by itself then."
    case .permission: "Ask the owner for permission to write, or undo the changes."
    case .conflict: "Nothing: the changes are merged and sent again."
    case .tokenExpired: "Nothing: everything is fetched again."
    case .zoneMissing: "Nothing: the zone is made again, and everything is sent again."
    case .zoneDeletedByUser:
      "Ask the user, then call resolveDeletion(of:by:) to remove the objects here too, or to "
        + "send them again. Until then this device keeps its objects, and sends and fetches "
        + "nothing."
    case .encryptedDataReset:
      "Nothing: the zone is made again with new keys, and everything is sent again."
    case .schemaNotDeployed:
      "Run initializeCloudKitSchema() in development and deploy the schema: parhelion schema "
        + "deploy. What needs it is kept and goes then."
    case .rejectedRecord:
      "Change the object so that the server can take it; the message says what it does not take."
    case .unreadableValue:
      "Change the value, or mend its transformer; the message says which. What does not depend "
        + "on the object is sent meanwhile."
    case .unreadableRecord:
      "Save the object again on a device that has its values; the message says what is wrong. "
        + "It is asked for again whenever the program starts or calls sync(), and everything "
        + "else comes and goes meanwhile."
    case .keysMissing:
      "Give this device the user's keys: CKContainer.encryption.recover(with:) takes the "
        + "recovery code of the first device, requestApproval(deviceName:) asks another one. "
        + "What is not encrypted goes on meanwhile."
    case .notListening:
      "Look at what stands between this device and the server: it lets requests through, and "
        + "nothing that waits. Changes are asked for every five minutes meanwhile; sync() asks "
        + "at once."
    case .peopleChanged:
      "Compare the safety number with the person and confirm it "
        + "(CKContainer.encryption.confirm(safetyNumber:with:)), or remove the person from the "
        + "share. What is not encrypted goes on meanwhile."
    case .noAccount: "Sign in. Everything is kept here, and goes on then."
    case .signInAgain: "Sign in again: the server does not take the session any more."
    case .accountChanged:
      "Sign in as before, use another store for this account, or call "
        + "resolveAccountChange(of:by:): take the data along to this account, or start over "
        + "with what it has. Until then the data of the former one is kept here."
    case .cloudChanged:
      "Point the program at the former cloud again, use another store for this one, or call "
        + "moveToCurrentCloud(_:): then everything of the store is sent to where the program "
        + "is pointed at."
    case .notConfigured:
      "Correct the container's configuration, by CKContainer.configure(_:), the environment or "
        + "a file; the message says what is wrong. The API token must be one that the server "
        + "made for this container and environment."
    case .notMirrored:
      "Save the object first, in a store that is mirrored; its entity must belong to that "
        + "store's configuration."
    case .nothingMirrored:
      "Give the descriptions of the stores that are to be mirrored cloudKitContainerOptions, "
        + "and call loadPersistentStores() then. A container whose stores all stay on this "
        + "device has nothing to wait for."
    case .storeRemoved: "Add the store again."
    case .storeInUse: "Mirror a store by one container of a process at a time."
    case .store: "Look at the error: the store could not be read or written."
    case .cannotUndo:
      "Look at the message: it says what is not there any more. The conflict's "
        + "overwrittenValues has what was lost, to be put where it is wanted."
    case .paused: "Call resume(). What is saved meanwhile is kept, and goes then."
    case .cancelled: "Nothing: it is tried again."
    case .unexpected: "Look at the message; it is tried again by itself."
    }
  }
}
