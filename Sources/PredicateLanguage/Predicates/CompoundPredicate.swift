package import Foundation

/// The compound that the parser makes: Foundation's, with a format string, equality and copies that say what it holds.
///
/// Foundation's own compound prints `FALSEPREDICATE` and is equal to every other one on this platform. Predicates built
/// by an application with `NSCompoundPredicate(…)` still evaluate, and print inside ours.
package final class CompoundPredicate: NSCompoundPredicate {
}
