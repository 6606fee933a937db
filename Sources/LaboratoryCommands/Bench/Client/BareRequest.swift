import CCurl
import Foundation

/// A request with plain libcurl, on a persistent connection.
@safe final class BareRequest {
  /// The error if the library or the server failed.
  struct Failed: Error, CustomStringConvertible {
    let reason: String
    var description: String { "The bare request failed: \(reason)." }
  }

  private let curl: UnsafeMutableRawPointer
  private let headers: UnsafeMutablePointer<curl_slist>?
  private let answer: UnsafeMutablePointer<Int>

  /// Creates a request that can be sent repeatedly.
  init(address: String, body: String) throws {
    guard let curl = unsafe curl_easy_init() else { throw Failed(reason: "no handle") }
    unsafe self.curl = curl
    unsafe headers = curl_slist_append(nil, "Content-Type: application/json")
    unsafe answer = .allocate(capacity: 1)
    unsafe answer.initialize(to: 0)
    try check(unsafe parhelion_curl_set_text(curl, CURLOPT_URL, address))
    try check(unsafe parhelion_curl_set_number(curl, CURLOPT_POSTFIELDSIZE, body.utf8.count))
    try check(unsafe parhelion_curl_set_text(curl, CURLOPT_COPYPOSTFIELDS, body))
    try check(unsafe parhelion_curl_set_pointer(curl, CURLOPT_HTTPHEADER, headers))
    try check(unsafe parhelion_curl_set_pointer(curl, CURLOPT_WRITEDATA, answer))
    try check(
      unsafe parhelion_curl_set_bytes(curl, CURLOPT_WRITEFUNCTION) { _, size, count, answer in
        unsafe answer?.assumingMemoryBound(to: Int.self).pointee += size * count
        return size * count
      })
  }

  deinit {
    unsafe curl_easy_cleanup(curl)
    unsafe curl_slist_free_all(headers)
    unsafe answer.deallocate()
  }

  /// Sends the request, and waits for the whole response.
  func ask() throws {
    unsafe answer.pointee = 0
    try check(unsafe curl_easy_perform(curl))
    var status = 0
    try check(unsafe parhelion_curl_get_number(curl, CURLINFO_RESPONSE_CODE, &status))
    guard status == 200, unsafe answer.pointee > 0 else {
      throw Failed(reason: "the status is \(status)")
    }
  }

  private func check(_ code: CURLcode) throws {
    guard code == CURLE_OK else {
      throw Failed(reason: unsafe String(cString: curl_easy_strerror(code)))
    }
  }
}
