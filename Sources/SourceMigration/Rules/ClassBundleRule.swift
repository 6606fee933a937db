/// Warns of `Bundle(for:)`: without the Objective-C runtime, it returns the main bundle for every
/// class.
struct ClassBundleRule: MigrationRule {
  func apply(to draft: inout FileDraft) {
    let source = draft.source
    for index in source.tokens.indices
    where source.isWord(index, "Bundle") && source.isPunctuation(index + 1, "(") {
      guard source.isWord(index + 2, "for"), source.isPunctuation(index + 3, ":"),
        !source.needsObjectiveC(index)
      else {
        continue
      }
      draft.report(
        .warning, atToken: index,
        "Bundle(for:) is the main bundle without the Objective-C runtime: mergedModel(from:) finds the linked models with "
          + "it, but resources of a module are in Bundle.module")
    }
  }
}
