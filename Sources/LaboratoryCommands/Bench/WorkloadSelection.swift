package import ParhelionCommands

/// Which workloads of a benchmark somebody wants.
package struct WorkloadSelection {
  private let beginnings: [String]

  /// - Parameter beginnings: names of workloads or their beginnings; none stands for all.
  package init(_ beginnings: [String]) { self.beginnings = beginnings }

  /// The workloads that are wanted, each once, in their order.
  ///
  /// - Throws: ``UsageError`` for a name that no workload begins with.
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
