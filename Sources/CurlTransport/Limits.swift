/// The numbers that bound what a transport may take.
enum Limits {
  /// Transfers at once: each may hold a connection, and programs start with about a thousand
  /// descriptors.
  static let transfersAtOnce = 64
  /// Connections that are kept open while nobody uses them.
  static let idleConnections = 8
  /// Bytes of an answer that its reader has not taken yet; then the server is made to wait.
  static let unreadBytes = 256 << 10
  /// Bytes that are read from a file at once; libcurl keeps as many for each transfer that sends.
  static let bodyPieceBytes = 256 << 10
  /// How long a caller's thread waits for an answer: several times as long as a server takes that
  /// is near, and no longer than reading a file may take.
  static let callersWait = Duration.milliseconds(1)
  /// After so many waits without an answer the pauses between them grow no more: they are a
  /// thousand requests long.
  static let mostFailedWaits = 10
  /// How long the thread waits at most: it looks for nothing by itself, but clocks may be changed
  /// under it.
  static let longestWait = Duration.seconds(600)
}
