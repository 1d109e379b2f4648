import type { Part } from '../part.ts'
import type { Strategy } from './group.ts'

export interface ChosenStrategy {
  readonly strategy: Strategy
  /** Whether `rpm` and `tpm` bound a group. */
  readonly byUsage: boolean
}

const known: Readonly<Record<string, Strategy>> = {
  'simple-shuffle': 'weighted',
  'least-busy': 'leastBusy',
  'latency-based-routing': 'fastest',
  'cost-based-routing': 'cheapest',
}

export function strategyOf(part: Part): ChosenStrategy {
  if (part.value === 'usage-based-routing' || part.value === 'usage-based-routing-v2') {
    part.lose(
      'No route goes by what was used of a bound within the minute.',
      'The place with the fewest requests under way is asked instead (leastBusy), and rpm and tpm bound the model as a whole.',
    )
    return { strategy: 'leastBusy', byUsage: true }
  }
  if (!part.isThere) return { strategy: 'weighted', byUsage: false }
  const strategy =
    typeof part.value === 'string' && Object.hasOwn(known, part.value) ? known[part.value] : undefined
  if (strategy !== undefined) part.take()
  else
    part.lose(
      'There is no such way to choose.',
      'Places are drawn by their weights instead; docs/routing.md has the others.',
    )
  return { strategy: strategy ?? 'weighted', byUsage: false }
}
