/// The encoding of identifiers outside ASCII in mangled names: RFC 3492 with an underscore as
/// delimiter and the digits `a`…`z`, `A`…`J`, so that the result is a valid symbol.
enum Punycode {
  private static let base = 36
  private static let lowestThreshold = 1
  private static let highestThreshold = 26
  private static let skew = 38
  private static let damp = 700

  static func encode(_ identifier: String) -> String {
    let scalars = identifier.unicodeScalars.map { Int($0.value) }
    var output = String(String.UnicodeScalarView(identifier.unicodeScalars.filter(\.isASCII)))
    let basicCount = output.unicodeScalars.count
    if basicCount > 0 { output += "_" }
    var next = 128
    var delta = 0
    var bias = 72
    var handled = basicCount
    while handled < scalars.count, let smallest = scalars.filter({ $0 >= next }).min() {
      delta += (smallest - next) * (handled + 1)
      next = smallest
      for scalar in scalars {
        if scalar < next { delta += 1 }
        guard scalar == next else { continue }
        output += digits(of: delta, bias: bias)
        bias = adapted(delta, count: handled + 1, isFirst: handled == basicCount)
        delta = 0
        handled += 1
      }
      delta += 1
      next += 1
    }
    return output
  }

  private static func digits(of delta: Int, bias: Int) -> String {
    var digits = ""
    var rest = delta
    for position in stride(from: base, through: Int.max, by: base) {
      let threshold = min(max(position - bias, lowestThreshold), highestThreshold)
      if rest < threshold { break }
      digits.append(digit(threshold + (rest - threshold) % (base - threshold)))
      rest = (rest - threshold) / (base - threshold)
    }
    digits.append(digit(rest))
    return digits
  }

  private static func digit(_ value: Int) -> Character {
    let start: Unicode.Scalar = value < 26 ? "a" : "A"
    return Character(Unicode.Scalar(UInt8(start.value) + UInt8(value < 26 ? value : value - 26)))
  }

  private static func adapted(_ delta: Int, count: Int, isFirst: Bool) -> Int {
    var delta = isFirst ? delta / damp : delta / 2
    delta += delta / count
    var steps = 0
    while delta > (base - lowestThreshold) * highestThreshold / 2 {
      delta /= base - lowestThreshold
      steps += base
    }
    return steps + (base - lowestThreshold + 1) * delta / (delta + skew)
  }
}
