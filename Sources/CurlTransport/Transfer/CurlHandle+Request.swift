internal import CCurl
internal import CloudTransport

extension CurlHandle {
  /// Sets the options that all requests share.
  func setSharedOptions(_ settings: CurlTransport.Settings) {
    // The server speaks no other version.
    set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
    set(CURLOPT_NOSIGNAL, true)
    // Redirections are returned, not followed: a proxy might send one for any request.
    set(CURLOPT_FOLLOWLOCATION, false)
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, true)
    set(CURLOPT_USERAGENT, settings.userAgent)
    set(CURLOPT_CONNECTTIMEOUT_MS, settings.connectLimit.milliseconds)
    unsafe parhelion_curl_keep_sockets(pointer)
    unsafe parhelion_curl_leave_lookups(pointer)
    setProxy(settings.proxy)
    setSecurity(settings.security)
  }

  /// Sets the options of a request.
  ///
  /// A handle is reused without a reset, for plain requests only (`CurlTransfer.isPlain`). All of
  /// these set the same options.
  func setOptions(for request: TransportRequest, body: RequestBody) {
    clearMessage()
    set(CURLOPT_URL, request.address)
    setMethod(request.method, body)
    if recordFields(request.headers) { setOptions(of: request.headers) }
  }

  private func setOptions(of fields: [(name: String, value: String)]) {
    setFields(RequestFields.lines(fields))
    if fields.contains(where: { $0.name.isFieldName("Accept-Encoding") }) {
      unset(CURLOPT_ACCEPT_ENCODING)
    } else {
      // An empty text requests every encoding that libcurl can decode.
      set(CURLOPT_ACCEPT_ENCODING, "")
    }
  }

  private func setMethod(_ method: TransportRequest.Method, _ body: RequestBody) {
    switch body {
    case .none where method == .get: set(CURLOPT_HTTPGET, true)
    case .none: setBody([])
    case .bytes(let bytes): setBody(bytes)
    case .file(let file):
      set(CURLOPT_UPLOAD, true)
      set(CURLOPT_INFILESIZE_LARGE, size: file.count)
      set(CURLOPT_UPLOAD_BUFFERSIZE, Limits.bodyPieceBytes)
    }
    // By default, libcurl sends bodies in memory with POST, and files with PUT.
    if method == .put || body.isFile { set(CURLOPT_CUSTOMREQUEST, method.rawValue) }
  }

  /// Sets a body in memory, which libcurl copies.
  private func setBody(_ bytes: [UInt8]) {
    set(CURLOPT_POSTFIELDSIZE_LARGE, size: Int64(bytes.count))
    unsafe bytes.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress, !buffer.isEmpty else {
        return set(CURLOPT_COPYPOSTFIELDS, "")
      }
      unsafe set(CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: base))
    }
    set(CURLOPT_POST, true)
  }

  private func setProxy(_ proxy: CurlTransport.Proxy) {
    switch proxy {
    case .environment: break
    case .none: set(CURLOPT_PROXY, "")
    case .server(let address, let exceptions):
      set(CURLOPT_PROXY, address)
      set(CURLOPT_NOPROXY, exceptions.joined(separator: ","))
    }
  }

  private func setSecurity(_ security: CurlTransport.Security) {
    set(CURLOPT_SSL_VERIFYPEER, true)
    set(CURLOPT_SSL_VERIFYHOST, 2)
    set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    if let file = security.authorityFile {
      set(CURLOPT_CAINFO, file)
      unset(CURLOPT_CAPATH)
    }
    guard let certificate = security.clientCertificate else { return }
    set(CURLOPT_SSLCERT, certificate.certificateFile)
    set(CURLOPT_SSLKEY, certificate.keyFile)
  }
}

extension RequestBody {
  fileprivate var isFile: Bool { if case .file = self { true } else { false } }
}

extension Duration {
  fileprivate var milliseconds: Int { Int(self / .milliseconds(1)) }
}
