import type { SharedPause, SharedTargetState } from '../../contracts/shared-health.ts'

const longestDigest = 64

/** What a store gave where states were asked for. Throws for anything else: it would be believed for minutes. */
export function soundStates(given: unknown, count: number): readonly (SharedTargetState | undefined)[] {
  const states: readonly unknown[] = Array.isArray(given) ? given : []
  if (states.length === count && states.every(state => state === undefined || isState(state))) {
    return states as readonly (SharedTargetState | undefined)[]
  }
  throw new Error(`The shared health gave something that is no answer: expected ${count} states.`)
}

/** The same of numbers. */
export function soundNumbers(given: unknown, count: number): readonly number[] {
  const numbers: readonly unknown[] = Array.isArray(given) ? given : []
  if (numbers.length === count && numbers.every(isAmount)) return numbers as readonly number[]
  throw new Error(`The shared health gave something that is no answer: expected ${count} numbers.`)
}

function isState(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { generation, openings, openMs, coolingMs, openFor, partial, reason, pause } =
    value as Partial<SharedTargetState>
  return (
    [generation, openings, openMs, coolingMs].every(isAmount) &&
    (openFor === undefined || isDigest(openFor)) &&
    (partial === undefined || typeof partial === 'boolean') &&
    (reason === undefined || typeof reason === 'string') &&
    (pause === undefined || isPause(pause))
  )
}

function isPause(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { principal, ms } = value as Partial<SharedPause>
  return isDigest(principal) && isAmount(ms)
}

function isDigest(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && value.length <= longestDigest
}

function isAmount(value: unknown): boolean {
  return typeof value === 'number' && value >= 0
}
