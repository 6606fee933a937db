import CloudRecords
import CloudWire
import Foundation
import RecordServer
import RecordServerHTTP
import Testing

@Suite struct `Routes` {
  private static let notes = ContainerAddress(
    container: "iCloud.com.example.notes", environment: .production)
  private static let base = "/database/1/iCloud.com.example.notes/production"

  @Test(arguments: Endpoint.allCases)
  func `Routes exist for every operation of every database`(endpoint: Endpoint) throws {
    for scope in DatabaseScope.allCases {
      let route = try Route(path: "\(Self.base)/\(scope.name)/\(endpoint.rawValue)")
      #expect(route == .database(.init(container: Self.notes, scope: scope, endpoint: endpoint)))
    }
  }

  @Test(arguments: [
    ("/device/1/iCloud.com.example.notes/production/tokens/create", true),
    (base + "/tokens/register", false),
    (base + "/public/tokens/create", true), (base + "/private/tokens/register", false),
  ])
  func `Routes for device tokens exist in all spellings`(path: String, isNew: Bool) throws {
    #expect(try Route(path: path) == .pushToken(Self.notes, isNew: isNew))
  }

  @Test(arguments: Route.PushDelivery.allCases)
  func `The address where a device waits has a route`(delivery: Route.PushDelivery) throws {
    let address = delivery.address(token: "a+b/c=")
    #expect(address == "/push/\(delivery.rawValue)?token=a%2Bb%2Fc%3D")
    let parts = address.split(separator: "?").map(String.init)
    #expect(try Route(path: parts[0]) == .push(delivery))
    #expect(QueryParameters(parts[1]).value(of: "token") == "a+b/c=")
  }

  @Test func `Routes for operators exist`() throws {
    #expect(try Route(path: "/") == .welcome)
    #expect(try Route(path: "/health") == .health)
    #expect(try Route(path: "/ready") == .readiness)
    #expect(try Route(path: "/metrics") == .metrics)
    #expect(try Route(path: "/admin/1/users/list") == .administration(.usersList))
  }

  @Test func `An invitation has a route to its page`() throws {
    #expect(try Route(path: "/share/0aB-_9") == .invitation("0aB-_9"))
    for path in [
      "/share", "/share/", "/share/a/b", "/share/a%2Fb", "/share/..",
      "/share/" + String(repeating: "a", count: 129),
    ] {
      #expect(throws: Route.Failure.self) { try Route(path: path) }
    }
  }

  @Test func `A path is split before its parts are decoded`() throws {
    let path = "/database/1/iCloud%2Ecom.example.notes/production/private/records%2Fquery"
    #expect(throws: Route.Failure.self) { try Route(path: path) }
    let route = try Route(
      path: "/database/1/iCloud%2Ecom.example.notes/production/private/records/query")
    #expect(
      route
        == .database(.init(container: Self.notes, scope: .private, endpoint: .recordsQuery)))
  }

  @Test(arguments: [
    "", "//", "/database", base, base + "/private", base + "/private/", base + "/private/records",
    base + "/other/records/query",
    "/database/2/iCloud.a/production/private/records/query",
    "/database/1/iCloud.a/staging/private/records/query",
    "/database/1/../production/private/records/query",
    "/database/1/%2E%2E/production/private/records/query",
    "/database/1/a%00b/production/private/records/query",
    "/database/1/a%zz/production/private/records/query",
    "/database/1/%ff/production/private/records/query",
    "//database/1/iCloud.a/production/private/records/query",
    "/device/1/iCloud.a/production/private/records/query", base + "/private/records/query/x",
    "/HEALTH", "/admin/1/",
    "/admin/2/users/list", "/admin/1/users",
  ])
  func `An invalid path has a reason`(path: String) {
    #expect {
      try Route(path: path)
    } throws: { ($0 as? Route.Failure)?.reason.isEmpty == false }
  }
}

@Suite struct `Query parameters` {
  @Test func `Parameters are found by name, whatever is around them`() {
    let parameters = QueryParameters(
      "ckjsVersion=2.6&ckAPIToken=ab%2Bc&flag&a=1=2&a=second&%6Eame=x%20y+z&bad=%4")
    #expect(parameters.value(of: "ckAPIToken") == "ab+c")
    #expect(parameters.value(of: "flag") == "")
    #expect(parameters.value(of: "a") == "1=2")
    #expect(parameters.value(of: "name") == "x y+z")
    #expect(parameters.value(of: "name", plusIsSpace: true) == "x y z")
    #expect(parameters.value(of: "bad") == nil)
    #expect(parameters.value(of: "missing") == nil)
    #expect(QueryParameters(nil).value(of: "a") == nil)
  }
}

@Suite struct `Metrics and log lines` {
  @Test func `Metrics are counts and duration buckets`() {
    let metrics = Metrics()
    metrics.count(operation: "records/query", status: 200, seconds: 0.0015, received: 10, sent: 20)
    metrics.count(operation: "records/query", status: 200, seconds: 99, received: 1, sent: 2)
    metrics.count(operation: "records/query", status: 400, seconds: 0.0005, received: 0, sent: 0)
    let lines = metrics.text(gauges: [
      .init(name: "parhelion_connections", help: "Open connections.", value: 3)
    ]).split(
      separator: "\n"
    ).map(
      String.init)
    #expect(lines.contains(#"parhelion_requests_total{operation="records/query",status="200"} 2"#))
    #expect(lines.contains(#"parhelion_requests_total{operation="records/query",status="400"} 1"#))
    #expect(
      lines.contains(#"parhelion_request_seconds_bucket{operation="records/query",le="0.001"} 1"#))
    #expect(
      lines.contains(#"parhelion_request_seconds_bucket{operation="records/query",le="0.002"} 2"#))
    #expect(
      lines.contains(#"parhelion_request_seconds_bucket{operation="records/query",le="10.0"} 2"#))
    #expect(
      lines.contains(#"parhelion_request_seconds_bucket{operation="records/query",le="+Inf"} 3"#))
    #expect(lines.contains(#"parhelion_request_seconds_count{operation="records/query"} 3"#))
    #expect(lines.contains("parhelion_received_bytes_total 11"))
    #expect(lines.contains("parhelion_sent_bytes_total 22"))
    #expect(lines.contains("# TYPE parhelion_connections gauge"))
    #expect(lines.contains("parhelion_connections 3"))
  }

  @Test(arguments: ["x", "ä", "🜁", "\u{1}", "e\u{301}"])
  func `Log lines are short JSON, whatever clients send`(character: String) throws {
    let long = String(repeating: character, count: 100_000)
    var entry = RequestLogEntry(
      requestIdentifier: "ab", time: Timestamp(milliseconds: 5), method: "POST", path: "/" + long,
      status: 400,
      microseconds: 7, remoteAddress: long, userRecordName: "_ada",
      error: CloudError(.badRequest, long))
    let failure = ErrorLogEntry(
      time: Timestamp(milliseconds: 5), requestIdentifier: "ab", message: long)
    for line in [entry.line, failure.line] {
      #expect(line.utf8.count <= 4_000)
      #expect(try JSONSerialization.jsonObject(with: Data(line.utf8)) is [String: Any])
      #expect(!line.contains("\u{FFFD}") && line.contains("…"))
    }
    (entry.path, entry.remoteAddress) = ("/", "::1")
    let members = try JSONSerialization.jsonObject(with: Data(entry.line.utf8)) as? [String: Any]
    let reason = try #require(members?["reason"] as? String)
    #expect(
      (490...500).contains(reason.utf8.count)
        && long.unicodeScalars.starts(with: reason.unicodeScalars.dropLast()),
      "\(reason)")
  }

  @Test func `Each request is a line of JSON`() {
    let entry = RequestLogEntry(
      requestIdentifier: "ab", time: Timestamp(milliseconds: 5), method: "POST", path: "/x\n",
      status: 400,
      microseconds: 7,
      remoteAddress: "::1", userRecordName: "_ada", error: CloudError(.badRequest, "No \"body\"."))
    #expect(
      entry.line
        == #"{"time":5,"request":"ab","method":"POST","path":"/x\n","status":400,"microseconds":7,"remote":"::1","user":"_ada","code":"BAD_REQUEST","reason":"No \"body\"."}"#
    )
  }
}
