import HTTPServer

/// The page at `/`: a description of the server, and the next steps.
///
/// It shows nothing that this server stores.
extension RecordService {
  func answerWelcome(_ request: HTTPRequest) -> Answer {
    let body: HTML = """
      <p>This is a Parhelion record server. It stores the records of applications that use CloudKit, and speaks the protocol of \
      CloudKit Web Services.</p>
      <h2>Next</h2>
      \(settings.allowsDevelopmentUsers ? Self.developmentSteps(address(of: request)) : Self.steps)
      <p>People make accounts, sign in and sign out on pages that applications lead them to. \
      <a href="/health">/health</a> says whether the server answers, <a href="/openapi.json">/openapi.json</a> describes every \
      address.</p>
      """
    return Answer(Page(title: "Record server", body: body).response(nonce: FormToken.random))
  }

  /// The next steps for a server that only this machine reaches.
  private static func developmentSteps(_ address: String) -> HTML {
    """
    <p>A program on this machine can start at once, as any user that it names:</p>
    <pre><code>CKContainer.configure(
      .development("iCloud.com.example.notes", user: "ada"))</code></pre>
    <p>Or from a shell:</p>
    <pre><code>curl \(address)/database/1/iCloud.com.example.notes/development/private/zones/list \\
      -H "\(developmentUserField): ada" -d "{}"</code></pre>
    <p>Each name is a separate user. This works only in the development environment and only for programs on this machine, \
    never for a web page. In all other cases:</p>
    \(steps)
    """
  }

  private static let steps: HTML = """
    <ol>
    <li><code>parhelion token create --container iCloud.com.example.notes</code> makes a token for an application.</li>
    <li><code>parhelion user add NAME</code> makes an account.</li>
    </ol>
    <p>Continue with <code>Documentation/Server/QuickStart.md</code>.</p>
    """
}
