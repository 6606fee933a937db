/// Wrong decisions about shared zones that a simulation plants, to prove that its checkers detect
/// them; nil in programs.
///
/// All other bugs are planted outside the engine: in the transport, in the ledger's tables, and on
/// the disk. The bugs below leave no trace there that a decorator could change (Design/0040).
package struct PlantedBugs: Sendable {
  /// Whether changes that the server rejects are reverted.
  package var revertsRejected = true
  /// Whether deletions wait until all changed zones were read.
  package var holdsDeletions = true
  /// Whether the objects of an ended zone are removed.
  package var removesEndedZones = true

  package init() {}
}
