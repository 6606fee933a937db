/// Sizes and times that bound the cost of one client, whatever it sends.
enum Limits {
  /// The longest method, in bytes.
  ///
  /// The longest registered one has 17 letters.
  static let methodBytes = 24

  /// The longest request target, in bytes.
  ///
  /// RFC 9112 recommends at least 8,000 bytes.
  static let targetBytes = 8 << 10

  /// The largest number of header fields.
  ///
  /// Browsers send about twenty, and proxies add ten.
  static let fieldCount = 100

  /// The longest head, from its first byte to its empty line.
  ///
  /// Cookies and tokens need a few kilobytes.
  static let headBytes = 64 << 10

  /// The largest body if the configuration names no other limit.
  static let bodyBytes = 1 << 30

  /// The maximum number of digits of a chunk's size.
  ///
  /// 15 hexadecimal digits cannot overflow 64 bits.
  static let chunkSizeDigits = 15

  /// The maximum size of all chunk extensions in one body, in bytes.
  ///
  /// Clients do not use them, but an attacker may send an extension with each byte.
  static let chunkExtensionBytes = 4 << 10

  /// The maximum size of the trailers after a chunked body, in bytes.
  ///
  /// Trailers are checked and discarded.
  static let trailerBytes = 8 << 10

  /// The maximum number of bytes that one read returns.
  static let readBytes = 64 << 10

  /// The maximum number of descriptors that the poller reports in one turn of a loop.
  static let readyDescriptors = 256

  /// The maximum number of reads from a TLS connection before the others get their turn.
  ///
  /// A TLS record has up to 16 KB.
  static let readsPerTurn = 8

  /// The maximum number of bytes written to one connection before the others get their turn.
  static let writtenBytesPerTurn = 2 << 20

  /// The bytes of a file that one call sends, and the bytes that the system is asked to read ahead.
  static let fileBytesPerWrite = 512 << 10

  /// The maximum number of connections that are accepted in one turn of a loop.
  static let acceptedPerTurn = 64

  /// The maximum number of connections that may wait to be accepted.
  ///
  /// The system has its own limit, too.
  static let backlog: Int32 = 4096

  /// The queued bytes of a request's body at which reading from the client pauses: four reads.
  static let queuedBodyBytes = 256 << 10

  /// The queued bytes of a response at which the handler is suspended.
  static let queuedOutputBytes = 256 << 10

  /// The queued bytes at which a suspended handler resumes.
  ///
  /// The remaining bytes keep the socket busy until the handler has produced more.
  static let resumedOutputBytes = 64 << 10

  /// The freed memory that each arena of the heap keeps for reuse, in bytes.
  ///
  /// Bodies and responses of a few hundred kilobytes come and go. If their pages went back to the
  /// system, each new page would cost more than the write into it. Longer bodies are streamed
  /// from or into files.
  static let keptBytes = 4 << 20

  /// The maximum size of a body that is joined with its head, so that one call sends both.
  static let joinedBodyBytes = 16 << 10

  /// The maximum number of bytes that a client may send after a response that did not wait for its
  /// body.
  static let lingeringBytes = 4 << 20

  /// The validity of a development authority: ten years, so that it need not be renewed.
  static let authorityDays = 3650

  /// The validity of a development server's certificate: the longest that clients accept.
  static let serverCertificateDays = 397

  /// The number of days before their expiration at which certificates are renewed.
  static let renewalDays = 30
}
