internal import CCurl

/// libcurl's handle for many transfers, with their connections and the sessions of TLS.
// Sendable: waking is allowed from every thread until the handle is closed, which the inbox sees
// to; the loop's thread alone calls the rest.
@safe final class CurlMulti: @unchecked Sendable {
  private let pointer: UnsafeMutableRawPointer
  private let share: UnsafeMutableRawPointer
  private var isClosed = false

  /// libcurl wants to be told before it is used; this is done once.
  private static let isReady: Bool = curl_global_init(Int(CURL_GLOBAL_ALL)) == CURLE_OK

  /// A handle without transfers; nil where the machine has no descriptors left for what wakes it,
  /// which it would lack ever after.
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

  /// libcurl's handle, which can be woken; some of its versions make others, too.
  private static func wakeable() -> UnsafeMutableRawPointer? {
    guard let pointer = unsafe curl_multi_init() else { return nil }
    if unsafe curl_multi_wakeup(pointer) == CURLM_OK { return unsafe pointer }
    unsafe curl_multi_cleanup(pointer)
    return nil
  }

  deinit { close() }

  /// Closes all connections; nobody calls anything afterwards.
  func close() {
    guard !isClosed else { return }
    isClosed = true
    unsafe curl_multi_cleanup(pointer)
    unsafe curl_share_cleanup(share)
  }

  /// Ends the wait that goes on, or the next one.
  func wake() { unsafe curl_multi_wakeup(pointer) }

  func add(_ handle: CurlHandle) {
    unsafe handle.set(CURLOPT_SHARE, share)
    let result = unsafe curl_multi_add_handle(pointer, handle.pointer)
    precondition(result == CURLM_OK, "libcurl does not take a transfer: error \(result.rawValue).")
  }

  /// Takes a transfer back, and closes its connection where it is not done.
  func remove(_ handle: CurlHandle) { unsafe curl_multi_remove_handle(pointer, handle.pointer) }

  /// Moves what can be moved.
  func perform() {
    var running: CInt = 0
    let result = unsafe curl_multi_perform(pointer, &running)
    precondition(result == CURLM_OK, "libcurl cannot go on: error \(result.rawValue).")
  }

  /// A transfer that is done, by its handle.
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

  /// Waits until something can be moved, for a time, or until it is woken.
  ///
  /// - Returns: Whether the machine could wait at all.
  func poll(_ limit: Duration) -> Bool {
    let (seconds, attoseconds) = limit.components
    // Rounded up: who is woken too early would look again and again.
    let milliseconds = seconds * 1_000 + attoseconds / 1_000_000_000_000_000 + 1
    return unsafe curl_multi_poll(pointer, nil, 0, CInt(clamping: max(0, milliseconds)), nil)
      == CURLM_OK
  }
}
