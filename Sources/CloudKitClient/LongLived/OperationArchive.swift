import Foundation

/// The persisted form of a long-lived operation: its kind, user, configuration and request.
///
/// Each operation encodes its own request (`CKOperation.encodeRequest(with:)`).
package struct OperationArchive: Sendable {
  /// The user of the operation.
  package let user: TokenKey?
  package let bytes: [UInt8]

  /// Archives an operation; nil if it cannot be resumed in another process.
  ///
  /// - Parameter scope: The operation's database; nil if it uses none.
  package init?(_ operation: CKOperation, in scope: CKDatabaseScope?, for user: TokenKey?) {
    guard let kind = OperationKind(operation) else { return nil }
    let archiver = NSKeyedArchiver(requiringSecureCoding: true)
    archiver.encode(kind.rawValue as NSString, forKey: Key.kind)
    if let scope { archiver.encode(scope.rawValue, forKey: Key.scope) }
    archiver.encode(user.map { $0.text as NSString }, forKey: Key.user)
    let configuration = operation.effectiveConfiguration
    archiver.encode(configuration.qualityOfService.rawValue, forKey: Key.qualityOfService)
    archiver.encode(configuration.allowsCellularAccess, forKey: Key.allowsCellularAccess)
    archiver.encode(configuration.timeoutIntervalForRequest, forKey: Key.timeoutForRequest)
    archiver.encode(configuration.timeoutIntervalForResource, forKey: Key.timeoutForResource)
    guard operation.encodeRequest(with: archiver) else { return nil }
    archiver.finishEncoding()
    bytes = Array(archiver.encodedData)
    self.user = user
  }

  /// Creates an archive from stored bytes; nil if they are invalid.
  package init?(_ bytes: [UInt8]) {
    guard let unarchiver = try? NSKeyedUnarchiver(forReadingFrom: Data(bytes)),
      unarchiver.text(Key.kind) != nil
    else { return nil }
    self.bytes = bytes
    user = unarchiver.text(Key.user).flatMap { TokenKey(text: $0) }
  }

  /// Restores the operation, to be added again; nil if its kind is unknown or its request is
  /// damaged.
  package func operation(named name: CKOperation.ID, in container: CKContainer) -> CKOperation? {
    guard let unarchiver = try? NSKeyedUnarchiver(forReadingFrom: Data(bytes)),
      let operation = unarchiver.text(Key.kind).flatMap({ OperationKind(rawValue: $0) })?.make(),
      operation.decodeRequest(from: unarchiver), unarchiver.error == nil
    else { return nil }
    operation.operationID = name
    operation.wasKept = true
    let configuration = CKOperation.Configuration()
    configuration.isLongLived = true
    configuration.container = container
    configuration.qualityOfService =
      QualityOfService(rawValue: unarchiver.decodeInteger(forKey: Key.qualityOfService)) ?? .default
    configuration.allowsCellularAccess = unarchiver.decodeBool(forKey: Key.allowsCellularAccess)
    configuration.timeoutIntervalForRequest = unarchiver.decodeDouble(forKey: Key.timeoutForRequest)
    configuration.timeoutIntervalForResource = unarchiver.decodeDouble(
      forKey: Key.timeoutForResource)
    operation.configuration = configuration
    guard let operation = operation as? CKDatabaseOperation else { return operation }
    guard let scope = CKDatabaseScope(rawValue: unarchiver.decodeInteger(forKey: Key.scope)) else {
      return nil
    }
    operation.database = container.database(with: scope)
    return operation
  }

  private enum Key {
    static let kind = "OperationKind"
    static let scope = "DatabaseScope"
    static let user = "User"
    static let qualityOfService = "QualityOfService"
    static let allowsCellularAccess = "AllowsCellularAccess"
    static let timeoutForRequest = "TimeoutIntervalForRequest"
    static let timeoutForResource = "TimeoutIntervalForResource"
  }
}

extension TokenKey {
  fileprivate var text: String {
    switch self {
    case .account(let name): "account \(name)"
    case .configured(let digest): "given \(digest)"
    }
  }

  fileprivate init?(text: String) {
    let parts = text.split(separator: " ", maxSplits: 1).map(String.init)
    switch parts.first {
    case "account" where parts.count == 2: self = .account(parts[1])
    case "given" where parts.count == 2: self = .configured(parts[1])
    default: return nil
    }
  }
}

/// The kinds of operations that a later process can resume.
enum OperationKind: String {
  case modifyRecords, fetchRecords, query, modifyRecordZones, fetchRecordZones, fetchDatabaseChanges
  case fetchRecordZoneChanges, modifySubscriptions, fetchSubscriptions
  case acceptShares, requestShareAccess, fetchShareMetadata, fetchShareParticipants,
    discoverUserIdentities

  /// Nil for other operations, and for subclasses, whose state is unknown here.
  init?(_ operation: CKOperation) {
    let given = Swift.type(of: operation)
    guard let kind = Self.allCases.first(where: { $0.type == given }) else { return nil }
    self = kind
  }

  private var type: CKOperation.Type {
    switch self {
    case .modifyRecords: CKModifyRecordsOperation.self
    case .fetchRecords: CKFetchRecordsOperation.self
    case .query: CKQueryOperation.self
    case .modifyRecordZones: CKModifyRecordZonesOperation.self
    case .fetchRecordZones: CKFetchRecordZonesOperation.self
    case .fetchDatabaseChanges: CKFetchDatabaseChangesOperation.self
    case .fetchRecordZoneChanges: CKFetchRecordZoneChangesOperation.self
    case .modifySubscriptions: CKModifySubscriptionsOperation.self
    case .fetchSubscriptions: CKFetchSubscriptionsOperation.self
    case .acceptShares: CKAcceptSharesOperation.self
    case .requestShareAccess: CKShareRequestAccessOperation.self
    case .fetchShareMetadata: CKFetchShareMetadataOperation.self
    case .fetchShareParticipants: CKFetchShareParticipantsOperation.self
    case .discoverUserIdentities: CKDiscoverUserIdentitiesOperation.self
    }
  }

  func make() -> CKOperation {
    switch self {
    case .modifyRecords: CKModifyRecordsOperation()
    case .fetchRecords: CKFetchRecordsOperation()
    case .query: CKQueryOperation()
    case .modifyRecordZones: CKModifyRecordZonesOperation()
    case .fetchRecordZones: CKFetchRecordZonesOperation()
    case .fetchDatabaseChanges: CKFetchDatabaseChangesOperation()
    case .fetchRecordZoneChanges: CKFetchRecordZoneChangesOperation()
    case .modifySubscriptions: CKModifySubscriptionsOperation()
    case .fetchSubscriptions: CKFetchSubscriptionsOperation()
    case .acceptShares: CKAcceptSharesOperation()
    case .requestShareAccess: CKShareRequestAccessOperation()
    case .fetchShareMetadata: CKFetchShareMetadataOperation()
    case .fetchShareParticipants: CKFetchShareParticipantsOperation()
    case .discoverUserIdentities: CKDiscoverUserIdentitiesOperation()
    }
  }
}

extension OperationKind: CaseIterable {}

// MARK: - Optional lists

/// Encodes and decodes optional lists.
extension NSCoder {
  func encode(list: [some NSObject & NSSecureCoding]?, forKey key: String) {
    if let list { encode(list as NSArray, forKey: key) }
  }

  func encode(texts: [String]?, forKey key: String) {
    encode(list: texts?.map { $0 as NSString }, forKey: key)
  }

  func list<Element: NSObject & NSSecureCoding>(
    of classes: [AnyClass], as type: Element.Type, _ key: String
  )
    -> [Element]?
  {
    guard containsValue(forKey: key) else { return nil }
    return decodeObject(of: [NSArray.self] + classes, forKey: key) as? [Element]
  }

  func list<Element: NSObject & NSSecureCoding>(of type: Element.Type, _ key: String) -> [Element]?
  {
    list(of: [type], as: type, key)
  }

  func texts(_ key: String) -> [String]? {
    list(of: NSString.self, key)?.map { $0 as String }
  }
}
