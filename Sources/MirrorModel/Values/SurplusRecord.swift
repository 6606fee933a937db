/// A record of a pair that another one stands for: it is to be deleted once the server has the
/// other one.
package struct SurplusRecord: Hashable, Sendable {
  package let name: String
  /// The name of the record that stands for the pair; nil where no other one has to be there
  /// before.
  package let standing: String?

  package init(name: String, standing: String? = nil) {
    self.name = name
    self.standing = standing
  }

  /// The record as the ledger keeps it: its name, and behind a tabulator that of the one that
  /// stands.
  package var text: String { standing.map { "\(name)\t\($0)" } ?? name }

  package init(text: Substring) {
    let names = text.split(separator: "\t" as Character, maxSplits: 1).map(String.init)
    self.init(name: names.first ?? "", standing: names.count > 1 ? names[1] : nil)
  }
}
