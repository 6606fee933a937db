import AssetStorage
import CloudRecords
import HTTPServer
import RecordServer

extension RecordService {
  /// Sends a file, or the part of it that the client asks for.
  ///
  /// The contents at an address never change, so clients may cache them as long as the address is
  /// valid.
  func answerDownload(_ request: HTTPRequest) async throws -> Answer {
    let (file, grant) = try await assetStore.file(ticket: try ticket(of: request)) {
      try HTTPFile(path: $0)
    }
    let tag = "\"\(grant.checksum.text)\""
    let headers = headers(for: grant)
    guard !isKnown(tag, to: request) else {
      var headers = headers
      headers.append("ETag", tag)
      return Answer(HTTPResponse(.notModified, headers: headers))
    }
    return Answer(try HTTPResponse(file: file, for: request, headers: headers, entityTag: tag))
  }

  /// Header fields that keep browsers from showing a user's file as a page of this server.
  private func headers(for grant: DownloadGrant) -> HTTPHeaders {
    let milliseconds = grant.expires.milliseconds - server.dependencies.now().milliseconds
    return [
      "Content-Type": "application/octet-stream",
      "Content-Disposition": "attachment",
      "Cache-Control": "private, max-age=\(max(0, milliseconds / 1_000)), immutable",
      "X-Content-Type-Options": "nosniff",
      "Content-Security-Policy": "default-src 'none'; sandbox",
      "Cross-Origin-Resource-Policy": "cross-origin",
    ]
  }

  /// Whether the client already has these contents.
  private func isKnown(_ tag: String, to request: HTTPRequest) -> Bool {
    request.headers.values(of: "if-none-match").joined(separator: ",").split(separator: ",")
      .contains { named in
        let named = named.filter { $0 != " " && $0 != "\t" }
        return named == "*" || named == tag || named == "W/" + tag
      }
  }
}
