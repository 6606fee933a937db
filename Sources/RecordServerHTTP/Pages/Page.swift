import HTTPServer

/// A page of the server, and what its browser must not do.
struct Page {
  var title: String
  var body: HTML
  /// The only script that runs; there is none in most pages.
  var script: HTML?
  /// Where its form may lead besides this server, as a policy names it.
  var formTarget: String?

  /// - Parameter nonce: Letters and digits that nobody can guess: what does not carry them is
  ///   neither run nor shown.
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
    .fault { border-left: .25rem solid #c33; padding-left: .75rem; }
    code { overflow-wrap: anywhere; }
    pre { overflow-x: auto; }
    """
}
