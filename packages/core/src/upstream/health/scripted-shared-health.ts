import type { SharedHealth, SharedTargetState } from './shared-health.ts'

/** Health that is shared in memory, by a test's clock; it fails and hangs as a test says, and counts what it is asked. */
export interface ScriptedSharedHealth extends SharedHealth {
  fails: boolean
  hangs: boolean
  readonly asked: Record<'read' | 'write' | 'claimProbe' | 'letGoProbe', number>
}

export function scriptedSharedHealth(clock: () => number): ScriptedSharedHealth {
  const states = new Map<
    string,
    { generation: number; openings: number; openUntil: number; coolUntil: number }
  >()
  const probes = new Map<string, { token: string; until: number }>()
  let generations = 0
  const asked = { read: 0, write: 0, claimProbe: 0, letGoProbe: 0 }
  const turn = async (what: keyof typeof asked) => {
    asked[what]++
    if (shared.hangs) await new Promise(() => {})
    if (shared.fails) throw new Error('It is down.')
  }
  const stateOf = (id: string): SharedTargetState | undefined => {
    const state = states.get(id)
    return (
      state && {
        generation: state.generation,
        openings: state.openings,
        openMs: Math.max(0, state.openUntil - clock()),
        coolingMs: Math.max(0, state.coolUntil - clock()),
      }
    )
  }
  const shared: ScriptedSharedHealth = {
    fails: false,
    hangs: false,
    asked,
    read: async ids => {
      await turn('read')
      return ids.map(stateOf)
    },
    write: async changes => {
      await turn('write')
      return changes.map(({ id, breaker, coolingMs = 0 }) => {
        const state = states.get(id) ?? { generation: 0, openings: 0, openUntil: 0, coolUntil: 0 }
        states.set(id, state)
        state.coolUntil = Math.max(state.coolUntil, clock() + coolingMs)
        if (breaker === undefined) return state.generation
        probes.delete(id)
        state.generation = ++generations
        state.openings = breaker.openings
        state.openUntil = clock() + breaker.openMs
        return state.generation
      })
    },
    claimProbe: async (id, token, ms) => {
      await turn('claimProbe')
      const probe = probes.get(id)
      if (probe !== undefined && probe.token !== token && probe.until > clock()) return false
      probes.set(id, { token, until: clock() + ms })
      return true
    },
    letGoProbe: async (id, token) => {
      await turn('letGoProbe')
      if (probes.get(id)?.token === token) probes.delete(id)
    },
  }
  return shared
}
