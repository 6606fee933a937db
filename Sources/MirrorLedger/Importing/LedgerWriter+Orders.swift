import CloudRecords
import MirrorModel
import ObjectRows
import SQLiteDriver

/// Orders that wait for members.
extension LedgerWriter {
  package func keep(_ orders: [KeptOrder], _ zones: inout ZoneNumbers) throws {
    for order in orders {
      let index = Int(order.owner.layoutIndex)
      guard let entity = names.entity(index), let bit = names.bit(order.ordinal, index) else {
        continue
      }
      let place: [Value] = [.integer(entity), .integer(order.owner.key), .integer(Int64(bit))]
      try connection.run(
        "DELETE FROM PHM_ORDER WHERE entity = ? AND key = ? AND property = ?", place)
      guard !order.awaited.isEmpty, let text = MemberOrder.text(of: order.names) else { continue }
      let zone = Value.integer(try zones.number(of: order.zone))
      try connection.run(
        "INSERT INTO PHM_ORDER(entity, key, property, zone, names) VALUES(?, ?, ?, ?, ?)",
        place + [zone, .text(text)])
      for name in Set(order.awaited).sorted() {
        try connection.run(
          "INSERT INTO PHM_ORDER_NAME(entity, key, property, zone, name) VALUES(?, ?, ?, ?, ?)",
          place + [zone, RecordName(name).value])
      }
    }
  }
}
