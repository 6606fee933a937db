internal import CCurl

/// libcurl's multi handle, with its connections and TLS sessions.
// Sendable: any thread may wake it until it is closed, and one driver at a time makes the other
// calls. The inbox ensures both.
@safe final class CurlMulti: @unchecked Sendable {
  private let pointer: UnsafeMutableRawPointer
  private let share: UnsafeMutableRawPointer
  private var isClosed = false

  /// libcurl's global initialization, which happens once.
  private static let isReady: Bool = curl_global_init(Int(CURL_GLOBAL_ALL)) == CURLE_OK

  /// Creates a handle without transfers, or returns nil if no descriptor is left for waking it.
  init?() {
    guard Self.isReady, let share = unsafe curl_share_init() else {
      preconditionFailure("Out of memory: libcurl could not be started.")
    }
    guard let pointer = unsafe Self.wakeable() else {
      unsafe curl_share_cleanup(share)
      return nil
    }
    unsafe self.pointer = unsafe pointer
    unsafe self.share = unsafe share
    unsafe parhelion_curl_share_sessions(share)
    unsafe parhelion_curl_multi_set_number(pointer, CURLMOPT_MAXCONNECTS, Limits.idleConnections)
  }

  /// Creates a handle that can be woken.
  ///
  /// Some versions of libcurl also create handles that cannot be woken.
  private static func wakeable() -> UnsafeMutableRawPointer? {
    guard let pointer = unsafe curl_multi_init() else { return nil }
    if unsafe curl_multi_wakeup(pointer) == CURLM_OK { return unsafe pointer }
    unsafe curl_multi_cleanup(pointer)
    return nil
  }

  deinit { close() }

  /// Closes all connections.
  ///
  /// No calls may follow.
  func close() {
    guard !isClosed else { return }
    isClosed = true
    unsafe curl_multi_cleanup(pointer)
    unsafe curl_share_cleanup(share)
  }

  /// Ends the current wait, or the next one.
  func wake() { unsafe curl_multi_wakeup(pointer) }

  func add(_ handle: CurlHandle) {
    unsafe handle.set(CURLOPT_SHARE, share)
    let result = unsafe curl_multi_add_handle(pointer, handle.pointer)
    precondition(result == CURLM_OK, "libcurl rejects a transfer: error \(result.rawValue).")
  }

  /// Removes a transfer, and closes its connection if it is not done.
  func remove(_ handle: CurlHandle) { unsafe curl_multi_remove_handle(pointer, handle.pointer) }

  /// Transfers what can be transferred.
  func perform() {
    var running: CInt = 0
    let result = unsafe curl_multi_perform(pointer, &running)
    precondition(result == CURLM_OK, "libcurl cannot continue: error \(result.rawValue).")
  }

  /// Returns the next completed transfer, by its handle.
  func nextFinished() -> (handle: CurlHandle.Identifier, code: CURLcode)? {
    var left: CInt = 0
    while let message = unsafe curl_multi_info_read(pointer, &left) {
      guard unsafe message.pointee.msg == CURLMSG_DONE else { continue }
      return unsafe (
        CurlHandle.Identifier(message.pointee.easy_handle), message.pointee.data.result
      )
    }
    return nil
  }

  /// Waits for sockets or a wake-up, for a limited time.
  ///
  /// - Returns: Whether the system could wait at all.
  func poll(_ limit: Duration) -> Bool {
    let (seconds, attoseconds) = limit.components
    // Rounded up, because waking too early would poll in a loop.
    let milliseconds = seconds * 1_000 + attoseconds / 1_000_000_000_000_000 + 1
    return unsafe curl_multi_poll(pointer, nil, 0, CInt(clamping: max(0, milliseconds)), nil)
      == CURLM_OK
  }
}
