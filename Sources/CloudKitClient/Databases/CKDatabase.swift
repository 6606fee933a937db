import CloudRecords
public import Foundation

// Sendable: immutable.
/// One of a container's three databases.
///
/// Each task has three equivalent forms: an asynchronous method, a method with a completion
/// handler, and an operation, which reports progress while it runs.
open class CKDatabase: NSObject, @unchecked Sendable {
  /// The kind of a database: public, private or shared.
  public typealias Scope = CKDatabaseScope

  /// The kind of the database.
  public let databaseScope: CKDatabase.Scope

  package let container: CKContainer
  /// The configuration of the methods' requests.
  let configuration: CKOperation.Configuration?
  /// The additional requirements of clients that keep a replica.
  private let replicaOptions: ReplicaOptions

  /// Additional requirements of clients that keep a replica.
  private struct ReplicaOptions: Sendable {
    /// The user in whose name requests are sent.
    var requester = Requester.signedInUser
    /// Whether requests are retried that may have reached the server already.
    var repeatsUncertain = true
    /// Whether sealed asset files are decrypted.
    var opensFiles = false
    /// The change token that the client has reached in each zone.
    var knownFeeds: [CKRecordZone.ID: String] = [:]
    /// Decides whether a record's asset files are left out; nil to fetch all files.
    var leavesFiles: (@Sendable (CKRecord) -> Bool)?
  }

  private enum Requester: Sendable {
    case signedInUser, anonymous
    /// A user with this record name, and no other.
    case user(String)
  }

  private init(
    _ container: CKContainer, _ scope: CKDatabase.Scope,
    _ configuration: CKOperation.Configuration?,
    _ replicaOptions: ReplicaOptions
  ) {
    self.container = container
    self.configuration = configuration
    self.replicaOptions = replicaOptions
    databaseScope = scope
  }

  convenience init(
    _ container: CKContainer, _ scope: CKDatabase.Scope, _ configuration: CKOperation.Configuration?
  ) {
    self.init(container, scope, configuration, ReplicaOptions())
  }

  /// The database with requests for one user only.
  ///
  /// The requests fail while another user is signed in.
  package func only(for userRecordName: String) -> CKDatabase {
    withReplicaOptions { $0.requester = .user(userRecordName) }
  }

  /// The database with anonymous requests only, whether or not a user is signed in.
  package var onlyAnonymous: CKDatabase { withReplicaOptions { $0.requester = .anonymous } }

  /// The database without retries of requests that may have arrived.
  ///
  /// The caller checks the outcome before it retries.
  package var withoutRepeating: CKDatabase { withReplicaOptions { $0.repeatsUncertain = false } }

  /// The database with decrypted files for assets that the client sealed
  /// (`CKAsset.init(sealing:)`).
  package var openingFiles: CKDatabase { withReplicaOptions { $0.opensFiles = true } }

  /// The database without asset files of records that the client already has.
  ///
  /// - Parameter isKnown: Called for each record with assets, before any file is fetched.
  package func leavingFiles(of isKnown: @escaping @Sendable (CKRecord) -> Bool) -> CKDatabase {
    withReplicaOptions { $0.leavesFiles = isKnown }
  }

  /// The database for a client that has read a zone up to a token.
  ///
  /// A late retry does not recreate records that others deleted after the token.
  package func knowing(_ token: CKServerChangeToken, of zoneID: CKRecordZone.ID) -> CKDatabase {
    withReplicaOptions { $0.knownFeeds[zoneID] = token.text }
  }

  private func withReplicaOptions(_ change: (inout ReplicaOptions) -> Void) -> CKDatabase {
    var replicaOptions = replicaOptions
    change(&replicaOptions)
    return CKDatabase(container, databaseScope, configuration, replicaOptions)
  }

  /// Starts an operation on the database, after its dependencies.
  open func add(_ operation: CKDatabaseOperation) {
    operation.database = self
    CKOperation.queue.addOperation(operation)
  }

  /// Calls a closure with a database that uses a configuration and a group for its methods.
  ///
  /// Unset values come from this database.
  open func configuredWith<R>(
    configuration: CKOperation.Configuration? = nil, group: CKOperationGroup? = nil,
    body: (_ database: CKDatabase) async throws -> R
  ) async rethrows -> R {
    try await body(configured(configuration, group))
  }

  /// Calls a closure with a database that uses a configuration and a group for its methods.
  ///
  /// Unset values come from this database.
  open func configuredWith<R>(
    configuration: CKOperation.Configuration? = nil, group: CKOperationGroup? = nil,
    body: (_ database: CKDatabase) throws -> R
  ) rethrows -> R {
    try body(configured(configuration, group))
  }

  private func configured(_ configuration: CKOperation.Configuration?, _ group: CKOperationGroup?)
    -> CKDatabase
  {
    let own = configuration ?? CKOperation.Configuration()
    let filled = own.filled(from: group?.defaultConfiguration).filled(from: self.configuration)
    return CKDatabase(container, databaseScope, filled, replicaOptions)
  }

  /// Returns the object that performs the methods' requests.
  func work() throws(CKError) -> DatabaseWork {
    var work = DatabaseWork(session: try session(), scope: databaseScope.wire)
    if let configuration {
      work.options = CallOptions(configuration, at: work.session.dependencies.monotonicNow())
    }
    work.options.retry.repeatsUncertain = replicaOptions.repeatsUncertain
    work.knownFeeds = replicaOptions.knownFeeds
    work.opensFiles = replicaOptions.opensFiles
    work.leavesFiles = replicaOptions.leavesFiles
    return work
  }

  /// The session for all requests of one call, even if another user signs in meanwhile.
  private func session() throws(CKError) -> CloudSession {
    let session = try container.session()
    switch replicaOptions.requester {
    case .signedInUser: return session
    case .anonymous: return try session.withoutUser()
    case .user(let name):
      guard name == session.knownUserRecordName else { throw CKError.otherUser }
      return session
    }
  }

  /// Whether two databases have the same kind and the same container.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CKDatabase else { return false }
    return databaseScope == other.databaseScope && container == other.container
  }

  /// A hash that is the same for equal databases.
  open override var hash: Int { container.hash &+ databaseScope.rawValue }

  /// The container and the kind of the database.
  open override var description: String { "<CKDatabase: \(databaseScope) of \(container)>" }
}

extension CKDatabaseScope {
  /// The scope in requests.
  var wire: DatabaseScope {
    switch self {
    case .public: .public
    case .private: .private
    case .shared: .shared
    }
  }
}
