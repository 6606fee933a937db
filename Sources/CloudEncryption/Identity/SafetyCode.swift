/// Sixty digits as a QR code (ISO/IEC 18004) of version 2 with error correction M, which any reader
/// shows as the digits.
///
/// Safety numbers have one length, so one size is enough: 25 modules in each direction.
package struct SafetyCode: Hashable, Sendable {
  package static let size = 25
  private static let digitCount = 60
  private static let dataCount = 28
  private static let checkCount = 16

  /// Whether a module is dark, by row and column.
  package let modules: [[Bool]]
  /// The mask: one of eight patterns that balance dark and light modules.
  package let mask: Int

  /// Creates the code of a safety number, in any grouping; nil if it does not have sixty digits.
  package init?(_ safetyNumber: String) {
    let digits = Digits.typed(safetyNumber)
    guard digits.count == Self.digitCount else { return nil }
    let data = Self.data(of: digits)
    let bytes = data + Self.checks(of: data)
    let bits: [Bool] = bytes.flatMap { byte in (0..<8).map { byte >> (7 - $0) & 1 == 1 } }
    let candidates = (0..<8).map { Self.matrix(bits, mask: $0) }
    let penalties = candidates.map(Self.penalty)
    mask = penalties.indices.min { penalties[$0] < penalties[$1] } ?? 0
    modules = candidates[mask]
  }

  /// The code for a terminal with a dark background: two rows in each line, with a light margin.
  package var text: String {
    let margin = 2
    func isDark(_ row: Int, _ column: Int) -> Bool {
      (0..<Self.size).contains(row) && (0..<Self.size).contains(column) && modules[row][column]
    }
    return stride(from: -margin, to: Self.size + margin, by: 2).map { row in
      String(
        (-margin..<Self.size + margin).map { column -> Character in
          // Light modules are drawn, since most terminals are dark.
          switch (isDark(row, column), isDark(row + 1, column)) {
          case (false, false): "█"
          case (false, true): "▀"
          case (true, false): "▄"
          case (true, true): " "
          }
        })
    }.joined(separator: "\n")
  }

  // MARK: Bytes

  /// The mode, the number of digits, and the digits in groups of three, with padding.
  private static func data(of digits: [Int]) -> [UInt8] {
    var bits: [Bool] = []
    func append(_ value: Int, _ count: Int) {
      bits += (0..<count).map { value >> (count - 1 - $0) & 1 == 1 }
    }
    append(0b0001, 4)
    append(digits.count, 10)
    for start in stride(from: 0, to: digits.count, by: 3) {
      append(digits[start..<start + 3].reduce(0) { $0 * 10 + $1 }, 10)
    }
    append(0, 4)
    append(0, (8 - bits.count % 8) % 8)
    var bytes = stride(from: 0, to: bits.count, by: 8).map { start in
      bits[start..<start + 8].reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) }
    }
    for filler in [0xEC, 0x11, 0xEC, 0x11] as [UInt8] where bytes.count < dataCount {
      bytes.append(filler)
    }
    return bytes
  }

  /// The Reed-Solomon check bytes.
  private static func checks(of data: [UInt8]) -> [UInt8] {
    var generator: [UInt8] = [1]
    var root: UInt8 = 1
    for _ in 0..<checkCount {
      var next = generator + [0]
      for (index, factor) in generator.enumerated() { next[index + 1] ^= product(factor, root) }
      generator = next
      root = product(root, 2)
    }
    var rest = data + [UInt8](repeating: 0, count: checkCount)
    for index in data.indices {
      let lead = rest[index]
      for (offset, factor) in generator.enumerated() {
        rest[index + offset] ^= product(factor, lead)
      }
    }
    return Array(rest.suffix(checkCount))
  }

  /// The product in the field of 256 elements.
  private static func product(_ one: UInt8, _ other: UInt8) -> UInt8 {
    var (result, factor): (UInt8, UInt8) = (0, one)
    for bit in 0..<8 {
      if other >> bit & 1 == 1 { result ^= factor }
      factor = factor << 1 ^ (factor & 0x80 == 0 ? 0 : 0x1D)
    }
    return result
  }

  // MARK: Modules

  private static func matrix(_ bits: [Bool], mask: Int) -> [[Bool]] {
    var grid = Grid()
    grid.drawPatterns()
    grid.drawFormat(mask)
    grid.fill(bits, mask)
    return grid.modules.map { $0.map { $0 ?? false } }
  }

  private struct Grid {
    /// Nil for modules that are not drawn yet.
    var modules = [[Bool?]](
      repeating: [Bool?](repeating: nil, count: SafetyCode.size), count: SafetyCode.size)

    mutating func drawPatterns() {
      let last = SafetyCode.size - 1
      for (top, left) in [(0, 0), (0, last - 6), (last - 6, 0)] {
        for row in -1...7 {
          for column in -1...7 {
            let isInside = (0...6).contains(row) && (0...6).contains(column)
            let ring = max(abs(row - 3), abs(column - 3))
            set(top + row, left + column, isInside && ring != 2)
          }
        }
      }
      for row in -2...2 {
        for column in -2...2 { set(18 + row, 18 + column, max(abs(row), abs(column)) != 1) }
      }
      for place in 8..<SafetyCode.size - 8 {
        (modules[6][place], modules[place][6]) = (place % 2 == 0, place % 2 == 0)
      }
      modules[last - 7][8] = true
    }

    private mutating func set(_ row: Int, _ column: Int, _ isDark: Bool) {
      guard modules.indices.contains(row), modules.indices.contains(column) else { return }
      modules[row][column] = isDark
    }

    /// Draws the error correction and the mask twice, with ten check bits.
    mutating func drawFormat(_ mask: Int) {
      // The number of the error correction M is 0.
      var rest = mask << 10
      for bit in stride(from: 14, through: 10, by: -1) where rest >> bit & 1 == 1 {
        rest ^= 0b101_0011_0111 << (bit - 10)
      }
      let format = (mask << 10 | rest) ^ 0b101_0100_0001_0010
      let first =
        (0...5).map { ($0, 8) } + [(7, 8), (8, 8), (8, 7)]
        + (0...5).reversed().map { (8, $0) }
      let last = SafetyCode.size - 1
      let second = (0...7).map { (8, last - $0) } + (8...14).map { (last - 14 + $0, 8) }
      for (bit, (one, other)) in zip(first, second).enumerated() {
        let isDark = format >> bit & 1 == 1
        modules[one.0][one.1] = isDark
        modules[other.0][other.1] = isDark
      }
    }

    /// Fills the remaining modules in pairs of columns from the right, alternately up and down.
    mutating func fill(_ bits: [Bool], _ mask: Int) {
      var (next, isUpward) = (0, true)
      // Column 6 has the timing pattern.
      let columns = stride(from: SafetyCode.size - 1, to: 6, by: -2).map(\.self) + [5, 3, 1]
      for right in columns {
        let rows = isUpward ? Array(modules.indices.reversed()) : Array(modules.indices)
        for row in rows {
          for column in [right, right - 1] where modules[row][column] == nil {
            let bit = next < bits.count && bits[next]
            modules[row][column] = bit != Self.isInverted(row, column, mask)
            next += 1
          }
        }
        isUpward.toggle()
      }
    }

    private static func isInverted(_ row: Int, _ column: Int, _ mask: Int) -> Bool {
      switch mask {
      case 0: (row + column) % 2 == 0
      case 1: row % 2 == 0
      case 2: column % 3 == 0
      case 3: (row + column) % 3 == 0
      case 4: (row / 2 + column / 3) % 2 == 0
      case 5: row * column % 2 + row * column % 3 == 0
      case 6: (row * column % 2 + row * column % 3) % 2 == 0
      default: ((row + column) % 2 + row * column % 3) % 2 == 0
      }
    }
  }

  // MARK: Choosing the mask

  /// The standard's penalty for patterns that are hard to read.
  private static func penalty(_ modules: [[Bool]]) -> Int {
    let columns = modules.indices.map { column in modules.map { $0[column] } }
    var penalty = (modules + columns).reduce(0) { $0 + linePenalty($1) }
    for row in 0..<size - 1 {
      for column in 0..<size - 1 {
        let dark = [(0, 0), (0, 1), (1, 0), (1, 1)].count { modules[row + $0.0][column + $0.1] }
        if dark == 0 || dark == 4 { penalty += 3 }
      }
    }
    let dark = modules.joined().count { $0 }
    return penalty + abs(dark * 20 - size * size * 10) / (size * size) * 10
  }

  private static func linePenalty(_ line: [Bool]) -> Int {
    var (penalty, run) = (0, 0)
    for (place, module) in line.enumerated() {
      run = place > 0 && line[place - 1] == module ? run + 1 : 1
      if run == 5 { penalty += 3 } else if run > 5 { penalty += 1 }
    }
    let finder = [true, false, true, true, true, false, true]
    let light = [Bool](repeating: false, count: 4)
    for pattern in [finder + light, light + finder] {
      for start in 0...line.count - pattern.count
      where Array(line[start..<start + pattern.count]) == pattern { penalty += 40 }
    }
    return penalty
  }
}
