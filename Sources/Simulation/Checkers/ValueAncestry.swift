/// What was written at one place, and which of it its writers had seen.
///
///     Device1 ── A ──────────▶ C over A            C comes behind A; B and C came without each other:
///     Device2 ──────── B over nothing              either may be what stays, A may not
///
/// What a device has seen follows from what it wrote over, as far as one writing alone can have
/// been that.
struct ValueAncestry {
  struct Writing {
    let device: String
    let text: String
    /// The numbers of the writings that the device had seen.
    let past: Set<Int>
  }

  private var all: [Writing] = []

  /// Everything that was written.
  var texts: [String] { all.map(\.text) }

  /// What was written by all devices but one.
  func texts(besidesThoseOf device: String) -> [String] {
    all.filter { $0.device != device }.map(\.text)
  }

  /// How much was written.
  var count: Int { all.count }

  /// Notes that a device wrote a text.
  ///
  /// - Parameters:
  ///   - former: What the device had there; nil for what nobody can have written before.
  ///   - deleted: The objects that somebody deleted: what led to one of them may have led nowhere
  ///     since.
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
    // A device that has written nothing yet may have had what was there in the beginning.
    let isSure = !seen.isEmpty || former.map(Self.initialTexts.contains) == false
    if isSure, sources.count == 1 { seen.formUnion(past(of: sources).union(sources)) }
    all.append(Writing(device: device, text: text, past: seen))
  }

  private static let initialTexts: Set = ["", Place.gone, ValueText.of(nil)]

  private func past(of numbers: some Sequence<Int>) -> Set<Int> {
    numbers.reduce(into: []) { $0.formUnion(all[$1].past) }
  }

  /// What each device wrote last.
  ///
  /// - Parameter isStrict: Whether what another one saw before it wrote is left out.
  func last(isStrict: Bool) -> [Writing] {
    let seen = isStrict ? past(of: all.indices) : []
    var devices: Set<String> = []
    return all.indices.reversed().filter {
      devices.insert(all[$0].device).inserted && !seen.contains($0)
    }
    .map { all[$0] }
  }
}
