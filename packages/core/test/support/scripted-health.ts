import type { HealthRegistry, TargetUnavailable } from '../../src/contracts/target-health.ts'

/** What a test says of a model, and what it hears of its calls. */
export interface ScriptedTarget {
  blocked?: TargetUnavailable
  /** How long it is blocked where it is the last resort. Absent: as long as else. */
  lastResortMs?: number
  /** How many repeats there is leave for. Absent: any number. */
  repeats?: number
  /** Repeats that were not given back. */
  repeating: number
  /** What its calls came to, in order; `answered` where content came. */
  readonly heard: unknown[]
  active: number
}

/** Health that does as a test says, by the names of models. */
export function scriptedHealth(): HealthRegistry & { target(model: string): ScriptedTarget } {
  const targets = new Map<string, ScriptedTarget>()
  const target = (model: string): ScriptedTarget => {
    let known = targets.get(model)
    if (known === undefined) {
      known = { heard: [], active: 0, repeating: 0 }
      targets.set(model, known)
    }
    return known
  }
  return {
    target,
    of({ model }) {
      const known = target(model)
      return {
        view: () => ({
          active: known.active,
          firstTokenMs: undefined,
          responseMs: undefined,
          state: known.blocked?.state ?? 'closed',
          waitMs: known.blocked?.waitMs ?? 0,
        }),
        waitMs: () => known.blocked?.waitMs ?? 0,
        lastResortMs: () => known.lastResortMs ?? known.blocked?.waitMs ?? 0,
        begin: (_, lastResort) => {
          const { blocked } = known
          const lastMs = lastResort === true ? known.lastResortMs : undefined
          if (blocked !== undefined && lastMs !== 0) return { ...blocked, ...(lastMs && { waitMs: lastMs }) }
          known.active++
          let ended = false
          return {
            answered: () => known.heard.push('answered'),
            ended: error => {
              if (ended) return
              ended = true
              known.active--
              known.heard.push(error)
            },
          }
        },
        acquireRetry: () => {
          if (known.repeats === 0) return undefined
          if (known.repeats !== undefined) known.repeats--
          known.repeating++
          return () => known.repeating--
        },
      }
    },
  }
}
