import CloudRecords
import RecordStorage

extension RecordServer {
  /// Completes the replacement of a realm's schema, if there is one.
  func finishReplacement(of realm: Realm) async throws(CloudError) {
    let parsed = parsedSchemas
    let pending = try await read(SchemaCopy.partition) { transaction in
      try SchemaCopy(of: realm, in: transaction, parsed: parsed).replacement
    }
    if let pending { try await SchemaEraser(server: self, realm: realm, pending: pending).run() }
  }

  func nextOwner(after owner: String?, in realm: Realm) async throws(CloudError) -> String? {
    try await read(nil) { transaction in
      try transaction.entries(in: realm.databases(after: owner), limit: 1).first.map {
        try ZoneKeys.texts(1, of: $0.key.bytes.span, after: realm.databases)[0]
      }
    }
  }
}
