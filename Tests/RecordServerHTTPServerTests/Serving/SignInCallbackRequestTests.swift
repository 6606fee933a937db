import RecordServer
import TestSupport
import Testing

@Suite("Sign-in callbacks to a local program", .blockingThreads, .endsAtAll)
struct SignInCallbackRequestTests {
  private static let right = "name=Ada%40Example.com&password=correct+horse+battery"

  /// The URL to which a browser is redirected after signing in.
  private func location(_ testService: TestService, callback: String, _ parameters: String)
    async throws -> String
  {
    let token = try await testService.accounts.createAPIToken(
      for: TestService.container, callbackURL: callback)
    let reply = try Browser(testService, apiToken: token.text + parameters).send(Self.right)
    #expect(reply.status == 303, "\(reply)")
    return try #require(reply.fields["location"])
  }

  @Test func `A callback has the program's port and state`() async throws {
    try await TestService.run { testService in
      _ = try await testService.accounts.signUp(
        name: "ada@example.com", password: TestService.password, from: nil)
      let parameters = "&ckCallbackPort=54321&ckState=aZ09-_"
      for (callback, start) in [
        ("http://127.0.0.1/signed-in", "http://127.0.0.1:54321/signed-in?ckWebAuthToken="),
        ("http://127.0.0.1:8080/", "http://127.0.0.1:54321/?ckWebAuthToken="),
        ("http://[::1]?a=b", "http://[::1]:54321?a=b&ckWebAuthToken="),
        // A program can choose the port only of a callback to its own machine.
        ("http://127.0.0.1.example.com/", "http://127.0.0.1.example.com/?ckWebAuthToken="),
        ("https://app.example/in", "https://app.example/in?ckWebAuthToken="),
        ("notes://in", "notes://in?ckWebAuthToken="),
      ] {
        let location = try await location(testService, callback: callback, parameters)
        #expect(
          location.hasPrefix(start) && location.hasSuffix("&ckState=aZ09-_"),
          "\(callback): \(location)")
      }
      let plain = try await location(testService, callback: "http://127.0.0.1:8080/", "")
      #expect(
        plain.hasPrefix("http://127.0.0.1:8080/?ckWebAuthToken=") && !plain.contains("ckState"))
    }
  }

  @Test func `The form's policy allows the program's port`() async throws {
    try await TestService.run { testService in
      let token = try await testService.accounts.createAPIToken(
        for: TestService.container, callbackURL: "http://127.0.0.1/in")
      let page = try testService.client().get(
        "/sign-in?ckAPIToken=\(token.text)&ckCallbackPort=54321")
      #expect(
        page.fields["content-security-policy"]?.contains(
          "form-action 'self' http://127.0.0.1:54321;") == true)
    }
  }

  @Test(arguments: [
    "ckCallbackPort=0", "ckCallbackPort=65536", "ckCallbackPort=+80", "ckCallbackPort=", "ckState=",
    "ckState=a%22b",
  ])
  func `An invalid callback is rejected`(parameters: String) async throws {
    try await TestService.run { testService in
      let page = try testService.client().get(
        "/sign-in?ckAPIToken=\(testService.apiToken)&\(parameters)")
      #expect(page.status == 400)
    }
  }
}
