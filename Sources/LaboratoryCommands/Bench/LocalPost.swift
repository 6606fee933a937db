/// The values of one row, as a store has them: in one immutable object.
final class LocalPost: Sendable {
  /// Twelve bytes.
  let name: String
  /// Sixty bytes.
  let note: String
  /// Sixteen bytes, like a UUID.
  let token: [UInt8]

  init(number: Int) {
    name = "Post no. " + String(1_000 + number).suffix(3)
    note = String(
      String(repeating: "a note about the post with number \(number), ", count: 2).prefix(60))
    token = (0..<16).map { UInt8(truncatingIfNeeded: number &* 31 &+ $0 &* 7) }
  }
}
