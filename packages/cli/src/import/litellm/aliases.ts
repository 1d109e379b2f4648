import type { RouteConfig } from '../../config/config.ts'
import type { Part } from '../part.ts'
import type { Reading } from '../reading.ts'

/** Other names for models: `{ "gpt-4": "gpt-4o" }`, or `{ "gpt-4": { "model": "gpt-4o", "hidden": true } }`. */
export function aliasesOf(
  aliases: Part,
  models: Readonly<Record<string, RouteConfig>>,
  reading: Reading,
): Readonly<Record<string, RouteConfig>> {
  const carried = aliases.members().flatMap(([alias, part]) => {
    const target = part.isLeaf ? part : part.at('model')
    if (
      Object.hasOwn(models, alias) ||
      typeof target.value !== 'string' ||
      !Object.hasOwn(models, target.value)
    ) {
      part.lose(
        'No model of that name is carried, or the alias is one already.',
        'Write the name and what it stands for in models.',
      )
      return []
    }
    target.take()
    part
      .at('hidden')
      .lose('GET /models lists every name that the caller may use.', 'Give keys a list of models without it.')
    return [[alias, target.value] as const]
  })
  if (carried.length > 0) reading.note('Who uses an alias needs leave for the model that it stands for, too.')
  return Object.fromEntries(carried)
}
