import type { Turn } from './conversation.ts'

/** The names of the tools that were called in a conversation, each once. */
export function calledNames(turns: readonly Turn[]): readonly string[] {
  const names = new Set<string>()
  for (const { items } of turns) for (const item of items) if (item.kind === 'call') names.add(item.name)
  return [...names]
}
