package import CloudRecords

/// Parses notifications from a stream of server-sent events in pieces of any size.
///
/// An event is the lines that begin with `data:`, up to an empty line. Other lines are ignored,
/// such as the comments that keep the connection alive.
package struct NotificationStream: ~Copyable {
  private var line: [UInt8] = []
  private var data: [UInt8] = []
  private var hasData = false
  /// Whether the last byte was a carriage return, which a line feed may follow.
  private var followsReturn = false
  /// Whether the event exceeds the limit.
  ///
  /// The rest of it is skipped.
  private var isTooLong = false

  package init() {}

  /// Parses the next piece.
  ///
  /// - Returns: The notifications that it completes, or an error for each one that cannot be read.
  package mutating func take(_ piece: [UInt8]) -> [Result<PushNotification, CloudError>] {
    var notifications: [Result<PushNotification, CloudError>] = []
    for byte in piece {
      let endsReturn = followsReturn && byte == UInt8(ascii: "\n")
      followsReturn = byte == UInt8(ascii: "\r")
      if endsReturn { continue }
      if byte == UInt8(ascii: "\n") || followsReturn {
        if let notification = endLine() { notifications.append(notification) }
      } else {
        append(byte)
      }
    }
    return notifications
  }

  private mutating func append(_ byte: UInt8) {
    guard line.count + data.count < Limits.notificationBytes else {
      isTooLong = true
      return
    }
    line.append(byte)
  }

  private mutating func endLine() -> Result<PushNotification, CloudError>? {
    defer { line.removeAll(keepingCapacity: true) }
    if line.isEmpty { return endEvent() }
    guard line.starts(with: "data:".utf8) else { return nil }
    var value = line.dropFirst("data:".utf8.count)
    if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
    if hasData { data.append(UInt8(ascii: "\n")) }
    data += value
    hasData = true
    return nil
  }

  private mutating func endEvent() -> Result<PushNotification, CloudError>? {
    defer {
      data.removeAll(keepingCapacity: true)
      (hasData, isTooLong) = (false, false)
    }
    if isTooLong {
      return .failure(
        CloudError(
          .internalError,
          "A notification is longer than \(Limits.notificationBytes) bytes. Fetch what changed."))
    }
    if !hasData { return nil }
    do throws(CloudError) {
      return .success(try PushNotification(answer: data))
    } catch {
      return .failure(error)
    }
  }
}
