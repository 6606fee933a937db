import HTTPServer

/// A page of the server, with its content security policy.
struct Page {
  var title: String
  var body: HTML
  /// The only script that the page may run.
  ///
  /// Most pages have none.
  var script: HTML?
  /// A target of the page's form other than this server, as a source of the policy.
  var formTarget: String?

  /// Creates the response with the page.
  ///
  /// - Parameter nonce: Unpredictable letters and digits. Browsers ignore scripts and styles
  ///   without them.
  func response(_ status: HTTPStatus, nonce: String) -> HTTPResponse {
    HTTPResponse(status, headers: headers(nonce), body: .bytes(Array(document(nonce).text.utf8)))
  }

  private func headers(_ nonce: String) -> HTTPHeaders {
    let scripts = script == nil ? "" : " script-src 'nonce-\(nonce)';"
    let target = formTarget.map { " \($0)" } ?? ""
    let policy =
      "default-src 'none'; style-src 'nonce-\(nonce)';\(scripts) form-action 'self'\(target); frame-ancestors 'none'; base-uri 'none'"
    return [
      "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": policy,
      "X-Frame-Options": "DENY",
      "X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin",
      "Cache-Control": "no-store",
    ]
  }

  private func document(_ nonce: String) -> HTML {
    let end: HTML = script.map { "<script nonce=\"\(nonce)\">\($0)</script>" } ?? ""
    return """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
      <title>\(title)</title>
      <style nonce="\(nonce)">\(Self.style)</style>
      </head>
      <body><main><h1>\(title)</h1>
      \(body)
      </main>\(end)</body>
      </html>

      """
  }

  private static let style: HTML = """
    :root { color-scheme: light dark; font-family: system-ui, sans-serif; }
    main { max-width: 22rem; margin: 10vh auto; padding: 0 1rem; }
    label { display: block; margin: 1rem 0; }
    input:not([type=checkbox]) { display: block; width: 100%; box-sizing: border-box; padding: .5rem; font: inherit; }
    button { padding: .5rem 1.5rem; font: inherit; }
    .error { border-left: .25rem solid #c33; padding-left: .75rem; }
    code { overflow-wrap: anywhere; }
    pre { overflow-x: auto; }
    """
}
