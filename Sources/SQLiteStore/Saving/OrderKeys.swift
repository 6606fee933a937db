/// The order keys of an ordered relationship's members.
///
/// New members get keys at a distance, so that others fit between them later. As many members as
/// possible keep their keys. If the new keys do not fit between those, all members get new keys.
package enum OrderKeys {
  /// The order key of the first member of a new order.
  package static let first: Int64 = 2048
  package static let step: Int64 = 1024

  /// The order keys of members in their new order.
  ///
  /// - Parameter present: The current keys, in the new order; nil for a member without one.
  package static func assigned(to present: [Int64?]) -> [Int64] {
    let kept = longestIncreasing(present)
    return filled(present, keeping: kept) ?? present.indices.map { first + step * Int64($0) }
  }

  /// The order keys of all, or nil if there is not enough space between two that are kept.
  private static func filled(_ present: [Int64?], keeping kept: [Int]) -> [Int64]? {
    guard !kept.isEmpty else { return nil }
    var result = [Int64](repeating: 0, count: present.count)
    var (previous, next) = (-1, 0)
    for place in kept + [present.count] {
      let low = previous < 0 ? nil : present[previous]
      let high = place < present.count ? present[place] : nil
      next = previous + 1
      guard let numbers = numbers(place - next, after: low, before: high) else { return nil }
      for number in numbers {
        result[next] = number
        next += 1
      }
      if let high { result[place] = high }
      previous = place
    }
    return result
  }

  /// Distinct numbers between two others, or nil if they do not fit.
  private static func numbers(_ count: Int, after low: Int64?, before high: Int64?) -> [Int64]? {
    guard count > 0 else { return [] }
    let low = low ?? 0
    guard let high else {
      let (end, overflow) = low.addingReportingOverflow(step * Int64(count))
      return overflow ? nil : Array(stride(from: low + step, through: end, by: Int(step)))
    }
    let distance = (high - low) / Int64(count + 1)
    return distance < 1 ? nil : (1...count).map { low + distance * Int64($0) }
  }

  /// The indexes of the longest increasing subsequence of the positive numbers.
  private static func longestIncreasing(_ present: [Int64?]) -> [Int] {
    // tails[n]: the index of the smallest number that ends a subsequence of length n + 1.
    var tails: [Int] = []
    var previous = [Int](repeating: -1, count: present.count)
    for (place, number) in present.enumerated() {
      guard let number, number > 0 else { continue }
      var (low, high) = (0, tails.count)
      while low < high {
        let middle = (low + high) / 2
        if (present[tails[middle]] ?? 0) < number { low = middle + 1 } else { high = middle }
      }
      if low > 0 { previous[place] = tails[low - 1] }
      if low < tails.count { tails[low] = place } else { tails.append(place) }
    }
    var result: [Int] = []
    var place = tails.last ?? -1
    while place >= 0 {
      result.append(place)
      place = previous[place]
    }
    return result.reversed()
  }
}
