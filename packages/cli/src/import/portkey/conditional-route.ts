import type { ConditionConfig, RouteConfig } from '../../config/config.ts'
import type { ImportContext } from '../import-context.ts'
import type { ImportNode, ImportReader } from '../import-reader.ts'

type RouteOf = (target: ImportNode, context: ImportContext) => RouteConfig | undefined

/** The first condition that matches chooses the target. */
export function conditionalRoute(
  target: ImportNode,
  context: ImportContext,
  routeOf: RouteOf,
): RouteConfig | undefined {
  const strategy = target.at('strategy')
  const targets = new Map(
    target
      .at('targets')
      .items()
      .map(each => [each.at('name').text(), each] as const),
  )
  const routes = new Map<string, RouteConfig | undefined>()
  const named = (name: string | undefined) => {
    const found = name === undefined ? undefined : targets.get(name)
    if (found === undefined || name === undefined) return undefined
    if (!routes.has(name)) routes.set(name, routeOf(found, context))
    return routes.get(name)
  }
  const branches = strategy
    .at('conditions')
    .items()
    .flatMap(each => branchOf(each, named, context))
  const otherwise = named(strategy.at('default').text())
  if (otherwise === undefined && branches.length > 0)
    context.reader.note(
      'The default of a conditional strategy was not converted: requests without a match go to the target of the last condition.',
    )
  const last = otherwise ?? branches.at(-1)?.use
  if (last === undefined) return undefined
  return branches.reduceRight<RouteConfig>((rest, branch) => ({ ...branch, otherwise: rest }), last)
}

interface Branch {
  readonly when: ConditionConfig
  readonly use: RouteConfig
}

function branchOf(
  part: ImportNode,
  named: (name: string | undefined) => RouteConfig | undefined,
  context: ImportContext,
): Branch[] {
  const condition = conditionOf(part.at('query'), context.reader)
  const use = condition === undefined ? undefined : named(part.at('then').text())
  if (condition !== undefined && use !== undefined) return [{ when: condition, use }]
  part.reportUnsupported(
    condition === undefined
      ? 'Conditions can only compare the model name and the tags of the caller.'
      : 'Its target was not converted.',
    'Its requests go to the next condition. In a TypeScript configuration, a condition can be a function.',
  )
  return []
}

/** A query as a condition; `undefined` where it asks for something else than models and metadata by their values. */
function conditionOf(query: ImportNode, reader: ImportReader): ConditionConfig | undefined {
  const all = query.members().map(([key, part]) => {
    if (key === '$and') return allOf(part.items().map(each => conditionOf(each, reader)))
    if (key === '$or') return anyOf(part.items().map(each => conditionOf(each, reader)))
    if (key === 'params.model') return compared(part, value => ({ modelMatches: value }))
    const tag = /^metadata\.([^.]+)$/.exec(key)?.[1]
    if (tag === undefined) return undefined
    reader.note(
      'Conditions on metadata use the tags of the caller: add tags to the keys. Metadata in requests is ignored.',
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
function compared(part: ImportNode, equals: (value: string) => ConditionConfig): ConditionConfig | undefined {
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

  function one(value: ImportNode): ConditionConfig | undefined {
    const text = typeof value.value === 'string' && !/[*$]/.test(value.value) ? value.text() : undefined
    return text === undefined ? undefined : equals(text)
  }
}
