/// Gives `@NSManaged` members a body for platforms without Objective-C, if the user requests it.
///
/// The member remains unchanged in `#if canImport(ObjectiveC)`; `#else` has it without the
/// attribute and with a body.
struct ManagedMemberRule: MigrationRule {
  func apply(to draft: inout FileDraft) {
    guard draft.options.replacesManagedMembers else { return }
    let declarations = draft.declarations
    for type in declarations.types where type.keyword == "class" || type.keyword == "extension" {
      for member in declarations.members(of: type) where member.prefix.contains("@NSManaged") {
        guard !draft.source.needsObjectiveC(member.introducer) else { continue }
        do throws(ManagedMember.UnsupportedReason) {
          replace(try ManagedMember(member, in: draft.source), of: type, in: &draft)
        } catch {
          draft.report(
            .warning, atToken: member.introducer, "@NSManaged \(member.name): \(error.message)")
        }
      }
    }
  }

  private func replace(_ member: ManagedMember, of type: TypeDeclaration, in draft: inout FileDraft)
  {
    let source = draft.source
    let start = source.tokens[member.start].range.lowerBound
    let indentation = source.indentation(of: start)
    let outer = source.indentation(of: source.tokens[type.introducer].range.lowerBound)
    let isDeeper = indentation.hasPrefix(outer) && indentation.count > outer.count
    let step = isDeeper ? String(indentation.dropFirst(outer.count)) : "  "
    let end = end(of: member, in: source)

    var lines = ["#if canImport(ObjectiveC)", source.text(start..<end.kept), "#else"]
    lines.append(plainDeclaration(of: member, in: source) + " {")
    lines += member.body.map { step + $0 } + ["}", "#endif"]
    let lineBreak = source.newline + indentation
    let before = source.startsItsLine(member.start) ? "" : lineBreak
    let after = source.endsLine(end.replaced) ? "" : lineBreak
    let range = start..<(after.isEmpty ? end.replaced : source.skippingBlanks(end.replaced))
    // The block replaces the edits that were proposed for `@objc` here.
    _ = draft.takeText(of: range)
    draft.add(Edit(range, before + lines.joined(separator: lineBreak) + after))
  }

  /// The ends of the text to keep and of the text to replace.
  ///
  /// A semicolon after the member is replaced but not kept; a comment that ends the line is kept.
  private func end(of member: ManagedMember, in source: ScannedSource) -> (kept: Int, replaced: Int)
  {
    let end = source.tokens[member.end].range.upperBound
    if source.isPunctuation(member.end + 1, ";"), !source.tokens[member.end + 1].startsLine {
      return (end, source.tokens[member.end + 1].range.upperBound)
    }
    let next = source.skippingBlanks(end)
    guard let comment = source.comments.first(where: { $0.lowerBound == next }),
      comment.upperBound <= source.lineEnd(after: next), source.endsLine(comment.upperBound)
    else { return (end, end) }
    return (comment.upperBound, comment.upperBound)
  }

  /// The declaration without attributes that need Objective-C.
  private func plainDeclaration(of member: ManagedMember, in source: ScannedSource) -> String {
    var edits: [Edit] = []
    for element in member.prefix.elements where ["@NSManaged", "@objc"].contains(element.name) {
      let range = source.bytes(from: element.tokens.lowerBound, through: element.tokens.upperBound)
      let end = source.bytes[range.upperBound...].firstIndex { !$0.isBlank && !$0.isLineEnd }
      edits.append(Edit(range.lowerBound..<(end ?? range.upperBound), ""))
    }
    let start = member.prefix.start(before: member.introducer)
    return edits.applied(to: source.bytes, within: source.bytes(from: start, through: member.end))
  }
}
