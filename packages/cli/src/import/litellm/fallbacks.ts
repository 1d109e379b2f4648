import type { Part } from '../part.ts'

/** Which groups stand in for which: `{ "gpt-4o": ["claude"] }`, and `*` for all. */
export type Fallbacks = ReadonlyMap<string, readonly string[]>

/** Reads a list of `{ group: [other, ...] }`. A name that `knows` does not know is told of. */
export function fallbacksOf(list: Part, knows: (name: string) => boolean): Fallbacks {
  const all = new Map<string, string[]>()
  for (const entry of list.items()) {
    for (const [group, others] of entry.members()) {
      if (group !== '*' && !knows(group)) {
        others.lose('No model of that name is carried.', 'Nothing, unless the model is mended.')
        continue
      }
      all.set(group, [...(all.get(group) ?? []), ...namesIn(others, knows)])
    }
  }
  return all
}

/** Reads a list of names. */
export function namesIn(list: Part, knows: (name: string) => boolean): string[] {
  return list.items().flatMap(item => {
    if (typeof item.value !== 'string') return []
    if (knows(item.value)) return item.text() ?? []
    item.lose(
      'No model of that name is carried.',
      'Add it to models, and put it behind the model that it stands in for.',
    )
    return []
  })
}

/**
 * All that stand in for a group, in the order in which they are asked: each is followed by those that stand in for it.
 */
export function standIns(name: string, fallbacks: Fallbacks): readonly string[] {
  const asked = new Set<string>()
  const add = (group: string) => {
    if (asked.has(group)) return
    asked.add(group)
    for (const other of fallbacks.get(group) ?? fallbacks.get('*') ?? []) add(other)
  }
  add(name)
  asked.delete(name)
  return [...asked]
}
