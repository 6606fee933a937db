/// Lines with aligned columns.
enum TextColumns {
  /// The lines for rows of cells.
  ///
  /// A column without any text is omitted.
  static func lines(_ rows: [[String]], indent: Int = 0) -> [String] {
    let count = rows.map(\.count).max() ?? 0
    let widths = (0..<count).map { column in
      rows.compactMap { column < $0.count ? $0[column].count : nil }.max() ?? 0
    }
    return rows.map { row in
      let cells = zip(row, widths).filter { $0.1 > 0 }.map { cell, width in
        cell + String(repeating: " ", count: width - cell.count)
      }
      let line = String(repeating: " ", count: indent) + cells.joined(separator: "  ")
      return line.reversed().drop { $0 == " " }.reversed().map(String.init).joined()
    }
  }
}
