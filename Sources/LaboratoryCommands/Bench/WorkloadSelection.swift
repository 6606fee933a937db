package import ParhelionCommands

/// A selection of a benchmark's workloads.
package struct WorkloadSelection {
  private let beginnings: [String]

  /// Selects workloads by the beginnings of their names.
  ///
  /// - Parameter beginnings: Names of workloads or their prefixes; if empty, all are selected.
  package init(_ beginnings: [String]) { self.beginnings = beginnings }

  /// The selected workloads, each once, in order.
  ///
  /// - Throws: ``UsageError`` if a name is no workload's prefix.
  package func of(_ workloads: [BenchmarkWorkload]) throws(UsageError) -> [BenchmarkWorkload] {
    let names = workloads.flatMap(\.names)
    for beginning in beginnings where !names.contains(where: { $0.hasPrefix(beginning) }) {
      let suggestion = Suggestion.text(for: beginning, among: names)
      throw UsageError(
        "No workload begins with \"\(beginning)\"; there are \(names.joined(separator: ", ")).\(suggestion)"
      )
    }
    return beginnings.isEmpty ? workloads : workloads.filter { $0.names.contains(where: isWanted) }
  }

  private func isWanted(_ name: String) -> Bool { beginnings.contains { name.hasPrefix($0) } }
}
