package import ObjectRows
import SQLiteDriver

extension SQLiteRowStore: BatchStore {
  package func insert(_ batch: BatchInsertion) throws -> BatchReceipt {
    // The first rows come before the store is locked, so most requests never lock it for long.
    let first = try batch.nextRows()
    guard !first.isEmpty else { return BatchReceipt() }
    return try runBatch(batch.transaction) { transaction in
      try BatchInserter(batch, transaction).run(startingWith: first)
    }
  }

  package func update(_ batch: BatchUpdate) throws -> BatchReceipt {
    try runBatch(batch.transaction) { try BatchUpdater(batch, $0).run() }
  }

  package func delete(_ batch: BatchDeletion) throws -> BatchReceipt {
    try runBatch(batch.transaction) { try BatchDeleter(batch, $0).run() }
  }

  private func runBatch(
    _ description: TransactionDescription, _ body: (BatchTransaction) throws -> Void
  ) throws -> BatchReceipt {
    try pool.save { connection in
      let receipt = try BatchTransaction(self, connection, description).run(body)
      if receipt.hasChanges { try? connection.releaseFreePages() }
      return (receipt, receipt.hasChanges)
    }
  }
}
