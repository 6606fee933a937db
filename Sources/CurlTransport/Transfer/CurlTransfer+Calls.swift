internal import CCurl

extension CurlHandle {
  /// Sets libcurl's callbacks.
  func connectCalls() {
    unsafe set(CURLOPT_HEADERFUNCTION) { unsafe CurlTransfer.lineCame($0, $1 * $2, $3) }
    unsafe set(CURLOPT_WRITEFUNCTION) { unsafe CurlTransfer.bytesCame($0, $1 * $2, $3) }
    unsafe set(CURLOPT_READFUNCTION) { unsafe CurlTransfer.bytesWanted($0, $1 * $2, $3) }
    unsafe parhelion_curl_set_progress(pointer) { context, _, _, _, sent in
      unsafe CurlTransfer.at(context).progressed(sent)
    }
    unsafe parhelion_curl_set_beginning(pointer) { context, _, _, _, _ in
      unsafe CurlTransfer.at(context).mayBeSent()
        ? CInt(CURL_PREREQFUNC_OK) : CInt(CURL_PREREQFUNC_ABORT)
    }
  }

  /// Sets the transfer that callbacks receive.
  ///
  /// The loop keeps the transfer alive while libcurl has its handle.
  func call(_ transfer: CurlTransfer) {
    let context = unsafe Unmanaged.passUnretained(transfer).toOpaque()
    for option in [
      CURLOPT_HEADERDATA, CURLOPT_WRITEDATA, CURLOPT_READDATA, CURLOPT_XFERINFODATA,
      CURLOPT_PREREQDATA,
    ] {
      unsafe set(option, context)
    }
  }
}

/// libcurl's callbacks, all called within the loop's `perform` and `resume`.
extension CurlTransfer {
  fileprivate static func at(_ context: UnsafeMutableRawPointer?) -> CurlTransfer {
    guard let context = unsafe context else {
      preconditionFailure("libcurl returns the context that it was given.")
    }
    return unsafe Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
  }

  fileprivate static func lineCame(
    _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int, _ context: UnsafeMutableRawPointer?
  ) -> Int {
    let line = unsafe UnsafeRawBufferPointer(start: bytes, count: count).assumingMemoryBound(
      to: UInt8.self)
    return unsafe at(context).takeLine(line.span) ? count : 0
  }

  fileprivate static func bytesCame(
    _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int, _ context: UnsafeMutableRawPointer?
  ) -> Int {
    switch unsafe at(context).take(UnsafeRawBufferPointer(start: bytes, count: count)) {
    case true: count
    case false: Int(CURL_WRITEFUNC_PAUSE)
    case nil: count + 1
    }
  }

  fileprivate static func bytesWanted(
    _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int, _ context: UnsafeMutableRawPointer?
  ) -> Int {
    unsafe at(context).read(into: UnsafeMutableRawBufferPointer(start: bytes, count: count))
      ?? Int(CURL_READFUNC_ABORT)
  }

  /// Handles a progress callback, which libcurl makes whether bytes moved or not.
  fileprivate func progressed(_ sent: curl_off_t) -> CInt {
    hasSent(Int64(sent))
    return 0
  }
}
