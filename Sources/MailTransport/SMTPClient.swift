internal import CCurl
internal import Dispatch
internal import Synchronization

/// Sends mails to a mail server, by libcurl.
///
/// One mail is sent at a time, each over a connection of its own.
package final class SMTPClient: Sendable {
  package let server: SMTPServer
  private let queue = DispatchQueue(label: "parhelion.mail")

  package init(_ server: SMTPServer) { self.server = server }

  /// Sends a mail.
  ///
  /// If the task is cancelled, a running attempt ends within about a second.
  ///
  /// - Throws: A permanent failure if the server refused the mail for good. After another
  ///   failure, a new attempt may succeed.
  package func send(_ message: MailMessage) async throws(MailFailure) {
    let cancellation = MailCancellation()
    let result: Result<Void, MailFailure> = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        queue.async { [server] in
          continuation.resume(returning: Self.send(message, server, cancellation))
        }
      }
    } onCancel: {
      cancellation.isRequested.store(true, ordering: .relaxed)
    }
    try result.get()
  }

  private static func send(
    _ message: MailMessage, _ server: SMTPServer, _ cancellation: MailCancellation
  ) -> Result<Void, MailFailure> {
    guard let handle = MailHandle(cancellation) else {
      return .failure(MailFailure(isPermanent: false, reason: "Out of memory."))
    }
    handle.configure(for: server)
    handle.configure(for: message)
    return handle.perform()
  }
}

/// Whether the attempt to send a mail should end.
private final class MailCancellation: Sendable {
  let isRequested = Atomic(false)
}

/// A handle of libcurl for one mail.
@safe private final class MailHandle {
  private let pointer: UnsafeMutableRawPointer
  private let cancellation: MailCancellation
  private var recipients: UnsafeMutablePointer<curl_slist>?
  private var body = MailBody([])

  init?(_ cancellation: MailCancellation) {
    guard let pointer = unsafe curl_easy_init() else { return nil }
    unsafe self.pointer = unsafe pointer
    self.cancellation = cancellation
    set(CURLOPT_NOSIGNAL, 1)
    set(CURLOPT_CONNECTTIMEOUT, 30)
    set(CURLOPT_TIMEOUT, 120)
    unsafe parhelion_curl_keep_sockets(pointer)
    observeCancellation()
  }

  deinit {
    unsafe curl_easy_cleanup(pointer)
    unsafe curl_slist_free_all(recipients)
  }

  private func set(_ option: CURLoption, _ value: Int) {
    unsafe parhelion_curl_set_number(pointer, option, value)
  }

  private func set(_ option: CURLoption, _ text: String) {
    unsafe parhelion_curl_set_text(pointer, option, text)
  }

  /// Sets a callback that libcurl calls about once a second, and that ends a cancelled transfer.
  private func observeCancellation() {
    unsafe parhelion_curl_set_pointer(
      pointer, CURLOPT_XFERINFODATA, Unmanaged.passUnretained(cancellation).toOpaque())
    unsafe parhelion_curl_set_progress(pointer) { context, _, _, _, _ in
      guard let context = unsafe context else { return 0 }
      let cancellation = unsafe Unmanaged<MailCancellation>.fromOpaque(context)
        .takeUnretainedValue()
      return cancellation.isRequested.load(ordering: .relaxed) ? 1 : 0
    }
  }

  func configure(for server: SMTPServer) {
    set(CURLOPT_URL, server.address)
    set(CURLOPT_SSL_VERIFYPEER, 1)
    set(CURLOPT_SSL_VERIFYHOST, 2)
    set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    set(
      CURLOPT_USE_SSL,
      Int(server.encryption == .none ? CURLUSESSL_NONE.rawValue : CURLUSESSL_ALL.rawValue))
    if let file = server.authorityFile { set(CURLOPT_CAINFO, file) }
    if let user = server.user { set(CURLOPT_USERNAME, user) }
    if let password = server.password { set(CURLOPT_PASSWORD, password) }
  }

  func configure(for message: MailMessage) {
    set(CURLOPT_MAIL_FROM, "<\(message.from.text)>")
    unsafe recipients = unsafe curl_slist_append(recipients, "<\(message.to.text)>")
    unsafe parhelion_curl_set_pointer(pointer, CURLOPT_MAIL_RCPT, recipients)
    body = MailBody(message.bytes)
    set(CURLOPT_UPLOAD, 1)
    unsafe parhelion_curl_set_pointer(
      pointer, CURLOPT_READDATA, Unmanaged.passUnretained(body).toOpaque())
    unsafe parhelion_curl_set_bytes(pointer, CURLOPT_READFUNCTION) { bytes, size, count, context in
      guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
      let body = unsafe Unmanaged<MailBody>.fromOpaque(context).takeUnretainedValue()
      return unsafe body.read(
        into: UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
    }
  }

  func perform() -> Result<Void, MailFailure> {
    let code = withExtendedLifetime(body) { unsafe curl_easy_perform(pointer) }
    guard code != CURLE_OK else { return .success(()) }
    var status = 0
    unsafe parhelion_curl_get_number(pointer, CURLINFO_RESPONSE_CODE, &status)
    let words = unsafe String(cString: curl_easy_strerror(code))
    let answer = status > 0 ? " The mail server answered \(status)." : ""
    return .failure(
      MailFailure(
        isPermanent: Self.isPermanent(code, status), reason: "\(words).\(answer)"))
  }

  /// Whether the server refused the recipient or the mail, and not the sender's password.
  private static func isPermanent(_ code: CURLcode, _ status: Int) -> Bool {
    guard code != CURLE_LOGIN_DENIED else { return false }
    return (550...559).contains(status)
  }
}

/// The bytes of a mail, read by libcurl in pieces.
private final class MailBody {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let piece = rest.prefix(buffer.count)
    unsafe buffer.copyBytes(from: piece)
    rest = rest.dropFirst(piece.count)
    return piece.count
  }
}
