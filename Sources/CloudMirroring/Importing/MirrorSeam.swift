/// The decisions about zones of shares that a simulation takes wrongly, to see that its checkers
/// notice; nil in programs.
///
/// All other defects are planted outside of the engine: in the transport, in the ledger's tables,
/// and on the disk. These leave no trace there that a decorator could change (Design/0040).
package struct MirrorSeam: Sendable {
  /// Whether changes that the server refuses are taken back.
  package var revertsRefused = true
  /// Whether deletions wait until all changed zones were read.
  package var holdsDeletions = true
  /// Whether the objects of an ended zone go.
  package var heedsEnds = true

  package init() {}
}
