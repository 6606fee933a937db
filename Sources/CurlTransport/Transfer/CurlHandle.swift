internal import CCurl

/// An easy handle of libcurl, with typed options.
@safe final class CurlHandle {
  /// Identifies a handle while it exists.
  struct Identifier: Hashable {
    private let address: Int

    init(_ pointer: UnsafeMutableRawPointer) { address = Int(bitPattern: pointer) }
  }

  let pointer: UnsafeMutableRawPointer
  private let errorBuffer: UnsafeMutablePointer<CChar>
  private var fields: UnsafeMutablePointer<curl_slist>?
  /// The header fields of the previous request; nil before the first.
  private var previousFields: [(name: String, value: String)]?

  /// Creates a handle with the settings of a transport.
  init(_ settings: CurlTransport.Settings) {
    guard let pointer = unsafe curl_easy_init() else {
      preconditionFailure("Out of memory: libcurl could not make a handle.")
    }
    unsafe self.pointer = unsafe pointer
    unsafe errorBuffer = .allocate(capacity: Int(CURL_ERROR_SIZE))
    unsafe errorBuffer.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    unsafe set(CURLOPT_ERRORBUFFER, errorBuffer)
    setSharedOptions(settings)
  }

  deinit {
    unsafe curl_easy_cleanup(pointer)
    unsafe curl_slist_free_all(fields)
    unsafe errorBuffer.deallocate()
  }

  var identifier: Identifier { unsafe Identifier(pointer) }

  func set(_ option: CURLoption, _ value: Bool) { set(option, value ? 1 : 0) }

  func set(_ option: CURLoption, _ value: Int) {
    check(option, unsafe parhelion_curl_set_number(pointer, option, value))
  }

  func set(_ option: CURLoption, size: Int64) {
    check(option, unsafe parhelion_curl_set_size(pointer, option, size))
  }

  func set(_ option: CURLoption, _ text: String) {
    check(option, unsafe parhelion_curl_set_text(pointer, option, text))
  }

  /// Clears a text option.
  func unset(_ option: CURLoption) {
    check(option, unsafe parhelion_curl_set_text(pointer, option, nil))
  }

  func set(_ option: CURLoption, _ value: UnsafeMutableRawPointer) {
    check(option, unsafe parhelion_curl_set_pointer(pointer, option, value))
  }

  func set(_ option: CURLoption, _ function: @escaping parhelion_curl_bytes) {
    check(option, unsafe parhelion_curl_set_bytes(pointer, option, function))
  }

  /// Records the header fields of a request, and returns whether they differ from those of the
  /// previous request.
  func recordFields(_ fields: [(name: String, value: String)]) -> Bool {
    defer { previousFields = fields }
    return previousFields.map { !$0.elementsEqual(fields, by: ==) } ?? true
  }

  /// Sets the header fields, each as a line without a line ending.
  func setFields(_ lines: [String]) {
    let former = unsafe fields
    unsafe fields = nil
    for line in lines { unsafe fields = unsafe curl_slist_append(fields, line) }
    check(
      CURLOPT_HTTPHEADER, unsafe parhelion_curl_set_pointer(pointer, CURLOPT_HTTPHEADER, fields))
    unsafe curl_slist_free_all(former)
  }

  /// Checks a result that can only be an error if memory is exhausted, since all values are valid.
  private func check(_ option: CURLoption, _ result: CURLcode) {
    precondition(
      result == CURLE_OK,
      "libcurl does not take option \(option.rawValue): error \(result.rawValue).")
  }

  func number(_ info: CURLINFO) -> Int {
    var value = 0
    unsafe parhelion_curl_get_number(pointer, info, &value)
    return value
  }

  /// Returns libcurl's message for an error.
  func message(for code: CURLcode) -> String {
    let text = unsafe String(cString: errorBuffer)
    return unsafe text.isEmpty ? String(cString: curl_easy_strerror(code)) : text
  }

  /// Clears the error message of the previous request.
  func clearMessage() { unsafe errorBuffer.pointee = 0 }

  /// Resumes after a pause.
  func resume() { unsafe curl_easy_pause(pointer, CURLPAUSE_CONT) }
}
