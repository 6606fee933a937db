import ManagedObjectModel

/// A model as source for Graphviz: entities as tables, relationships and inheritance as arrows.
struct GraphvizText {
  let model: NSManagedObjectModel
  let name: String

  init(_ model: NSManagedObjectModel, name: String) {
    self.model = model
    self.name = name
  }

  var text: String {
    var lines = [
      "digraph \(quoted(name)) {", "  rankdir=LR;",
      "  node [shape=plain, fontname=\"Helvetica\", fontsize=10];",
      "  edge [fontname=\"Helvetica\", fontsize=9];",
    ]
    lines += model.sortedEntities.map(node)
    lines += DiagramEdges(model).edges.map(line)
    return (lines + ["}"]).joined(separator: "\n") + "\n"
  }

  private func node(_ entity: NSEntityDescription) -> String {
    let title = EntityBox.title(of: entity)
    let head = "<tr><td colspan=\"2\" bgcolor=\"#dce6f2\"><b>\(escaped(title))</b></td></tr>"
    let rows = EntityBox.rows(of: entity).map { row in
      "<tr><td align=\"left\" port=\"\(escaped(row.name))\">\(escaped(row.name))</td><td align=\"left\">\(escaped(row.type))</td></tr>"
    }
    let table =
      "<table border=\"0\" cellborder=\"1\" cellspacing=\"0\" cellpadding=\"3\">\(head)\(rows.joined())</table>"
    return "  \(quoted(entity.name ?? "")) [label=<\(table)>];"
  }

  private func line(_ edge: DiagramEdges.Edge) -> String {
    let (from, to) = (quoted(edge.from), quoted(edge.to))
    if edge.isInheritance { return "  \(from) -> \(to) [arrowhead=empty, style=dashed];" }
    let tail =
      edge.backName.map { _ in ", dir=both, arrowtail=\(edge.isBackToMany ? "crow" : "normal")" }
      ?? ""
    let label = [edge.name, edge.backName].compactMap(\.self).joined(separator: " / ")
    return
      "  \(from) -> \(to) [label=\(quoted(label)), arrowhead=\(edge.isToMany ? "crow" : "normal")\(tail)];"
  }

  private func quoted(_ text: String) -> String {
    "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
  }

  private func escaped(_ text: String) -> String { MarkupText.escaped(text) }
}

/// Text inside markup.
enum MarkupText {
  static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;")
  }
}
