import type { RouteConfig } from '../../config/config.ts'
import type { ImportContext } from '../import-context.ts'
import type { ImportNode } from '../import-reader.ts'
import { type Deployment, deploymentOf } from './deployment.ts'

/** The deployments of `model_list`, by the name that callers use. */
export function groupsOf(
  list: ImportNode,
  context: ImportContext,
  credentials: ImportNode,
): ReadonlyMap<string, Group> {
  const deployments = new Map<string, Deployment[]>()
  for (const entry of list.items()) {
    const name = entry.at('model_name').text()
    if (name === undefined) {
      entry.reportUnsupported('It has no model_name.', 'Add one, and import again.')
      continue
    }
    if (name.split('*').length > 2 || name === '__proto__') {
      entry.reportUnsupported(
        'The name is not allowed.',
        'Use another one, with at most one *, and import again.',
      )
      continue
    }
    const deployment = deploymentOf(entry, name, context, credentials)
    if (deployment === undefined) continue
    deployments.set(name, [...(deployments.get(name) ?? []), deployment])
  }
  return new Map([...deployments].map(([name, own]) => [name, { name, deployments: withSpace(own) }]))
}

/** The deployments of one name have one embedding space. Only those of several models have to say so. */
function withSpace(deployments: readonly Deployment[]): readonly Deployment[] {
  const names = new Set(deployments.map(({ target }) => target.slice(target.indexOf('/') + 1)))
  return names.size > 1 ? deployments : deployments.map(each => ({ ...each, embeddingSpace: undefined }))
}

/** All deployments under one `model_name`. */
export interface Group {
  readonly name: string
  readonly deployments: readonly Deployment[]
}

export type Strategy = 'weighted' | 'leastBusy' | 'fastest' | 'cheapest'

/** The group of a name: its own, or what the longest pattern makes of it. */
export function groupUnder(name: string, groups: ReadonlyMap<string, Group>): Group | undefined {
  const own = groups.get(name)
  if (own !== undefined) return own
  const fitting = [...groups.values()].flatMap(group => {
    const [head = '', tail] = group.name.split('*')
    if (tail === undefined || name.length <= head.length + tail.length) return []
    if (!name.startsWith(head) || !name.endsWith(tail)) return []
    const under = name.slice(head.length, name.length - tail.length)
    const deployments = group.deployments.map(each => ({
      ...each,
      target: each.target.replace('*', () => under),
    }))
    return [{ name: group.name, deployments }]
  })
  return fitting.sort((a, b) => b.name.length - a.name.length)[0]
}

/** The deployments of each `order`, the lowest first; those without one come last. */
export function levelsOf({ deployments }: Pick<Group, 'deployments'>): readonly (readonly Deployment[])[] {
  const orderOf = ({ order }: Deployment) => order ?? Number.POSITIVE_INFINITY
  const orders = [...new Set(deployments.map(orderOf))].sort((a, b) => (a < b ? -1 : 1))
  return orders.map(order => deployments.filter(deployment => orderOf(deployment) === order))
}

/** Where a group is answered: the deployments of the lowest `order` by the strategy, then those of the next one. */
export function groupRoute(group: Group, strategy: Strategy): RouteConfig {
  const levels = levelsOf(group).map(level => levelRoute(level, strategy))
  return levels.length === 1 ? levels[0]! : levels
}

function levelRoute(deployments: readonly Deployment[], strategy: Strategy): RouteConfig {
  const targets = deployments.map(targetOf)
  if (targets.length === 1) return targets[0]!
  if (strategy === 'leastBusy') return { leastBusy: targets }
  if (strategy === 'fastest') return { fastest: targets }
  if (strategy === 'cheapest') return { cheapest: targets }
  const by = weightKey(deployments)
  const weightOf = (deployment: Deployment) => (by === undefined ? 1 : weightIn(deployment, by))
  return { weighted: targets.map((to, at) => ({ to, weight: weightOf(deployments[at]!) })) }
}

function targetOf({ target, parameters, capabilities, embeddingSpace }: Deployment): RouteConfig {
  if (parameters === undefined && capabilities === undefined && embeddingSpace === undefined) return target
  return {
    to: target,
    ...(parameters === undefined ? {} : { parameters }),
    ...(capabilities === undefined ? {} : { capabilities }),
    ...(embeddingSpace === undefined ? {} : { embeddingSpace }),
  }
}

/** What LiteLLM may draw a deployment by. */
export type WeightKey = 'weight' | 'rpm' | 'tpm'

export const weightKeys: readonly WeightKey[] = ['weight', 'rpm', 'tpm']

/** Which of them it takes: the first that the first deployment has; `undefined` where all are alike. */
export function weightKey(deployments: readonly Deployment[]): WeightKey | undefined {
  return weightKeys.find(key => {
    const sum = deployments.reduce((all, deployment) => all + weightIn(deployment, key), 0)
    return deployments[0]?.[key].isThere === true && sum > 0
  })
}

/** Looks, and does not count as reading. */
function weightIn(deployment: Deployment, key: WeightKey): number {
  const { value } = deployment[key]
  return typeof value === 'number' && value > 0 ? value : 0
}

export interface ChosenStrategy {
  readonly strategy: Strategy
  /** Whether `rpm` and `tpm` bound a group. */
  readonly byUsage: boolean
}

const strategies: Readonly<Record<string, Strategy>> = {
  'simple-shuffle': 'weighted',
  'least-busy': 'leastBusy',
  'latency-based-routing': 'fastest',
  'cost-based-routing': 'cheapest',
}

export function strategyOf(part: ImportNode): ChosenStrategy {
  if (part.value === 'usage-based-routing' || part.value === 'usage-based-routing-v2') {
    part.reportUnsupported(
      'No strategy uses the remaining rpm and tpm.',
      'leastBusy is used instead: the target with the fewest requests in flight. rpm and tpm limit the model as a whole.',
    )
    return { strategy: 'leastBusy', byUsage: true }
  }
  if (!part.isThere) return { strategy: 'weighted', byUsage: false }
  const strategy =
    typeof part.value === 'string' && Object.hasOwn(strategies, part.value)
      ? strategies[part.value]
      : undefined
  if (strategy !== undefined) part.markRead()
  else
    part.reportUnsupported(
      'Unknown routing strategy.',
      'weighted is used instead; see docs/routing.md for the others.',
    )
  return { strategy: strategy ?? 'weighted', byUsage: false }
}
