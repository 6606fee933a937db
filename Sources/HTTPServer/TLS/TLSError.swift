internal import CTLS

extension HTTPServerError {
  /// An error with the reason that OpenSSL recorded on this thread.
  static func certificate(_ what: String) -> HTTPServerError {
    let code = ERR_get_error()
    guard code != 0 else { return HTTPServerError(.certificate, what) }
    var text = [CChar](repeating: 0, count: 256)
    unsafe ERR_error_string_n(code, &text, text.count)
    ERR_clear_error()
    let reason = String(
      decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    return HTTPServerError(.certificate, "\(what) OpenSSL says: \(reason).")
  }
}
