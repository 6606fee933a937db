import CloudKitClient
import Testing

@Suite struct HandoverRequestTests {
  private func classify(
    _ isGet: Bool = true, _ path: String = "/share", _ query: String? = "ckState=abc&url=x",
    _ fields: [String: String] = ["host": "127.0.0.1:4321"]
  ) -> HandoverRequest {
    HandoverRequest(
      isGet: isGet, path: path, query: query, port: 4321, secret: "s3cret",
      field: { fields["\($0)"] })
  }

  @Test func `A browser's return has a state`() {
    #expect(classify() == .page(query: "ckState=abc&url=x", state: "abc"))
    for query in [nil, "", "url=x", "ckState=a&ckState=b"] as [String?] {
      #expect(classify(true, "/share", query) == .forged)
    }
  }

  @Test func `A program needs the secret`() {
    let host = ["host": "127.0.0.1:4321"]
    #expect(
      classify(false, "/hand-over", nil, host.merging(["x-parhelion-secret": "s3cret"]) { $1 })
        == .program)
    #expect(
      classify(false, "/hand-over", nil, host.merging(["x-parhelion-secret": "other"]) { $1 })
        == .forged)
    #expect(classify(false, "/hand-over", nil, host) == .forged)
    #expect(classify(false, "/share") == .forged)
  }

  @Test(arguments: [
    ["host": "evil.example:4321"], ["host": "localhost:4321"], ["host": "127.0.0.1:1"], [:],
    ["host": "127.0.0.1:4321", "origin": "https://evil.example"],
    ["host": "127.0.0.1:4321", "sec-fetch-mode": "cors"],
    ["host": "127.0.0.1:4321", "sec-fetch-mode": "no-cors"],
  ])
  func `Requests of other pages are rejected`(_ fields: [String: String]) {
    #expect(classify(true, "/share", "ckState=abc", fields) == .forged)
    let withSecret = fields.merging(["x-parhelion-secret": "s3cret"]) { $1 }
    #expect(classify(false, "/hand-over", nil, withSecret) == .forged)
  }

  @Test func `A browser's own requests are unrelated`() {
    #expect(classify(true, "/favicon.ico", nil) == .unrelated)
    let navigation = ["host": "127.0.0.1:4321", "sec-fetch-mode": "navigate", "origin": "null"]
    #expect(
      classify(true, "/share", "ckState=a", navigation) == .page(query: "ckState=a", state: "a"))
  }
}
