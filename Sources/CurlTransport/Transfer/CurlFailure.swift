internal import CCurl
internal import CloudTransport
private import Foundation

/// An error of libcurl and its meaning.
struct CurlFailure {
  var code: CURLcode
  /// libcurl's error message.
  var message: String
  /// The system's error number that caused it, or 0.
  var systemError: CInt

  /// The kind of the transport error.
  var kind: TransportError.Kind {
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_INTERFACE_FAILED: .offline
    case CURLE_COULDNT_CONNECT: Self.unreachable.contains(systemError) ? .offline : .refused
    case CURLE_PROXY: .refused
    case CURLE_OPERATION_TIMEDOUT: .timedOut
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS,
      CURLE_SSL_PINNEDPUBKEYNOTMATCH:
      .untrusted
    case CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CRL_BADFILE: .settings
    case CURLE_READ_ERROR: .file
    case CURLE_URL_MALFORMAT: .address
    case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING,
      CURLE_WRITE_ERROR:
      .malformed
    case CURLE_ABORTED_BY_CALLBACK: .cancelled
    default: .broken
    }
  }

  /// Errors for a known host without a route.
  private static let unreachable: Set<CInt> = [ENETUNREACH, EHOSTUNREACH, ENETDOWN]

  /// The remedy for the error.
  var advice: String {
    switch kind {
    case .offline: "Check that this machine has a network, and that the host's name is right."
    case .refused: "Check that the server is running at this address."
    case .untrusted:
      "The connection may be intercepted, or a clock is wrong. If the server has a private certificate, add its authority to the settings."
    case .settings: "Check the files that the settings name."
    case .file: "Check the file that is sent."
    case .address: "Use a server address that begins with https:// or http://."
    case .malformed: "Check that the address is that of a record server."
    case .broken, .timedOut, .cancelled: "Try again."
    }
  }
}
