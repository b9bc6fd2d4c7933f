extension Failure {
  /// Nothing is called `name`; names the nearest of `candidates` when one is near.
  ///
  /// - Parameter prefix: What stands before all of these names, such as `users `.
  static func unknown(_ what: String, prefix: String = "", _ name: String, among candidates: [String]) -> Failure {
    let nearest = nearest(to: name, among: candidates)
    let remedy = nearest.map { "did you mean \(prefix)\($0)?" } ?? "see brewtips --help"
    return .usage("unknown \(what) \(prefix)\(name.printable(upTo: 60)): \(remedy)")
  }

  private static func nearest(to name: String, among candidates: [String]) -> String? {
    let near = candidates.compactMap { candidate -> (name: String, distance: Int)? in
      let distance = name.count > 1 && candidate.hasPrefix(name) ? 0 : editDistance(name, candidate)
      return distance <= (candidate.count + 1) / 3 ? (candidate, distance) : nil
    }
    return near.min { $0.distance < $1.distance }?.name
  }

  /// How many characters must be added, removed, replaced or swapped with their neighbour to make one text the other.
  private static func editDistance(_ one: String, _ other: String) -> Int {
    let (one, other) = (Array(one.prefix(60)), Array(other))
    var rows = [Array(0...other.count)]
    for (i, character) in one.enumerated() {
      var row = [i + 1]
      for (j, otherCharacter) in other.enumerated() {
        let replaced = rows[i][j] + (character == otherCharacter ? 0 : 1)
        var best = min(replaced, rows[i][j + 1] + 1, row[j] + 1)
        if i > 0, j > 0, character == other[j - 1], one[i - 1] == otherCharacter {
          best = min(best, rows[i - 1][j - 1] + 1)
        }
        row.append(best)
      }
      rows.append(row)
    }
    return rows[one.count][other.count]
  }
}
