import Foundation

/// A zone on the measured server, and the number of records that it must have.
final class BenchZone {
  let name: String
  let server: BenchServer
  /// The number of acknowledged records.
  private(set) var count = 0
  private let client: BenchClient

  /// Creates the zone.
  init(_ name: String, on server: BenchServer) throws {
    (self.name, self.server) = (name, server)
    client = try server.client()
    let created = try client.ask(
      server.request(
        "zones/modify",
        #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"\#(name)"}}}]}"#))
    guard BenchRecords.occurrences(of: "serverErrorCode", in: created) == 0 else {
      throw BenchClient.Refused(answer: String(decoding: created, as: UTF8.self))
    }
  }

  // MARK: Pushing

  /// The maximum number of records per request.
  static let batch = 200

  /// The bytes of a request that creates records.
  func creation(of names: [String]) -> [UInt8] {
    server.request("records/modify", BenchRecords.creation(of: names, in: name))
  }

  /// Sends a request that creates records, and checks the response.
  static func push(_ request: [UInt8], of count: Int, by client: BenchClient) throws {
    let answer = try client.ask(request)
    guard BenchRecords.occurrences(of: #""recordChangeTag""#, in: answer) == count else {
      throw BenchClient.Refused(answer: String(decoding: answer, as: UTF8.self))
    }
  }

  /// Creates records, and counts them.
  func push(_ request: [UInt8], of count: Int) throws {
    try Self.push(request, of: count, by: client)
    self.count += count
  }

  /// Counts records that other clients pushed.
  func pushed(_ count: Int) { self.count += count }

  /// Creates records up to a number, with several concurrent clients.
  func fill(to wanted: Int) throws {
    let (port, share) = (server.port, 20 * Self.batch)
    while count < wanted {
      let missing = min(share, wanted - count)
      let batches = stride(from: 0, to: missing, by: Self.batch).map { start in
        let names = BenchRecords.names(min(Self.batch, missing - start))
        return (request: creation(of: names), count: names.count)
      }
      _ = try Parallel.run(4) { number in
        let client = try BenchClient(port: port)
        for place in stride(from: number, to: batches.count, by: 4) {
          try Self.push(batches[place].request, of: batches[place].count, by: client)
        }
      }
      count += missing
    }
  }

  /// Creates one tiny record and returns its name.
  func addSmallRecord() throws -> String {
    let name = UUID().uuidString
    let body =
      #"{"zoneID":{"zoneName":"\#(self.name)"},"operations":[{"operationType":"create","record":{"recordName":"\#(name)","#
      + #""recordType":"Small","fields":{"title":{"value":"A"}}}}]}"#
    try push(server.request("records/modify", body), of: 1)
    return name
  }

  // MARK: Pulling

  /// All pages of the zone, as the server sends them.
  func pages() throws -> [[UInt8]] {
    var (pages, token): ([[UInt8]], String?) = ([], nil)
    while true {
      let bytes = try client.ask(changesRequest(since: token))
      let page = ZoneAnswer(bytes)
      guard let next = page.syncToken else { throw BenchClient.Refused(answer: page.text) }
      pages.append(bytes)
      token = next
      if !page.hasMore { return pages }
    }
  }

  /// Fetches the changes since a token, page by page to the end.
  ///
  /// - Parameter onlyNames: Whether records come without their fields.
  /// - Returns: The number of records, and the token after them.
  func pull(since token: String? = nil, onlyNames: Bool = false) throws -> (
    records: Int, token: String
  ) {
    var (records, token) = (0, token)
    while true {
      let page = ZoneAnswer(try client.ask(changesRequest(since: token, onlyNames: onlyNames)))
      guard let next = page.syncToken else { throw BenchClient.Refused(answer: page.text) }
      records += page.records
      token = next
      if !page.hasMore { return (records, next) }
    }
  }

  /// The bytes of a request for the changes since a token.
  func changesRequest(since token: String?, onlyNames: Bool = false) -> [UInt8] {
    let position = token.map { #","syncToken":"\#($0)""# } ?? ""
    let keys = onlyNames ? #","desiredKeys":[]"# : ""
    return server.request(
      "changes/zone", #"{"zones":[{"zoneID":{"zoneName":"\#(name)"}\#(position)\#(keys)}]}"#)
  }

  /// Throws unless the server has exactly the acknowledged records.
  func verify() throws {
    let stored = try pull(onlyNames: true).records
    guard stored == count else {
      throw ServerBenchmark.Failure.otherRecords(stored: stored, acknowledged: count)
    }
  }
}

/// A page of a zone's feed, searched for a few texts instead of parsed as JSON.
struct ZoneAnswer {
  let records: Int
  /// The token after the page, in JSON.
  let syncToken: String?
  let hasMore: Bool
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    records = BenchRecords.occurrences(of: #""recordChangeTag""#, in: bytes)
    // The token and `moreComing` follow the records.
    let end = String(decoding: bytes.suffix(1_024), as: UTF8.self)
    hasMore = end.contains(#""moreComing":true"#)
    let start = end.ranges(of: #""syncToken":""#).last?.upperBound
    syncToken = start.map { String(end[$0...].prefix { $0 != "\"" }) }
  }

  var text: String { String(decoding: bytes, as: UTF8.self) }
}
