import type { Target } from '../contracts/provider.ts'
import type { TargetHealth } from '../contracts/target-health.ts'
import type { Usage } from '../protocol/chat.ts'
import { pricedModel } from '../usage/prices.ts'
import { promptUsage } from '../usage/usage.ts'
import { isSameTarget } from '../validation/is-target.ts'
import type { ResolvedOptions } from './resolve.ts'

/** A target and its health. */
export interface TargetStatus {
  readonly provider: string
  /** The upstream's own name for the model. */
  readonly model: string
  /** The health in this process. */
  readonly health: TargetHealth
  /** What its tokens cost now; `null` without a known price. */
  readonly price: TargetPrice | null
}

/**
 * Prices in US dollars per million tokens, as they are for a generated answer to a prompt of 1,000 tokens. Price tables may have
 * others for longer prompts, cached tokens and service tiers.
 */
export interface TargetPrice {
  readonly input: number | null
  readonly output: number | null
}

/** The targets of a model. */
export interface ModelTargets {
  /** The name of the model in requests. */
  readonly model: string
  /**
   * In the order of the table, each once, with the targets of `mirror`. A request may call them in another order, or only
   * some of them. A route of your own without `targets` has none here.
   */
  readonly targets: readonly TargetStatus[]
}

const sampleTokens = 1_000
const samplePrompt: Usage = promptUsage(sampleTokens)
const sampleAnswer: Usage = {
  ...promptUsage(0),
  completion_tokens: sampleTokens,
  total_tokens: sampleTokens,
}

/** Without the noise of binary fractions. */
function perMillion(cost: number | null): number | null {
  return cost === null ? null : Number(((cost * 1_000_000) / sampleTokens).toPrecision(12))
}

/** Returns the models that a route lists, with their targets, and the health and prices of those. */
export function modelTargets<Host>({
  route,
  call,
  prices,
}: Pick<ResolvedOptions<Host>, 'route' | 'call' | 'prices'>): readonly ModelTargets[] {
  const now = call.clock.monotonic()
  const at = call.clock.now()
  const priceOf = (model: string, target: Target): TargetPrice | null => {
    const priced = pricedModel('generate', model, target, at, undefined)
    const input = perMillion(prices(samplePrompt, priced))
    const output = perMillion(prices(sampleAnswer, priced))
    return input === null && output === null ? null : { input, output }
  }
  return (route.list?.() ?? []).map(({ id }) => ({
    model: id,
    targets: distinctTargets(route.targetsOf?.(id) ?? []).map(target => ({
      provider: target.provider.name,
      model: target.model,
      health: call.health.of(target).view(now),
      price: priceOf(id, target),
    })),
  }))
}

/** Drops targets with the same provider and model, whatever their parameters. */
function distinctTargets(targets: readonly Target[]): readonly Target[] {
  return targets.filter((target, at) => targets.findIndex(each => isSameTarget(each, target)) === at)
}
