import type { ConditionConfig } from '../../config/config.ts'
import type { Part } from '../part.ts'
import type { Reading } from '../reading.ts'

/** A query as a condition; `undefined` where it asks for something else than models and metadata by their values. */
export function conditionOf(query: Part, reading: Reading): ConditionConfig | undefined {
  const all = query.members().map(([key, part]) => {
    if (key === '$and') return allOf(part.items().map(each => conditionOf(each, reading)))
    if (key === '$or') return anyOf(part.items().map(each => conditionOf(each, reading)))
    if (key === 'params.model') return compared(part, value => ({ askedAs: value }))
    const tag = /^metadata\.([^.]+)$/.exec(key)?.[1]
    if (tag === undefined) return undefined
    reading.note(
      'Conditions on metadata look at the tags of the caller: give them to the keys. What a request says of itself is not believed.',
    )
    return compared(part, value => ({ tag: { [tag]: value } }))
  })
  return allOf(all)
}

type Conditions = readonly (ConditionConfig | undefined)[]

function allOf(given: Conditions): ConditionConfig | undefined {
  const conditions = complete(given)
  if (conditions === undefined || conditions.length === 0) return undefined
  if (conditions.length === 1) return conditions[0]
  const names = conditions.flatMap(condition => Object.keys(condition))
  if (new Set(names).size === names.length) return Object.assign({}, ...conditions) as ConditionConfig
  return { noneOf: conditions.map(condition => ({ noneOf: [condition] })) }
}

function anyOf(given: Conditions): ConditionConfig | undefined {
  const conditions = complete(given)
  return conditions === undefined || conditions.length === 0 ? undefined : { anyOf: conditions }
}

/** All of them, or nothing. */
function complete(given: Conditions): ConditionConfig[] | undefined {
  const conditions = given.filter(condition => condition !== undefined)
  return conditions.length === given.length ? conditions : undefined
}

/** A value by itself, or `$eq`, `$ne`, `$in` and `$nin` of texts. */
function compared(part: Part, equals: (value: string) => ConditionConfig): ConditionConfig | undefined {
  if (part.isLeaf) return one(part)
  return allOf(
    part.members().map(([operator, given]) => {
      if (operator === '$eq') return one(given)
      const values = operator === '$ne' ? [one(given)] : given.items().map(one)
      const known = complete(values)
      if (known === undefined || known.length === 0) return undefined
      if (operator === '$in') return known.length === 1 ? known[0] : { anyOf: known }
      return operator === '$ne' || operator === '$nin' ? { noneOf: known } : undefined
    }),
  )

  function one(value: Part): ConditionConfig | undefined {
    const text = typeof value.value === 'string' && !/[*$]/.test(value.value) ? value.text() : undefined
    return text === undefined ? undefined : equals(text)
  }
}
