import type {
  SharedHealth,
  SharedPause,
  SharedTargetChange,
  SharedTargetState,
} from '../../src/contracts/shared-health.ts'

/** Health that is shared in memory, by a test's clock; it fails and hangs as a test says, and counts what it is asked. */
export interface ScriptedSharedHealth extends SharedHealth {
  fails: boolean
  hangs: boolean
  readonly asked: Record<'read' | 'write' | 'acquireProbe' | 'releaseProbe', number>
}

interface KeptState {
  generation: number
  breaker: NonNullable<SharedTargetChange['breaker']>
  openUntil: number
  cooldownUntil: number
  pause: { readonly principal: string; readonly until: number }
}

export function scriptedSharedHealth(clock: () => number): ScriptedSharedHealth {
  const states = new Map<string, KeptState>()
  const probes = new Map<string, { token: string; until: number }>()
  let generations = 0
  const asked = { read: 0, write: 0, acquireProbe: 0, releaseProbe: 0 }
  const turn = async (what: keyof typeof asked) => {
    asked[what]++
    if (shared.hangs) await new Promise(() => {})
    if (shared.fails) throw new Error('It is down.')
  }
  const stateOf = (id: string): SharedTargetState | undefined => {
    const state = states.get(id)
    const pauseMs = state === undefined ? 0 : Math.max(0, state.pause.until - clock())
    return (
      state && {
        ...state.breaker,
        generation: state.generation,
        openMs: Math.max(0, state.openUntil - clock()),
        cooldownMs: Math.max(0, state.cooldownUntil - clock()),
        ...(pauseMs > 0 && { pause: { principal: state.pause.principal, ms: pauseMs } }),
      }
    )
  }
  const fresh = (): KeptState => ({
    generation: 0,
    breaker: { openings: 0, openMs: 0 },
    openUntil: 0,
    cooldownUntil: 0,
    pause: { principal: '', until: 0 },
  })
  const addPause = (state: KeptState, { principal, ms }: SharedPause) => {
    const until = clock() + ms
    const { pause } = state
    const isAnothers = pause.principal !== principal && pause.until > clock()
    if (isAnothers) state.cooldownUntil = Math.max(state.cooldownUntil, Math.min(until, pause.until))
    if (until > pause.until) state.pause = { principal, until }
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
      return changes.map(({ id, breaker, cooldownMs = 0, pause }) => {
        const state = states.get(id) ?? fresh()
        states.set(id, state)
        state.cooldownUntil = Math.max(state.cooldownUntil, clock() + cooldownMs)
        if (pause !== undefined) addPause(state, pause)
        if (breaker === undefined) return state.generation
        probes.delete(id)
        state.generation = ++generations
        state.breaker = breaker
        state.openUntil = clock() + breaker.openMs
        return state.generation
      })
    },
    acquireProbe: async (id, token, ms) => {
      await turn('acquireProbe')
      const probe = probes.get(id)
      if (probe !== undefined && probe.token !== token && probe.until > clock()) return false
      probes.set(id, { token, until: clock() + ms })
      return true
    },
    releaseProbe: async (id, token) => {
      await turn('releaseProbe')
      if (probes.get(id)?.token === token) probes.delete(id)
    },
  }
  return shared
}
