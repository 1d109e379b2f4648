import type { Adjustment } from '../contracts/provider.ts'

/** A finished answer as it was sent, without its headers. */
export interface KeptAnswer {
  /** Whether the text is server-sent events, to the end mark; else it is JSON. */
  readonly stream: boolean
  readonly text: string
  /** What was done to parameters for it. */
  readonly adjustments: readonly Adjustment[]
}

/** A kept answer in what was parsed of a store's text, or `undefined` for what is none. */
export function keptAnswerOf(value: unknown): KeptAnswer | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { stream, text, adjustments } = value as Partial<Record<keyof KeptAnswer, unknown>>
  if (typeof stream !== 'boolean' || typeof text !== 'string' || text === '') return undefined
  if (!Array.isArray(adjustments) || !adjustments.every(isAdjustment)) return undefined
  return { stream, text, adjustments }
}

function isAdjustment(value: unknown): value is Adjustment {
  if (typeof value !== 'object' || value === null) return false
  const { parameter, action, detail } = value as Partial<Record<keyof Adjustment, unknown>>
  const told = detail === undefined || typeof detail === 'string'
  return typeof parameter === 'string' && actions.includes(action) && told
}

const actions: readonly unknown[] = ['dropped', 'mapped', 'defaulted'] satisfies Adjustment['action'][]
