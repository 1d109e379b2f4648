import type { ConditionConfig, RouteConfig } from '../../config/config.ts'
import type { Importing } from '../importing.ts'
import type { Part } from '../part.ts'
import { conditionOf } from './condition.ts'

type RouteOf = (target: Part, importing: Importing) => RouteConfig | undefined

/** The first condition that holds says which target is asked. */
export function conditionalRoute(
  target: Part,
  importing: Importing,
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
    if (!routes.has(name)) routes.set(name, routeOf(found, importing))
    return routes.get(name)
  }
  const branches = strategy
    .at('conditions')
    .items()
    .flatMap(each => branchOf(each, named, importing))
  const otherwise = named(strategy.at('default').text())
  if (otherwise === undefined && branches.length > 0)
    importing.reading.note(
      'A conditional strategy has no default that is carried: what fits no condition goes to the target of the last one.',
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
  part: Part,
  named: (name: string | undefined) => RouteConfig | undefined,
  importing: Importing,
): Branch[] {
  const condition = conditionOf(part.at('query'), importing.reading)
  const use = condition === undefined ? undefined : named(part.at('then').text())
  if (condition !== undefined && use !== undefined) return [{ when: condition, use }]
  part.lose(
    condition === undefined
      ? 'Conditions look at the name of the model, for equality, and at the tags of the caller.'
      : 'The target that it names is not carried.',
    'Requests that it would fit go on to the next condition. In a TypeScript configuration a condition may be a function.',
  )
  return []
}
