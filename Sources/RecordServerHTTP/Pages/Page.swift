import CloudRecords
import HTTPServer

/// A page of the server, with its content security policy.
struct Page {
  var title: String
  var body: HTML
  /// The only script that the page may run.
  ///
  /// Most pages have none.
  var script: HTML?
  /// A form target other than this server, as a source of the content security policy.
  var formTarget: String?
  /// Whether the page shows an image from a `data:` URL.
  var hasImage = false

  /// Creates the response with the page.
  ///
  /// - Parameters:
  ///   - error: The error that the page shows, which decides the status.
  ///   - nonce: Unpredictable letters and digits. Browsers ignore scripts and styles without them.
  func response(_ error: CloudError? = nil, nonce: String) -> HTTPResponse {
    let status = HTTPStatus(rawValue: error?.code.httpStatus ?? 200)
    var headers = headers(nonce)
    if let seconds = error?.retryAfterSeconds { headers.append("Retry-After", String(seconds)) }
    return HTTPResponse(
      status, headers: headers, body: .bytes(Array(document(nonce).text.utf8)))
  }

  private func headers(_ nonce: String) -> HTTPHeaders {
    let scripts = script == nil ? "" : " script-src 'nonce-\(nonce)';"
    let target = formTarget.map { " \($0)" } ?? ""
    let images = hasImage ? " img-src data:;" : ""
    let policy =
      "default-src 'none'; style-src 'nonce-\(nonce)';\(images)\(scripts)"
      + " form-action 'self'\(target); frame-ancestors 'none'; base-uri 'none'"
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
    :root { color-scheme: light dark; font-family: system-ui, sans-serif; line-height: 1.45;
      --line: light-dark(#d5d8de, #3a3f47); --soft: light-dark(#5b6270, #a4abb8);
      --back: light-dark(#f3f4f6, #16181c); --card: light-dark(#fff, #202329);
      --main: light-dark(#0b5fd0, #6aa8ff);
      --onmain: light-dark(#fff, #10131a); --bad: light-dark(#b3261e, #ff8a80); }
    body { margin: 0; background: var(--back); }
    main { max-width: 27rem; margin: 8vh auto; padding: 1.5rem 2rem 2rem;
      background: var(--card); border: 1px solid var(--line);
      border-radius: .9rem; box-sizing: border-box; }
    main:has(.wide) { max-width: 40rem; }
    @media (max-width: 30rem) {
      main { margin: 0; border: 0; border-radius: 0; padding: 1.25rem; min-height: 100vh; } }
    h1 { font-size: 1.45rem; margin: 0 0 .75rem; overflow-wrap: anywhere; }
    h2 { font-size: 1.05rem; margin: 1.75rem 0 .5rem; padding-top: 1.25rem;
      border-top: 1px solid var(--line); }
    label { display: block; margin: 1rem 0; }
    input:not([type=checkbox]), select { display: block; width: 100%; box-sizing: border-box;
      padding: .55rem .65rem; font: inherit; border: 1px solid var(--line); border-radius: .45rem;
      background: var(--back); color: inherit; }
    button, .button { display: inline-block; padding: .5rem 1.1rem; font: inherit;
      border: 1px solid var(--main); border-radius: .5rem;
      background: var(--main); color: var(--onmain); text-decoration: none; cursor: pointer; }
    button.plain { background: none; color: var(--main); border-color: var(--line); }
    button.bad { background: none; color: var(--bad); border-color: var(--line); }
    .small { padding: .25rem .7rem; font-size: .9rem; }
    .row { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; }
    .row > form { margin: 0; }
    .row > .grow, .row > form.grow { flex: 1 1 12rem; }
    form.line { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; margin: .5rem 0; }
    form.line input:not([type=hidden]) { flex: 1 1 11rem; width: auto; }
    form.line select { width: auto; flex: 0 1 auto; }
    .people { list-style: none; padding: 0; margin: 0; }
    .people > li { padding: .65rem 0; border-bottom: 1px solid var(--line); display: flex;
      flex-wrap: wrap; gap: .5rem; align-items: center; }
    .people > li:last-child { border-bottom: 0; }
    .person { flex: 1 1 13rem; overflow-wrap: anywhere; }
    .person small, .soft { color: var(--soft); display: block; }
    .head { display: flex; gap: 1rem; align-items: center; margin-bottom: .75rem; }
    .head img { width: 5rem; height: 5rem; object-fit: cover; border-radius: .7rem;
      border: 1px solid var(--line); flex: none; }
    .head > div { min-width: 0; }
    .error { border-left: .25rem solid var(--bad); padding-left: .75rem; }
    .done { border-left: .25rem solid var(--main); padding-left: .75rem; }
    code { overflow-wrap: anywhere; }
    pre { overflow-x: auto; }
    """
}
