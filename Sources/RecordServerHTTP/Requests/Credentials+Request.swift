import CloudRecords
import CloudWire
import Cryptography
import HTTPServer
import RecordServer

extension Credentials {
  /// Reads the credentials of a request from its address or its header fields.
  ///
  /// - Parameter body: The whole body, if the request is signed.
  init(_ request: HTTPRequest, for container: ContainerAddress, body: [UInt8], isChanging: Bool) {
    let (parameters, headers) = (QueryParameters(request.query), request.headers)
    self.init(
      container: container,
      apiToken: parameters.value(of: "ckAPIToken") ?? headers["x-apple-cloudkit-api-token"],
      webToken: parameters.value(of: "ckWebAuthToken") ?? parameters.value(of: "ckSession")
        ?? headers["x-apple-cloudkit-web-auth-token"],
      signature: request.isSigned ? RequestSignature(request, body: body) : nil,
      origin: headers["origin"], isChanging: isChanging)
  }
}

extension RequestSignature {
  fileprivate init(_ request: HTTPRequest, body: [UInt8]) {
    let headers = request.headers
    self.init(
      keyIdentifier: headers["x-apple-cloudkit-request-keyid"] ?? "",
      date: headers["x-apple-cloudkit-request-iso8601date"] ?? "",
      signature: headers["x-apple-cloudkit-request-signaturev1"] ?? "",
      bodyHash: DigestAlgorithm.sha256.hash(body), hasBody: !body.isEmpty, path: request.path,
      query: request.query)
  }
}

extension HTTPRequest {
  /// The client's number of the request, or nil if the client sends none.
  var stamp: RequestStamp? {
    get throws(CloudError) {
      guard let text = headers["x-parhelion-request"] else { return nil }
      return try RequestStamp(text)
    }
  }

  /// Whether the request claims a signature by a server-to-server key, which covers the body.
  var isSigned: Bool {
    headers.contains("x-apple-cloudkit-request-keyid")
      || headers.contains("x-apple-cloudkit-request-iso8601date")
      || headers.contains("x-apple-cloudkit-request-signaturev1")
  }

  /// Whether the client asks for the current sync token of the zone.
  var wantsSyncToken: Bool { QueryParameters(query).value(of: "getCurrentSyncToken") == "true" }

  /// Whether the client is Parhelion's own, which supports more than Apple's documented protocol.
  var isByOwnClient: Bool { headers.contains("x-parhelion-client") }
}
