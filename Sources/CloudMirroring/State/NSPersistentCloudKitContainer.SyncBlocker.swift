public import Foundation
import MirrorModel

extension NSPersistentCloudKitContainer {
  /// A reason why a store, or one of its records, does not sync, with its remedy.
  ///
  /// Parhelion's addition.
  public struct SyncBlocker: Error, LocalizedError, Hashable, Sendable, CustomStringConvertible {
    /// The stable name of a blocker.
    public struct Code: RawRepresentable, Hashable, Sendable {
      /// The name as a string.
      public let rawValue: String

      /// Creates a code from its name.
      public init(rawValue: String) {
        self.rawValue = rawValue
      }
    }

    /// The stable name of the blocker.
    public let code: Code
    /// A sentence that says what happened.
    public let message: String
    /// A sentence that says what a person or the program can do.
    public let remedy: String
    /// The record type that the blocker concerns, if it concerns one.
    public let recordType: String?
    /// The field that the blocker concerns, if it concerns one.
    public let field: String?

    init(_ failure: MirrorError) {
      code = Code(rawValue: failure.kind.rawValue)
      message = failure.message
      remedy = failure.remedy
      recordType = failure.recordType
      field = failure.field
    }

    /// The code, the message and the remedy.
    public var description: String { "\(code.rawValue): \(message) \(remedy)" }
    /// A sentence that says what happened.
    public var errorDescription: String? { message }
    /// A sentence that says what a person or the program can do.
    public var recoverySuggestion: String? { remedy }
  }
}

extension NSPersistentCloudKitContainer.SyncBlocker.Code {
  /// There is no network connection, or it failed.
  public static let offline = Self(rawValue: MirrorError.Kind.offline.rawValue)
  /// The server throttles requests.
  public static let throttled = Self(rawValue: MirrorError.Kind.throttled.rawValue)
  /// The server is temporarily unavailable.
  public static let serviceUnavailable = Self(
    rawValue: MirrorError.Kind.serviceUnavailable.rawValue)
  /// The zone is busy.
  public static let zoneBusy = Self(rawValue: MirrorError.Kind.zoneBusy.rawValue)
  /// A batch was too large.
  ///
  /// The next batch is smaller.
  public static let limitExceeded = Self(rawValue: MirrorError.Kind.limitExceeded.rawValue)
  /// The account's quota is used up.
  public static let quotaExceeded = Self(rawValue: MirrorError.Kind.quotaExceeded.rawValue)
  /// The user has no permission to write.
  public static let permission = Self(rawValue: MirrorError.Kind.permission.rawValue)
  /// Other devices keep changing the same records.
  public static let conflict = Self(rawValue: MirrorError.Kind.conflict.rawValue)
  /// The server no longer accepts the change token.
  ///
  /// Everything is fetched again.
  public static let tokenExpired = Self(rawValue: MirrorError.Kind.tokenExpired.rawValue)
  /// The zone does not exist.
  ///
  /// The zone is created again, and everything is sent again.
  public static let zoneMissing = Self(rawValue: MirrorError.Kind.zoneMissing.rawValue)
  /// The user deleted the application's data in the cloud.
  public static let zoneDeletedByUser = Self(rawValue: MirrorError.Kind.zoneDeletedByUser.rawValue)
  /// The user reset the encryption keys.
  ///
  /// Everything is sent again.
  public static let encryptedDataReset = Self(
    rawValue: MirrorError.Kind.encryptedDataReset.rawValue)
  /// The production schema lacks a record type or a field.
  public static let schemaNotDeployed = Self(rawValue: MirrorError.Kind.schemaNotDeployed.rawValue)
  /// The server rejected a record.
  public static let rejectedRecord = Self(rawValue: MirrorError.Kind.rejectedRecord.rawValue)
  /// A value cannot be stored in a record, or cannot be read from one.
  public static let unreadableValue = Self(rawValue: MirrorError.Kind.unreadableValue.rawValue)
  /// A record cannot be read: an asset is missing, or an encrypted value is damaged.
  ///
  /// The local object keeps its values, and its local changes stay pending.
  public static let unreadableRecord = Self(rawValue: MirrorError.Kind.unreadableRecord.rawValue)
  /// No push connection is open.
  ///
  /// The device polls for changes every five minutes.
  public static let notListening = Self(rawValue: MirrorError.Kind.notListening.rawValue)
  /// This device has no keys for encrypted values, or the owner of a share has not delivered them.
  ///
  /// Other values keep syncing.
  public static let keysMissing = Self(rawValue: MirrorError.Kind.keysMissing.rawValue)
  /// The server shows other keys than this device trusts for a person in a share.
  ///
  /// Encrypted objects of the share wait until the user has confirmed the person's new safety
  /// number or removed the person. Other values keep syncing.
  public static let peopleChanged = Self(rawValue: MirrorError.Kind.peopleChanged.rawValue)
  /// No account is signed in.
  public static let noAccount = Self(rawValue: MirrorError.Kind.noAccount.rawValue)
  /// The session has ended.
  public static let signInAgain = Self(rawValue: MirrorError.Kind.signInAgain.rawValue)
  /// Another user is signed in.
  public static let accountChanged = Self(rawValue: MirrorError.Kind.accountChanged.rawValue)
  /// The program now uses another server than the one that the store is mirrored with.
  public static let cloudChanged = Self(rawValue: MirrorError.Kind.cloudChanged.rawValue)
  /// The container has no server configuration, or a wrong one.
  public static let notConfigured = Self(rawValue: MirrorError.Kind.notConfigured.rawValue)
  /// The object was never saved, or its store or entity is not mirrored.
  public static let notMirrored = Self(rawValue: MirrorError.Kind.notMirrored.rawValue)
  /// The container mirrors no store: the options are missing, or no store is loaded.
  public static let nothingMirrored = Self(rawValue: MirrorError.Kind.nothingMirrored.rawValue)
  /// The store was removed.
  public static let storeRemoved = Self(rawValue: MirrorError.Kind.storeRemoved.rawValue)
  /// Another container in this process mirrors the store.
  public static let storeInUse = Self(rawValue: MirrorError.Kind.storeInUse.rawValue)
  /// Reading or writing the store failed.
  public static let store = Self(rawValue: MirrorError.Kind.store.rawValue)
  /// The conflict cannot be undone.
  ///
  /// The message says why.
  public static let cannotUndo = Self(rawValue: MirrorError.Kind.cannotUndo.rawValue)
  /// The program paused syncing.
  public static let paused = Self(rawValue: MirrorError.Kind.paused.rawValue)
  /// The attempt was cancelled.
  public static let cancelled = Self(rawValue: MirrorError.Kind.cancelled.rawValue)
  /// An error without a code.
  ///
  /// The message describes it.
  public static let unexpected = Self(rawValue: MirrorError.Kind.unexpected.rawValue)
}
