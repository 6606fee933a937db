/// The limits of a transport.
enum Limits {
  /// The maximum number of concurrent transfers.
  ///
  /// Each may hold a connection, and by default a process may open about a thousand descriptors.
  static let transfersAtOnce = 64
  /// The maximum number of idle connections that are kept open.
  static let idleConnections = 8
  /// The number of unread response bytes at which the server must wait.
  static let unreadBytes = 256 << 10
  /// Bytes read from a file at once.
  ///
  /// libcurl allocates a buffer of this size for each upload.
  static let bodyPieceBytes = 256 << 10
  /// The time that a calling thread waits for a response: several times a near server's response
  /// time, and no longer than reading a file may take.
  static let callersWait = Duration.milliseconds(1)
  /// The number of failed waits after which the back-off no longer grows.
  ///
  /// The back-off is then about a thousand requests.
  static let mostFailedWaits = 10
  /// The longest time after which the thread checks the deadlines again.
  ///
  /// A wait for sockets may not count the time for which the machine sleeps, but deadlines do.
  static let longestWait = Duration.seconds(600)
}
