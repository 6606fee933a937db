public import Foundation

/// The domain of CloudKit errors.
public let CKErrorDomain = "CKErrorDomain"
/// The key of the individual errors in a partial failure, by record ID, zone ID or subscription ID.
public let CKPartialErrorsByItemIDKey = "CKPartialErrors"
/// The key of the number of seconds to wait before a retry.
public let CKErrorRetryAfterKey = "CKRetryAfter"
/// The key of the record as the client fetched it, in a conflict.
public let CKRecordChangedErrorAncestorRecordKey = "AncestorRecord"
/// The key of the server's record, in a conflict.
public let CKRecordChangedErrorServerRecordKey = "ServerRecord"
/// The key of the record that the client tried to save, in a conflict.
public let CKRecordChangedErrorClientRecordKey = "ClientRecord"
/// Marks a missing zone whose encrypted values are lost, because the user reset the keys.
public let CKErrorUserDidResetEncryptedDataKey = "CKErrorUserDidResetEncryptedData"

// Sendable: an error's details are set once; records among them have their own lock.
/// An error of a CloudKit request.
///
/// ```swift
/// do {
///   try await database.save(record)
/// } catch let error as CKError where error.code == .serverRecordChanged {
///   merge(record, into: error.serverRecord)
/// }
/// ```
public struct CKError: CustomNSError, _ObjectiveCBridgeableError, @unchecked Sendable {
  /// The error's code.
  public let code: Code
  /// The error's details.
  public let errorUserInfo: [String: Any]

  /// Creates an error from a code and details.
  public init(_ code: Code, userInfo: [String: Any] = [:]) {
    self.code = code
    let reported =
      userInfo[NSLocalizedDescriptionKey] ?? "CloudKit error \(code.rawValue): \(code)."
    errorUserInfo = userInfo.merging([NSLocalizedDescriptionKey: reported]) { given, _ in given }
  }

  /// Creates an error from an `NSError` of this domain.
  public init?(_bridgedNSError error: __shared NSError) {
    guard error.domain == CKErrorDomain, let code = Code(rawValue: error.code) else { return nil }
    self.init(code, userInfo: error.userInfo)
  }

  /// The domain of CloudKit errors.
  public static var errorDomain: String { CKErrorDomain }

  /// The numeric code.
  public var errorCode: Int { code.rawValue }

  /// The error's details.
  public var userInfo: [String: Any] { errorUserInfo }

  // MARK: Details

  /// The individual errors of a partial failure, by record ID, zone ID or subscription ID.
  public var partialErrorsByItemID: [AnyHashable: any Error]? {
    errorUserInfo[CKPartialErrorsByItemIDKey] as? [AnyHashable: any Error]
  }

  /// In a conflict, the record as the client fetched it.
  public var ancestorRecord: CKRecord? {
    errorUserInfo[CKRecordChangedErrorAncestorRecordKey] as? CKRecord
  }

  /// In a conflict, the server's record.
  ///
  /// Merge your changes into it, and save it. Encrypted values that cannot be read are missing. The
  /// underlying error is then the one that fetching the record throws.
  public var serverRecord: CKRecord? {
    errorUserInfo[CKRecordChangedErrorServerRecordKey] as? CKRecord
  }

  /// In a conflict, the record that the client tried to save.
  public var clientRecord: CKRecord? {
    errorUserInfo[CKRecordChangedErrorClientRecordKey] as? CKRecord
  }

  /// The number of seconds to wait before a retry; nil if the error names none.
  public var retryAfterSeconds: Double? {
    (errorUserInfo[CKErrorRetryAfterKey] as? NSNumber)?.doubleValue
  }
}

extension CKError: Hashable {
  /// Whether two errors have the same code and the same details.
  public static func == (one: CKError, other: CKError) -> Bool {
    one.code == other.code && (one.errorUserInfo as NSDictionary).isEqual(to: other.errorUserInfo)
  }

  /// Hashes the code only.
  public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

/// Matches an error by its code: `catch CKError.networkFailure`.
public func ~= (code: CKError.Code, error: any Error) -> Bool {
  (error as? CKError)?.code == code
}
