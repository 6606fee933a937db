/// Orders version names with numbers compared as numbers: "Model 2" precedes "Model 10".
package enum NumericOrder {
  package static func precedes(_ first: String, _ second: String) -> Bool {
    let left = pieces(of: first)
    let right = pieces(of: second)
    for (one, other) in zip(left, right) where one != other {
      if one.isNumber, other.isNumber {
        // Without leading zeros, the longer number is the greater one.
        let (a, b) = (one.text.drop { $0 == 0x30 }, other.text.drop { $0 == 0x30 })
        if a.count != b.count { return a.count < b.count }
        if !a.elementsEqual(b) { return a.lexicographicallyPrecedes(b) }
        continue
      }
      return one.text.lexicographicallyPrecedes(other.text)
    }
    if left.count != right.count { return left.count < right.count }
    return first.utf8.lexicographicallyPrecedes(second.utf8)
  }

  private struct Piece: Equatable {
    var text: [UInt8]
    let isNumber: Bool
  }

  private static func pieces(of name: String) -> [Piece] {
    // The extension is ignored, so that "Model" precedes "Model 2".
    let stem = name.hasSuffix(".xcdatamodel") ? String(name.dropLast(".xcdatamodel".count)) : name
    var pieces: [Piece] = []
    for byte in stem.utf8 {
      let isNumber = (0x30...0x39).contains(byte)
      if let last = pieces.indices.last, pieces[last].isNumber == isNumber {
        pieces[last].text.append(byte)
      } else {
        pieces.append(Piece(text: [byte], isNumber: isNumber))
      }
    }
    return pieces
  }
}
