import type { Draft } from '../../src/contracts/draft.ts'
import type { Capabilities, Provider, Target } from '../../src/contracts/provider.ts'
import type { Route, RouteContext, RoutedTarget } from '../../src/contracts/route.ts'
import type { TargetHealth } from '../../src/contracts/target-health.ts'
import type { SkipReason } from '../../src/contracts/trace.ts'
import type { JsonObject } from '../../src/protocol/chat.ts'
import { chatDraft } from './chat-draft.ts'
import { scriptedContext } from './scripted-context.ts'

export const provider: Provider = {
  name: 'acme',
  encode: () => ({ method: 'POST', url: '', headers: {} }),
  decode: () => ({ kind: 'completion', completion: { choices: [] } }),
}

export const place = (model: string, capabilities?: Capabilities): Target =>
  capabilities === undefined ? { provider, model } : { provider, model, capabilities }
export const [a, b, c, d] = [place('a'), place('b'), place('c'), place('d')]

/** A function that makes targets, as vendors are. */
export const vendor = Object.assign((model: string) => place(model), { provider })

export const draftOf = (body: JsonObject = {}, model = 'm'): Draft =>
  chatDraft({ model, body: { model, ...body } })

export const idle: TargetHealth = {
  active: 0,
  firstTokenMs: undefined,
  responseMs: undefined,
  state: 'closed',
  waitMs: 0,
}

/** A context that keeps what is skipped. */
export function watching(known: Partial<RouteContext> = {}) {
  const skipped: [model: string, why: SkipReason['why']][] = []
  const context = scriptedContext(
    { id: 'ann' },
    { skip: (target, { why }) => skipped.push([target.model, why]), ...known },
  )
  return { context, skipped }
}

/** The models that a route without promises gives. */
export function modelsOf(route: Route, context = watching().context, draft = draftOf()): readonly string[] {
  return candidatesOf(route, context, draft).map(({ model }) => model)
}

export function candidatesOf(
  route: Route,
  context = watching().context,
  draft = draftOf(),
): readonly RoutedTarget[] {
  const given = route(draft, context)
  if (given instanceof Promise) throw new Error('It waits, though nothing below it does.')
  return given
}

/** Numbers of chance that are the same in each run (a linear congruential generator; its upper bits). */
export function chance(seed = 1): () => number {
  let state = BigInt(seed)
  return () => {
    state = (state * 6_364_136_223_846_793_005n + 1_442_695_040_888_963_407n) & 0xffff_ffff_ffff_ffffn
    return Number(state >> 32n) / 2 ** 32
  }
}

/** Whether so many of `total` are as likely as they should be: within five standard deviations. */
export function isLikely(count: number, total: number, share: number): boolean {
  return Math.abs(count - total * share) <= 5 * Math.sqrt(total * share * (1 - share))
}
