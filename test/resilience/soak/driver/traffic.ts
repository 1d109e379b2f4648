import type { SoakPlan } from '../plan.ts'
import type { SoakResult } from '../soak-result.ts'
import { spreadOf } from '../statistics.ts'
import { abort, abortPhases } from './aborts.ts'
import { drawFrom, faultyKinds, goodKinds, leavingKinds } from './kinds.ts'
import { Load } from './load.ts'
import type { World } from './world.ts'

/** Good and faulty requests, drawn by their shares. */
export function mixedTraffic(plan: SoakPlan, world: World): Load {
  const draw = drawFrom([...goodKinds, ...faultyKinds, ...leavingKinds], world.random)
  return new Load(plan.perSecond, () => {
    const { name, run } = draw()
    return () => world.exchange(name, () => run(world))
  })
}

/** Clients that leave, phase by phase in turn, evenly over nine tenths of the soak. */
export class Leavers {
  readonly load: Load
  readonly #times = abortPhases.map((): number[] => [])

  constructor({ aborts, seconds }: SoakPlan, world: World) {
    const all = aborts * abortPhases.length
    let begun = 0
    this.load = new Load(all / (seconds * 0.9), () => {
      if (begun === all) return undefined
      const at = begun++ % abortPhases.length
      const phase = abortPhases[at]!
      const leave = async () => {
        this.#times[at]!.push(await abort(phase, world))
      }
      const name = `leaves ${phase.name}`
      return () => (phase.at === 'no gateway' ? world.attempt(name, leave) : world.exchange(name, leave))
    })
  }

  measured(): SoakResult['aborts'] {
    return abortPhases.map(({ name, at }, index) => ({
      phase: name,
      at,
      spread: spreadOf(this.#times[index]!),
    }))
  }
}
