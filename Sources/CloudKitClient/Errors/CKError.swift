public import Foundation

/// The domain of the errors of this library.
public let CKErrorDomain = "CKErrorDomain"
/// In the details of a partial failure: the errors by what failed, a record's or a zone's name.
public let CKPartialErrorsByItemIDKey = "CKPartialErrors"
/// In the details of an error: how many seconds to wait before the same is tried again.
public let CKErrorRetryAfterKey = "CKRetryAfter"
/// In the details of a conflict: the record as it was when the client fetched it.
public let CKRecordChangedErrorAncestorRecordKey = "AncestorRecord"
/// In the details of a conflict: the record as the server has it.
public let CKRecordChangedErrorServerRecordKey = "ServerRecord"
/// In the details of a conflict: the record that the client tried to save.
public let CKRecordChangedErrorClientRecordKey = "ClientRecord"
/// In the details of a missing zone: that the user's keys were reset, so that its encrypted values
/// are lost.
public let CKErrorUserDidResetEncryptedDataKey = "CKErrorUserDidResetEncryptedData"

// Sendable: an error's details are set once; records among them have their own lock.
/// Why the cloud did not do something.
///
/// ```swift
/// do {
///   try await database.save(record)
/// } catch let error as CKError where error.code == .serverRecordChanged {
///   merge(record, into: error.serverRecord)
/// }
/// ```
public struct CKError: CustomNSError, _ObjectiveCBridgeableError, @unchecked Sendable {
  /// What kind of error it is.
  public let code: Code
  /// What is known beside the code.
  public let errorUserInfo: [String: Any]

  /// An error of a kind, with details.
  public init(_ code: Code, userInfo: [String: Any] = [:]) {
    self.code = code
    let told = userInfo[NSLocalizedDescriptionKey] ?? "CloudKit error \(code.rawValue): \(code)."
    errorUserInfo = userInfo.merging([NSLocalizedDescriptionKey: told]) { given, _ in given }
  }

  /// The error that an `NSError` of this library's domain stands for.
  public init?(_bridgedNSError error: __shared NSError) {
    guard error.domain == CKErrorDomain, let code = Code(rawValue: error.code) else { return nil }
    self.init(code, userInfo: error.userInfo)
  }

  /// The domain of the errors of this library.
  public static var errorDomain: String { CKErrorDomain }

  /// The number of the code.
  public var errorCode: Int { code.rawValue }

  /// What is known beside the code.
  public var userInfo: [String: Any] { errorUserInfo }

  // MARK: Details

  /// The errors of a partial failure by what failed: names of records, zones or subscriptions.
  public var partialErrorsByItemID: [AnyHashable: any Error]? {
    errorUserInfo[CKPartialErrorsByItemIDKey] as? [AnyHashable: any Error]
  }

  /// In a conflict: the record as it was when the client fetched it.
  public var ancestorRecord: CKRecord? {
    errorUserInfo[CKRecordChangedErrorAncestorRecordKey] as? CKRecord
  }

  /// In a conflict: the record as the server has it.
  ///
  /// Merge into this one, and save it.
  public var serverRecord: CKRecord? {
    errorUserInfo[CKRecordChangedErrorServerRecordKey] as? CKRecord
  }

  /// In a conflict: the record that the client tried to save.
  public var clientRecord: CKRecord? {
    errorUserInfo[CKRecordChangedErrorClientRecordKey] as? CKRecord
  }

  /// How many seconds to wait before the same is tried again; nil where that does not help.
  public var retryAfterSeconds: Double? {
    (errorUserInfo[CKErrorRetryAfterKey] as? NSNumber)?.doubleValue
  }
}

extension CKError: Hashable {
  /// Errors are equal where they are of one kind and have the same details.
  public static func == (one: CKError, other: CKError) -> Bool {
    one.code == other.code && (one.errorUserInfo as NSDictionary).isEqual(to: other.errorUserInfo)
  }

  /// Errors of one kind have one hash.
  public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

/// Matches an error by its code: `catch CKError.networkFailure`.
public func ~= (code: CKError.Code, error: any Error) -> Bool {
  (error as? CKError)?.code == code
}
