/// The writes at one place, and which of them each writer had seen.
///
///     Device1 ── A ──────────▶ C over A            C follows A; B and C are concurrent:
///     Device2 ──────── B over nothing              either may be the final value, A may not
///
/// The value that a device overwrites shows which writes the device had seen, if only one write
/// can have produced that value.
struct ValueAncestry {
  struct Writing {
    let device: String
    let text: String
    /// The numbers of the writes that the device had seen.
    let past: Set<Int>
  }

  private var all: [Writing] = []

  /// All written values.
  var texts: [String] { all.map(\.text) }

  /// The devices that wrote.
  var devices: Set<String> { Set(all.map(\.device)) }

  /// The values that all devices except one wrote.
  func texts(besidesThoseOf device: String) -> [String] {
    all.filter { $0.device != device }.map(\.text)
  }

  /// The number of writes.
  var count: Int { all.count }

  /// Records that a device wrote a value.
  ///
  /// - Parameters:
  ///   - former: The device's value before; nil for a place that had none.
  ///   - deleted: The deleted objects: a reference to one of them may have become nil since.
  mutating func note(
    _ text: String, over former: String?, by device: String, _ deleted: Set<String>
  ) {
    var seen: Set<Int> = []
    for (number, writing) in all.enumerated() where writing.device == device {
      seen.formUnion(writing.past.union([number]))
    }
    let replaced = past(of: seen)
    let sources = all.indices.filter { number in
      let written = all[number].text
      return !replaced.contains(number)
        && (written == former || former == "" && deleted.contains(written))
    }
    // A device's first write may replace the initial value, which no write produced.
    let isSure = !seen.isEmpty || former.map(Self.initialTexts.contains) == false
    if isSure, sources.count == 1 { seen.formUnion(past(of: sources).union(sources)) }
    all.append(Writing(device: device, text: text, past: seen))
  }

  private static let initialTexts: Set = ["", Place.gone, ValueText.of(nil)]

  private func past(of numbers: some Sequence<Int>) -> Set<Int> {
    numbers.reduce(into: []) { $0.formUnion(all[$1].past) }
  }

  /// The last write of each device.
  ///
  /// - Parameter isStrict: Whether to exclude a write that another device had seen when it wrote.
  func last(isStrict: Bool) -> [Writing] {
    let seen = isStrict ? past(of: all.indices) : []
    var devices: Set<String> = []
    return all.indices.reversed().filter {
      devices.insert(all[$0].device).inserted && !seen.contains($0)
    }
    .map { all[$0] }
  }
}
