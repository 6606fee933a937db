/// Another process recorded a newer version of a record after the server was asked.
///
/// The response may be older than the ledger. The importer asks again.
package struct AnswerOvertaken: Error {
  package init() {}
}

/// Another process imported the same records after this import read the ledger.
///
/// The import restarts.
package struct LedgerOutdated: Error {
  package init() {}
}
