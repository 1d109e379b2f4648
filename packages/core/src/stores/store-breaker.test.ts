import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../clock/clock.ts'
import { StoreBreaker, type Turn } from './store-breaker.ts'

class World {
  now = 0
  readonly changes: string[] = []
  readonly breaker = new StoreBreaker({
    clock: { ...systemClock, monotonic: () => this.now },
    changed: state => this.changes.push(state),
  })
  /** What is under way, and whether it is a probe. */
  readonly underWay: { readonly turn: Turn; readonly probe: boolean }[] = []
}

/** Written apart from the code, as what the breaker promises. */
interface Model {
  open: boolean
  /** Index of the probe that is under way. */
  probe: number | undefined
  inRow: number
  results: { readonly failed: boolean }[]
  windowFrom: number
  changes: number
  /** For each operation, the count of changes and probes when it began: what is of another one is late. */
  eras: { readonly era: number; done: boolean }[]
  era: number
}

type Command = fc.Command<Model, World>

class Begin implements Command {
  check = () => true
  run(model: Model, { breaker, underWay }: World): void {
    const turn = breaker.begin()
    expect(turn === undefined).toBe(model.open)
    if (turn === undefined) return
    underWay.push({ turn, probe: false })
    model.eras.push({ era: model.era, done: false })
  }
  toString = () => 'begin'
}

class Probe implements Command {
  check = () => true
  run(model: Model, { breaker, underWay, now }: World): void {
    const due = breaker.probeAt
    expect(due === undefined).toBe(!model.open || model.probe !== undefined)
    if (due !== undefined) expect(due - now).toBeLessThanOrEqual(4_000)
    const turn = breaker.beginProbe()
    expect(turn !== undefined).toBe(due !== undefined && now >= due)
    if (turn === undefined) return
    model.era++
    model.probe = underWay.length
    underWay.push({ turn, probe: true })
    model.eras.push({ era: model.era, done: false })
  }
  toString = () => 'probe'
}

class Wait implements Command {
  readonly ms: number
  constructor(ms: number) {
    this.ms = ms
  }
  check = () => true
  run(_: Model, world: World): void {
    world.now += this.ms
  }
  toString = () => `wait ${this.ms}`
}

class End implements Command {
  readonly pick: number
  readonly failed: boolean
  constructor(pick: number, failed: boolean) {
    this.pick = pick
    this.failed = failed
  }
  check = (model: Readonly<Model>) => model.eras.some(({ done }) => !done)
  run(model: Model, { breaker, underWay, now, changes }: World): void {
    const waiting = model.eras.flatMap(({ done }, index) => (done ? [] : [index]))
    const index = waiting[this.pick % waiting.length] as number
    const era = model.eras[index] as Model['eras'][number]
    era.done = true
    const turn = underWay[index]?.turn as Turn
    if (this.failed) breaker.failed(turn, new Error('failed'))
    else breaker.succeeded(turn)
    if (era.era === model.era) this.#heard(model, now)
    expect(breaker.closed).toBe(!model.open)
    expect(changes).toHaveLength(model.changes)
    expect(breaker.error instanceof Error).toBe(model.open)
  }
  #heard(model: Model, now: number): void {
    if (model.probe !== undefined) {
      model.probe = undefined
      model.era++
      if (this.failed) return
      model.open = false
      model.changes++
      model.inRow = 0
      model.results = []
      return
    }
    if (model.results.length === 0 || now - model.windowFrom >= 5_000) {
      model.windowFrom = now
      model.results = []
    }
    model.results.push({ failed: this.failed })
    model.inRow = this.failed ? model.inRow + 1 : 0
    const failures = model.results.filter(({ failed }) => failed).length
    if (!this.failed) return
    if (model.inRow >= 5 || (failures >= 5 && failures * 2 >= model.results.length)) {
      model.open = true
      model.changes++
      model.era++
    }
  }
  toString = () => `${this.failed ? 'fail' : 'succeed'} ${this.pick}`
}

describe('StoreBreaker', () => {
  it('opens, probes one at a time and closes as it promises, and hears nothing late', () => {
    const commands = [
      fc.constant(new Begin()),
      fc.constant(new Begin()),
      fc.constant(new Probe()),
      fc.constantFrom(1, 100, 300, 4_000, 6_000, 20_000).map(ms => new Wait(ms)),
      fc.nat(5).map(pick => new End(pick, true)),
      fc.nat(5).map(pick => new End(pick, true)),
      fc.nat(5).map(pick => new End(pick, false)),
    ]
    fc.assert(
      fc.property(fc.commands(commands, { maxCommands: 120, size: 'max' }), run => {
        const model: Model = {
          open: false,
          probe: undefined,
          inRow: 0,
          results: [],
          windowFrom: 0,
          changes: 0,
          eras: [],
          era: 0,
        }
        fc.modelRun(() => ({ model, real: new World() }), run)
      }),
      { numRuns: 300 },
    )
  })

  it('F60: of 500 that ask to probe, one does', () => {
    const { breaker, ...world } = opened()
    world.advance(250)
    const turns = Array.from({ length: 500 }, () => breaker.beginProbe()).filter(turn => turn !== undefined)
    expect(turns).toHaveLength(1)
  })

  it('does not hear a probe that was given up before', () => {
    const { breaker, advance } = opened()
    advance(250)
    const first = breaker.beginProbe() as Turn
    breaker.failed(first, new Error('late'))
    advance(500)
    const second = breaker.beginProbe() as Turn
    breaker.succeeded(first)
    expect(breaker.closed).toBe(false)
    breaker.succeeded(second)
    expect(breaker.closed).toBe(true)
  })

  it('probes ever later, at most every 4 s, and so where the store fails soon again', () => {
    const { breaker, advance, open } = opened()
    const waits: number[] = []
    for (let count = 0; count < 6; count++) {
      waits.push((breaker.probeAt as number) - advance(0))
      advance(waits.at(-1) as number)
      breaker.failed(breaker.beginProbe() as Turn, new Error('still'))
    }
    expect(waits).toEqual([250, 500, 1_000, 2_000, 4_000, 4_000])
    advance(4_000)
    breaker.succeeded(breaker.beginProbe() as Turn)
    advance(1_000)
    open()
    expect((breaker.probeAt as number) - advance(0)).toBe(4_000)
    advance(4_000)
    breaker.succeeded(breaker.beginProbe() as Turn)
    advance(10_000)
    open()
    expect((breaker.probeAt as number) - advance(0)).toBe(250)
  })

  it('counts failures in a row alone where it has no window', () => {
    const changes: string[] = []
    const breaker = new StoreBreaker({
      clock: { ...systemClock, monotonic: () => 0 },
      changed: state => changes.push(state),
      windowMs: 0,
    })
    for (let count = 0; count < 20; count++) {
      for (let failure = 0; failure < 4; failure++)
        breaker.failed(breaker.begin() as Turn, new Error('failed'))
      breaker.succeeded(breaker.begin() as Turn)
    }
    expect(changes).toEqual([])
  })

  it('probes at once where the clock was set back', () => {
    const { breaker, advance } = opened()
    expect(breaker.beginProbe()).toBeUndefined()
    advance(-3_600_000)
    expect(breaker.beginProbe()).toBeDefined()
  })

  it('stays closed where few of many fail', () => {
    const world = new World()
    for (let count = 0; count < 1_000; count++) {
      world.now += 10
      const turn = world.breaker.begin() as Turn
      if (count % 3 === 0) world.breaker.failed(turn, new Error('now and then'))
      else world.breaker.succeeded(turn)
    }
    expect(world.changes).toEqual([])
  })
})

function opened() {
  const world = new World()
  const { breaker } = world
  const open = () => {
    for (let count = 0; count < 5; count++) breaker.failed(breaker.begin() as Turn, new Error('failed'))
    expect(breaker.closed).toBe(false)
  }
  open()
  const advance = (ms: number) => {
    world.now += ms
    return world.now
  }
  return { breaker, advance, open }
}
