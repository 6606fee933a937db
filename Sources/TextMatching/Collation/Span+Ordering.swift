package import Foundation

extension Span where Element == UInt8 {
  /// The order of the bytes, which for UTF-8 is the order of the scalars.
  package func compared(with other: Span<UInt8>) -> ComparisonResult {
    let common = Swift.min(count, other.count)
    let difference = unsafe withUnsafeBufferPointer { left in
      unsafe other.withUnsafeBufferPointer { right -> Int32 in
        guard common > 0, let left = left.baseAddress, let right = right.baseAddress else {
          return 0
        }
        return unsafe memcmp(left, right, common)
      }
    }
    if difference != 0 { return difference < 0 ? .orderedAscending : .orderedDescending }
    if count == other.count { return .orderedSame }
    return count < other.count ? .orderedAscending : .orderedDescending
  }

  /// The order of the bytes, with ASCII letters compared in lowercase.
  func comparedAsLowercasedASCII(with other: Span<UInt8>) -> ComparisonResult {
    for index in 0..<Swift.min(count, other.count) where self[index] != other[index] {
      let left = self[index].lowercasedASCII
      let right = other[index].lowercasedASCII
      if left != right { return left < right ? .orderedAscending : .orderedDescending }
    }
    if count == other.count { return .orderedSame }
    return count < other.count ? .orderedAscending : .orderedDescending
  }
}
