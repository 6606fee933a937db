/// The sizes and times that bound what one client can cost, whatever it sends.
enum Limits {
  /// The longest method; the longest registered one has 17 letters.
  static let methodBytes = 24

  /// The longest request target.
  ///
  /// RFC 9112 asks for at least 8,000 bytes.
  static let targetBytes = 8 << 10

  /// The most header fields.
  ///
  /// Browsers send about twenty, proxies add ten.
  static let fieldCount = 100

  /// The longest head, from its first byte to its empty line: cookies and tokens need a few
  /// kilobytes.
  static let headBytes = 64 << 10

  /// The largest body where the configuration names no other: an asset of a gigabyte with its
  /// framing.
  static let bodyBytes = 1 << 30

  /// The most digits of a chunk's size: 15 hexadecimal digits cannot overflow 64 bits.
  static let chunkSizeDigits = 15

  /// The most bytes of chunk extensions in one body.
  ///
  /// Nobody uses them, but a client may send one for each byte.
  static let chunkExtensionBytes = 4 << 10

  /// The most bytes of trailers after a chunked body.
  ///
  /// They are checked and thrown away.
  static let trailerBytes = 8 << 10

  /// The most bytes that are read from one connection before others get their turn.
  static let readBytes = 64 << 10

  /// The most descriptors that one turn of a loop hears of.
  static let readyDescriptors = 256

  /// How often a connection of TLS is read in one turn: a record has 16 KB.
  static let readsPerTurn = 8

  /// The most bytes that are written to one connection before others get their turn.
  static let writtenBytesPerTurn = 2 << 20

  /// How much of a file one call sends, and how much more the system is asked to have ready.
  static let fileBytesPerWrite = 512 << 10

  /// How many connections are accepted before others get their turn.
  static let acceptedPerTurn = 64

  /// How many connections may wait to be accepted; the system has a limit of its own.
  static let backlog: Int32 = 4096

  /// How much of a body waits for its reader before the client must wait: four reads of the loop.
  static let queuedBodyBytes = 256 << 10

  /// How much of a response waits for a slow reader before the handler must wait.
  static let queuedOutputBytes = 256 << 10

  /// How little must still wait before a handler that was stopped goes on: it keeps the socket busy
  /// meanwhile.
  static let resumedOutputBytes = 64 << 10

  /// How much freed memory each part of the heap keeps.
  ///
  /// Bodies and answers of some hundred kilobytes come and go; given to the system and asked for
  /// anew, each of their pages costs more than what is written into it. Longer bodies are files,
  /// which are streamed.
  static let keptBytes = 4 << 20

  /// Below this, a body is written into the same array as its head, so that both leave in one
  /// packet.
  static let joinedBodyBytes = 16 << 10

  /// What a client may still send after an answer that did not wait for its whole body.
  static let lingeringBytes = 4 << 20

  /// How long a developer's authority is trusted: ten years, so that nobody has to do it again.
  static let authorityDays = 3650

  /// How long its servers' certificates last: what clients accept at most.
  static let serverCertificateDays = 397

  /// How many days before their end certificates are made anew.
  static let renewalDays = 30
}
