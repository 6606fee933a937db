internal import CTLS

extension HTTPServerError {
  /// Returns an error with the reason that OpenSSL recorded on this thread.
  ///
  /// - Parameter path: The file that was read, if any. If the system could not read it, the error
  ///   says that instead.
  static func certificate(_ what: String, reading path: String? = nil) -> HTTPServerError {
    let code = ERR_get_error()
    guard code != 0 else { return HTTPServerError(.certificate, what) }
    if let path, code & systemFlag != 0 {
      ERR_clear_error()
      return unreadable(path, Int32(truncatingIfNeeded: code & ~systemFlag))
    }
    var text = [CChar](repeating: 0, count: 256)
    unsafe ERR_error_string_n(code, &text, text.count)
    ERR_clear_error()
    let reason = String(
      decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    return HTTPServerError(.certificate, "\(what) OpenSSL says: \(reason).")
  }

  /// OpenSSL's flag for errors whose other bits are the system's error number.
  ///
  /// The macro contains a cast, so Swift does not import it.
  private static let systemFlag: UInt = 1 << 31
}
