/// The limits of a transport.
enum Limits {
  /// Concurrent transfers.
  ///
  /// Each may hold a connection, and processes start with about a thousand descriptors.
  static let transfersAtOnce = 64
  /// Idle connections that are kept open.
  static let idleConnections = 8
  /// Response bytes that the reader has not taken yet.
  ///
  /// Beyond this, the server must wait.
  static let unreadBytes = 256 << 10
  /// Bytes read from a file at once.
  ///
  /// libcurl keeps as many for each upload.
  static let bodyPieceBytes = 256 << 10
  /// The time that a calling thread waits for a response: several times a near server's response
  /// time, and no longer than reading a file may take.
  static let callersWait = Duration.milliseconds(1)
  /// The number of failed waits after which the back-off no longer grows.
  ///
  /// It is then a thousand requests.
  static let mostFailedWaits = 10
  /// The longest wait of the thread, in case the clock is changed.
  static let longestWait = Duration.seconds(600)
}
