import CloudRecords
public import Foundation

// Sendable: immutable.
/// One of a container's three databases.
///
/// Each thing can be done in three ways that do the same: by an asynchronous method, by a method
/// with a completion handler, or by an operation, which tells more while it runs.
open class CKDatabase: NSObject, @unchecked Sendable {
  /// Which database it is.
  public typealias Scope = CKDatabaseScope

  /// Which database it is.
  public let databaseScope: CKDatabase.Scope

  /// The container of the database.
  package let container: CKContainer
  /// How methods ask.
  let configuration: CKOperation.Configuration?
  /// How careful methods are.
  private let caution: ReplicaOptions

  /// What those who keep a replica want beyond what programs do.
  private struct ReplicaOptions: Sendable {
    /// In whose name anything is asked.
    var asker = Asker.whoeverIsSignedIn
    /// Whether requests are sent again by themselves that have perhaps arrived.
    var repeatsUncertain = true
    /// Whether files of assets are opened that are sealed.
    var opensFiles = false
    /// Up to where feeds of zones are known.
    var knownFeeds: [CKRecordZone.ID: String] = [:]
    /// Says of which records nobody needs the files.
    var leavesFiles: (@Sendable (CKRecord) -> Bool)?
  }

  private enum Asker: Sendable {
    case whoeverIsSignedIn, nobody
    /// The user of a record name alone.
    case user(String)
  }

  private init(
    _ container: CKContainer, _ scope: CKDatabase.Scope,
    _ configuration: CKOperation.Configuration?,
    _ caution: ReplicaOptions
  ) {
    self.container = container
    self.configuration = configuration
    self.caution = caution
    databaseScope = scope
  }

  convenience init(
    _ container: CKContainer, _ scope: CKDatabase.Scope, _ configuration: CKOperation.Configuration?
  ) {
    self.init(container, scope, configuration, ReplicaOptions())
  }

  /// The database for one user alone: while somebody else is signed in, nothing is asked.
  package func only(for userRecordName: String) -> CKDatabase {
    cautious { $0.asker = .user(userRecordName) }
  }

  /// The database for the program alone: whoever is signed in, everything is asked in nobody's
  /// name.
  package var onlyForNobody: CKDatabase { cautious { $0.asker = .nobody } }

  /// The database for who looks what became of a request whose answer was lost before they send it
  /// again.
  package var withoutRepeating: CKDatabase { cautious { $0.repeatsUncertain = false } }

  /// The database for who seals files of assets (`CKAsset.init(sealing:)`): they come as they were
  /// before.
  package var openingFiles: CKDatabase { cautious { $0.opensFiles = true } }

  /// The database for who has some records already: their assets come without files.
  ///
  /// - Parameter isKnown: Is asked of each record that has assets, before any of them is fetched.
  package func leavingFiles(of isKnown: @escaping @Sendable (CKRecord) -> Bool) -> CKDatabase {
    cautious { $0.leavesFiles = isKnown }
  }

  /// The database for who knows the feed of a zone up to a place: what others delete behind it is
  /// not created again, however late a request arrives.
  package func knowing(_ token: CKServerChangeToken, of zoneID: CKRecordZone.ID) -> CKDatabase {
    cautious { $0.knownFeeds[zoneID] = token.text }
  }

  private func cautious(_ change: (inout ReplicaOptions) -> Void) -> CKDatabase {
    var caution = caution
    change(&caution)
    return CKDatabase(container, databaseScope, configuration, caution)
  }

  /// Begins an operation on the database, once those are done that it depends on.
  open func add(_ operation: CKDatabaseOperation) {
    operation.database = self
    CKOperation.queue.addOperation(operation)
  }

  /// Lends a database whose methods ask as a configuration and a group say; what they leave open is
  /// as this one asks.
  open func configuredWith<R>(
    configuration: CKOperation.Configuration? = nil, group: CKOperationGroup? = nil,
    body: (_ database: CKDatabase) async throws -> R
  ) async rethrows -> R {
    try await body(configured(configuration, group))
  }

  /// Lends a database whose methods ask as a configuration and a group say; what they leave open is
  /// as this one asks.
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
    return CKDatabase(container, databaseScope, filled, caution)
  }

  /// What methods do their work with.
  func work() throws(CKError) -> DatabaseWork {
    var work = DatabaseWork(session: try session(), scope: databaseScope.wire)
    if let configuration {
      work.options = CallOptions(configuration, at: work.session.dependencies.steady())
    }
    work.options.retry.repeatsUncertain = caution.repeatsUncertain
    work.knownFeeds = caution.knownFeeds
    work.opensFiles = caution.opensFiles
    work.leavesFiles = caution.leavesFiles
    return work
  }

  /// The session through which one request after the other of an operation goes, whoever signs in
  /// meanwhile.
  private func session() throws(CKError) -> CloudSession {
    let session = try container.session()
    switch caution.asker {
    case .whoeverIsSignedIn: return session
    case .nobody: return try session.withoutUser()
    case .user(let name):
      guard name == session.knownUserRecordName else { throw CKError.otherUser }
      return session
    }
  }

  /// Databases are equal when they are the same one of one container.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CKDatabase else { return false }
    return databaseScope == other.databaseScope && container == other.container
  }

  /// Equal databases have equal hashes.
  open override var hash: Int { container.hash &+ databaseScope.rawValue }

  /// The container and which of its databases it is.
  open override var description: String { "<CKDatabase: \(databaseScope) of \(container)>" }
}

extension CKDatabaseScope {
  /// As requests say it.
  var wire: DatabaseScope {
    switch self {
    case .public: .public
    case .private: .private
    case .shared: .shared
    }
  }
}
