public import Foundation

extension NSPersistentCloudKitContainer {
  /// What keeps a store and the cloud from being alike, and what can be done about it.
  ///
  /// Parhelion's addition.
  public struct SyncBlocker: Error, LocalizedError, Hashable, Sendable, CustomStringConvertible {
    /// What stands in the way: a name that stays the same from version to version.
    public struct Code: RawRepresentable, Hashable, Sendable {
      /// The name.
      public let rawValue: String

      /// The code of a name.
      public init(rawValue: String) {
        self.rawValue = rawValue
      }
    }

    /// What stands in the way.
    public let code: Code
    /// What happened, in a sentence.
    public let message: String
    /// What a person or the program can do about it.
    public let remedy: String
    /// The type of the records that it is about, where it is about one.
    public let recordType: String?
    /// The field that it is about, where it is about one.
    public let field: String?

    init(_ fault: MirrorFault) {
      code = Code(rawValue: fault.kind.rawValue)
      message = fault.message
      remedy = fault.kind.remedy
      recordType = fault.recordType
      field = fault.field
    }

    /// Code, message and remedy.
    public var description: String { "\(code.rawValue): \(message) \(remedy)" }
    /// What happened, in a sentence.
    public var errorDescription: String? { message }
    /// What a person or the program can do about it.
    public var recoverySuggestion: String? { remedy }
  }
}

extension NSPersistentCloudKitContainer.SyncBlocker.Code {
  /// There is no network, or it breaks.
  public static let offline = Self(rawValue: MirrorFault.Kind.offline.rawValue)
  /// The server wants fewer requests.
  public static let throttled = Self(rawValue: MirrorFault.Kind.throttled.rawValue)
  /// The server cannot answer now.
  public static let serviceUnavailable = Self(
    rawValue: MirrorFault.Kind.serviceUnavailable.rawValue)
  /// The zone has too much to do.
  public static let zoneBusy = Self(rawValue: MirrorFault.Kind.zoneBusy.rawValue)
  /// The server finds too large what is sent at once; less is sent then.
  public static let limitExceeded = Self(rawValue: MirrorFault.Kind.limitExceeded.rawValue)
  /// There is no room left in the account.
  public static let quotaExceeded = Self(rawValue: MirrorFault.Kind.quotaExceeded.rawValue)
  /// The user may not write.
  public static let permission = Self(rawValue: MirrorFault.Kind.permission.rawValue)
  /// Others change the same records again and again.
  public static let conflict = Self(rawValue: MirrorFault.Kind.conflict.rawValue)
  /// The server has forgotten how far this store had come; everything is fetched again.
  public static let tokenExpired = Self(rawValue: MirrorFault.Kind.tokenExpired.rawValue)
  /// The zone is not there; it is made again.
  public static let zoneMissing = Self(rawValue: MirrorFault.Kind.zoneMissing.rawValue)
  /// The user deleted the program's data in the cloud.
  public static let zoneDeletedByUser = Self(rawValue: MirrorFault.Kind.zoneDeletedByUser.rawValue)
  /// The user reset the keys of encrypted values; everything is sent again.
  public static let encryptedDataReset = Self(
    rawValue: MirrorFault.Kind.encryptedDataReset.rawValue)
  /// Production's schema lacks a type or a field.
  public static let schemaNotDeployed = Self(rawValue: MirrorFault.Kind.schemaNotDeployed.rawValue)
  /// The server does not take a record.
  public static let refusedRecord = Self(rawValue: MirrorFault.Kind.refusedRecord.rawValue)
  /// No record can be made of a value of an object.
  public static let unreadableValue = Self(rawValue: MirrorFault.Kind.unreadableValue.rawValue)
  /// A record of the cloud cannot be read: the file of an asset is gone, or an encrypted value is
  /// damaged or without its key.
  ///
  /// Its object stays here as it was, and what was changed of it here waits.
  public static let unreadableRecord = Self(rawValue: MirrorFault.Kind.unreadableRecord.rawValue)
  /// The server tells this device of no changes; they are asked for every five minutes.
  public static let notListening = Self(rawValue: MirrorFault.Kind.notListening.rawValue)
  /// This device has no keys for encrypted values; what is not encrypted goes on.
  public static let keysMissing = Self(rawValue: MirrorFault.Kind.keysMissing.rawValue)
  /// Nobody is signed in.
  public static let noAccount = Self(rawValue: MirrorFault.Kind.noAccount.rawValue)
  /// The server does not take the session any more.
  public static let signInAgain = Self(rawValue: MirrorFault.Kind.signInAgain.rawValue)
  /// Somebody else is signed in.
  public static let accountChanged = Self(rawValue: MirrorFault.Kind.accountChanged.rawValue)
  /// The program is pointed at another cloud than the one that the store is mirrored with.
  public static let cloudChanged = Self(rawValue: MirrorFault.Kind.cloudChanged.rawValue)
  /// The container is bound to no server.
  public static let notConfigured = Self(rawValue: MirrorFault.Kind.notConfigured.rawValue)
  /// An object was never saved, or nothing of it is mirrored.
  public static let notMirrored = Self(rawValue: MirrorFault.Kind.notMirrored.rawValue)
  /// No store of the container is mirrored: options were forgotten, or the stores are not loaded.
  public static let nothingMirrored = Self(rawValue: MirrorFault.Kind.nothingMirrored.rawValue)
  /// The store is not mirrored any more.
  public static let storeRemoved = Self(rawValue: MirrorFault.Kind.storeRemoved.rawValue)
  /// Another container of the process mirrors the store.
  public static let storeInUse = Self(rawValue: MirrorFault.Kind.storeInUse.rawValue)
  /// The store could not be read or written.
  public static let store = Self(rawValue: MirrorFault.Kind.store.rawValue)
  /// What a conflict overwrote cannot be put back; the message says why.
  public static let cannotUndo = Self(rawValue: MirrorFault.Kind.cannotUndo.rawValue)
  /// The program has paused the store.
  public static let paused = Self(rawValue: MirrorFault.Kind.paused.rawValue)
  /// What was being done was put off.
  public static let cancelled = Self(rawValue: MirrorFault.Kind.cancelled.rawValue)
  /// Something that has no name of its own; the message says what.
  public static let unexpected = Self(rawValue: MirrorFault.Kind.unexpected.rawValue)
}
