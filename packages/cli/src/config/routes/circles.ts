/** The ways by which names lead back to themselves, each once: `['a', 'b', 'a']`. */
export function circles(references: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const found: string[][] = []
  const done = new Set<string>()
  const visit = (name: string, path: readonly string[]) => {
    const at = path.indexOf(name)
    if (at !== -1) {
      found.push([...path.slice(at), name])
      return
    }
    if (done.has(name)) return
    for (const next of references.get(name) ?? []) visit(next, [...path, name])
    done.add(name)
  }
  for (const name of references.keys()) visit(name, [])
  return found
}
