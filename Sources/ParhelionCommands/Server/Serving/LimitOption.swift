import CloudRecords
import HTTPServer
import RecordServer
import RecordServerHTTP

/// A limit that an operator sets: `--limit NAME=NUMBER`.
package struct LimitOption {
  static let option = CommandOption(
    "--limit", value: "NAME=NUMBER", isRepeatable: true,
    "Set a limit, such as file-bytes=50M. K, M and G multiply by 1,024, 1,024² and 1,024³.")

  package let name: String
  /// The description of the limited quantity.
  package let summary: String
  let range: ClosedRange<Int>
  private let path: WritableKeyPath<CloudServer.Configuration, Int>

  private init(
    _ name: String, _ path: WritableKeyPath<CloudServer.Configuration, Int>,
    in range: ClosedRange<Int>,
    _ summary: String
  ) {
    (self.name, self.path, self.range, self.summary) = (name, path, range, summary)
  }

  /// Every limit, in the order of the help.
  package static var all: [LimitOption] {
    [
      .init(
        "operations", \.limits.operationsPerRequest, in: 1...10_000,
        """
        operations, uploads, zones, users, shares, subscriptions, key bags, filters or sorts in a request; an \
        atomic batch may have twice as many records
        """),
      .init(
        "filter-values", \.limits.valuesPerFilter, in: 1...100_000,
        "values, or words, of a query's filter"),
      .init(
        "records", \.limits.recordsPerResponse, in: 1...10_000,
        "records of a response, and records that a request names"),
      .init("answer-bytes", \.limits.answerBytes, in: 1_024...(1 << 30), "bytes of a response"),
      // The storage limits a value to sixteen megabytes, and a record is stored with its names.
      .init(
        "record-bytes", \.limits.recordBytes, in: 1_024...(15 << 20),
        "bytes of a record without its files"),
      .init("file-bytes", \.fileBytes, in: 1...(1 << 50), "bytes of a file"),
      .init(
        privateBytes, \.privateBytes, in: 0...(1 << 60),
        """
        bytes of a user's private database in a container, files included; 0 means no limit; \
        \(quotaForOthers >> 30) GB by default if other machines reach the server
        """),
      .init(
        "public-bytes", \.publicBytes, in: 0...(1 << 60),
        "bytes of a container's public database, files included; 0 means no limit"),
      .init(
        "request-bytes", \.service.bodyBytes, in: 1_024...(1 << 30),
        "bytes of a request body in memory"),
      .init(
        "memory-bytes", \.service.memory.total, in: (1 << 20)...(1 << 40),
        "bytes of all request bodies in memory, and as many of all unsent responses"),
      .init(
        "memory-bytes-per-user", \.service.memory.perUser, in: (1 << 20)...(1 << 40),
        "the same for one user or one program's key"),
      .init(
        memoryPerAddress, \.service.memory.perNetwork, in: (1 << 20)...(1 << 40),
        """
        the same for one network address (an IPv6 /64); half of memory-bytes by default if the server can tell \
        client addresses apart
        """),
      .init("key-bag-bytes", \.limits.keyBagBytes, in: 1_024...(15 << 20), "bytes of a key bag"),
      .init(
        "fields", \.limits.fieldsPerRecordType, in: 1...ServiceLimits.greatestFieldsPerRecordType,
        "fields of a record type"),
      .init(
        "zones", \.limits.zonesPerDatabase, in: 1...100_000,
        """
        zones of a database, and zones of others that a user takes part in; fewer if their list would exceed \
        answer-bytes
        """),
      .init(
        "subscriptions", \.limits.subscriptionsPerDatabase, in: 1...100_000,
        "subscriptions of a user to a database; fewer if their list would exceed answer-bytes"),
      .init("devices", \.limits.devicesPerUser, in: 1...10_000, "devices of a user"),
      .init(
        "participants", \.limits.participantsPerShare, in: 1...10_000, "participants of a share"),
      .init(
        "cascades", \.limits.cascadesPerTarget, in: 0...100_000,
        "records deleted together with one that they refer to"),
      .init(
        "cascades-at-once", \.limits.cascadesPerRequest, in: 0...1_000_000,
        "records deleted by cascade in one request"),
      .init("horizon-days", \.horizonDays, in: 1...36_500, "days for which deletions are reported"),
      .init(
        "requests-per-second", \.requestsPerSecond, in: 0...1_000,
        """
        sustained requests per second of a user, a program's key, or a network address without a user; 0 means \
        no limit
        """),
      .init(
        "requests-at-once", \.requestsAtOnce, in: 1...1_000_000, "a burst of requests after a pause"
      ),
      .init("connections", \.http.maximumConnections, in: 1...1_000_000, "connections"),
      .init(
        perAddress, \.http.maximumConnectionsPerAddress, in: 1...1_000_000,
        """
        connections of one network address; a tenth of connections by default if other machines reach the \
        server without a proxy
        """),
    ]
  }

  private static let perAddress = "connections-per-address"
  private static let memoryPerAddress = "memory-bytes-per-address"
  private static let privateBytes = "private-bytes"

  /// The limit without `--limit`, on a server that only its own machine reaches.
  package var defaultValue: Int { ServeOptions.usual[keyPath: path] }

  /// The limits and their defaults for the help, one per line.
  static var help: String {
    all.map { "- \($0.name) (\($0.defaultValue)): \($0.summary)" }.joined(separator: "\n")
  }
}

// MARK: - Reading

extension LimitOption {
  /// Applies the options to a configuration.
  static func apply(_ words: [String], to configuration: inout CloudServer.Configuration)
    throws(UsageError)
  {
    var named: Set<String> = []
    for word in words {
      let (limit, number) = try read(word)
      guard named.insert(limit.name).inserted else {
        throw UsageError("The limit \(limit.name) is given twice.")
      }
      configuration[keyPath: limit.path] = number
    }
    if !named.contains(perAddress) { configuration.limitConnectionsPerAddress() }
    if !named.contains(memoryPerAddress) { configuration.limitMemoryPerAddress() }
    if !named.contains(privateBytes), configuration.servesOthers {
      configuration.privateBytes = quotaForOthers
    }
  }

  /// The quota of a private database if other machines reach the server: that of Apple's free plan.
  static let quotaForOthers = 5 << 30

  private static func read(_ word: String) throws(UsageError) -> (LimitOption, Int) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
      String.init)
    let names = all.map(\.name)
    guard let limit = all.first(where: { $0.name == parts[0] }) else {
      let suggestion = Suggestion.text(for: parts[0], among: names)
      throw UsageError(
        "There is no limit \"\(parts[0])\".\(suggestion) There are \(names.joined(separator: ", "))."
      )
    }
    guard parts.count == 2, let number = number(parts[1]), limit.range.contains(number) else {
      throw UsageError(
        "--limit cannot be \"\(word)\"; \(limit.name) is a number from \(limit.range.lowerBound) to \(limit.range.upperBound)."
      )
    }
    return (limit, number)
  }

  /// Parses a number with an optional suffix for kilobytes, megabytes, or gigabytes.
  private static func number(_ text: String) -> Int? {
    let units: [Character: Int] = ["K": 10, "M": 20, "G": 30]
    guard let last = text.last, let shift = units[last] else { return Int(text) }
    guard let number = Int(text.dropLast()) else { return nil }
    let (product, isTooGreat) = number.multipliedReportingOverflow(by: 1 << shift)
    return isTooGreat ? nil : product
  }
}

extension CloudServer.Configuration {
  fileprivate var fileBytes: Int {
    get { Int(clamping: limits.assetBytes) }
    set { limits.assetBytes = Int64(newValue) }
  }

  fileprivate var privateBytes: Int {
    get { Int(clamping: limits.privateDatabaseBytes ?? 0) }
    set { limits.privateDatabaseBytes = newValue == 0 ? nil : Int64(newValue) }
  }

  fileprivate var publicBytes: Int {
    get { Int(clamping: limits.publicDatabaseBytes ?? 0) }
    set { limits.publicDatabaseBytes = newValue == 0 ? nil : Int64(newValue) }
  }

  fileprivate var horizonDays: Int {
    get { Int(limits.tombstoneSeconds / 86_400) }
    set { limits.tombstoneSeconds = Int64(newValue) * 86_400 }
  }

  fileprivate var requestsPerSecond: Int {
    get { accounts.requests.map { Int(1_000_000 / $0.microsecondsForEach) } ?? 0 }
    set {
      accounts.requests =
        newValue == 0 ? nil : AttemptRate(atOnce: requestsAtOnce, perSecond: newValue)
    }
  }

  fileprivate var requestsAtOnce: Int {
    get { accounts.requests?.atOnce ?? ServeOptions.usualRate.atOnce }
    set { accounts.requests?.atOnce = newValue }
  }

  /// Limits each network address to a tenth of the connections, if other machines reach the server
  /// without a proxy.
  fileprivate mutating func limitConnectionsPerAddress() {
    let isReachedDirectly = !listensToItself && !service.trustsProxy
    http.maximumConnectionsPerAddress =
      isReachedDirectly ? max(1, http.maximumConnections / 10) : http.maximumConnections
  }

  /// Limits each network address to half of the memory, if addresses distinguish clients.
  fileprivate mutating func limitMemoryPerAddress() {
    let tellsClientsApart = !listensToItself || service.trustsProxy
    service.memory.perNetwork =
      tellsClientsApart ? max(1, service.memory.total / 2) : service.memory.total
  }

  /// Whether only programs on this machine reach the server's port.
  private var listensToItself: Bool { ["127.0.0.1", "::1"].contains(http.host) }

  /// Whether other machines reach the server, directly or through a proxy.
  var servesOthers: Bool { !listensToItself || service.trustsProxy || hasPublicAddress }

  private var hasPublicAddress: Bool {
    guard let host = service.publicAddress?.split(separator: "/").last else { return false }
    return !["localhost", "127.0.0.1", "[::1]"].contains { host == $0 || host.hasPrefix("\($0):") }
  }
}
