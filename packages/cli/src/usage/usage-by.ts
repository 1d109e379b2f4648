import type { UsageDimension } from '@sluice/core'
import { CommandFault } from '../command.ts'
import { shown } from '../command-line/shown.ts'

const named = ['model', 'key', 'provider', 'day', 'kind'] as const
const most = 8

/** Dimensions as they are typed: `model,tag:team`. Throws `CommandFault` for what is none. */
export function usageBy(text: string): readonly UsageDimension[] {
  const words = [...new Set(text.split(',').map(word => word.trim()))]
  if (words.length > most)
    throw new CommandFault(`--by names ${words.length} things, expected at most ${most}.`, 2)
  return words.map((word): UsageDimension => {
    const known = named.find(name => name === word)
    if (known !== undefined) return known
    if (/^tag:./s.test(word)) return `tag:${word.slice('tag:'.length)}`
    throw new CommandFault(
      `--by has '${shown(word)}', expected ${named.join(', ')} or tag: and a name, separated by commas.`,
      2,
    )
  })
}
