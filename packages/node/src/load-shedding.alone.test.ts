import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { totalmem } from 'node:os'
import { ConfigurationError } from '@sluice/core'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type LoadSheddingOptions, loadShedding } from './load-shedding.ts'
import { type ProcessLoad, processLoad } from './process-load.ts'

const loader = createRequire(import.meta.url).resolve('tsx')
const idle: ProcessLoad = { lagMs: 0, heapShare: 0.1, memoryShare: 0.1, rssShare: 0.1 }
const alone = { inFlight: 0 }

describe('loadShedding', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  /** One whose readings are given: what it says after each. */
  function shedding(options: LoadSheddingOptions = {}) {
    const stop = vi.fn()
    const read = vi.fn(() => idle)
    const meter = vi.fn(() => ({ read, stop }))
    const shed = loadShedding({ ...options, meter })
    onTestFinished(() => shed.close())
    shed(alone)
    const after = (reading: Partial<ProcessLoad>) => {
      read.mockReturnValue({ ...idle, ...reading })
      vi.advanceTimersByTime(options.sampleMs ?? 2_000)
      return shed(alone)
    }
    return { shed, after, meter, read, stop }
  }

  it('refuses from a reading above the bound to one at 90 % of it', () => {
    const { after } = shedding()
    expect([200, 201, 195, 181, 180, 195, 200].map(lagMs => after({ lagMs }))).toEqual([
      undefined,
      'event loop 201 ms late',
      'event loop 195 ms late',
      'event loop 181 ms late',
      undefined,
      undefined,
      undefined,
    ])
    expect([0.85, 0.86, 0.78, 0.76].map(heapShare => after({ heapShare }))).toEqual([
      undefined,
      'heap 86 % in use',
      'heap 78 % in use',
      undefined,
    ])
  })

  it('refuses for memory from a reading above the bound to one at 90 % of it, and never the only request', () => {
    const { after, shed } = shedding()
    const said = [0.85, 0.86, 0.78, 0.76].map(memoryShare => [
      after({ memoryShare }),
      shed({ inFlight: 1 }),
      shed({ inFlight: 9 }),
    ])
    expect(said).toEqual([
      [undefined, undefined, undefined],
      [undefined, 'memory 86 % in use', 'memory 86 % in use'],
      [undefined, 'memory 78 % in use', 'memory 78 % in use'],
      [undefined, undefined, undefined],
    ])
    const resident = [0.95, 0.96, 0.86, 0.85].map(rssShare => [after({ rssShare }), shed({ inFlight: 1 })])
    expect(resident).toEqual([
      [undefined, undefined],
      [undefined, 'memory 96 % resident'],
      [undefined, 'memory 86 % resident'],
      [undefined, undefined],
    ])
  })

  it('goes by bounds of its own', () => {
    const { after, shed } = shedding({
      maxLagMs: 10,
      maxHeapShare: 0.5,
      maxMemoryShare: 0.4,
      maxRssShare: 0.3,
      sampleMs: 50,
    })
    expect(after({ lagMs: 10, heapShare: 0.5 })).toBeUndefined()
    expect(after({ lagMs: 11 })).toBe('event loop 11 ms late')
    expect(after({ heapShare: 0.51 })).toBe('heap 51 % in use')
    after({ memoryShare: 0.41 })
    expect(shed({ inFlight: 1 })).toBe('memory 41 % in use')
    after({ rssShare: 0.31 })
    expect(shed({ inFlight: 1 })).toBe('memory 31 % resident')
  })

  it('holds maxInFlight from one request to the next', () => {
    const { shed } = shedding({ maxInFlight: 2 })
    expect([1, 2, 3, 1].map(inFlight => shed({ inFlight }) !== undefined)).toEqual([false, true, true, false])
    expect(
      loadShedding({ meter: () => ({ read: () => idle, stop() {} }) })({ inFlight: 1e9 }),
    ).toBeUndefined()
  })

  it('reads by its clock, however often it is asked', () => {
    const { shed, read } = shedding()
    for (let times = 0; times < 1_000; times++) shed(alone)
    expect(read).not.toHaveBeenCalled()
    vi.advanceTimersByTime(10_000)
    expect(read).toHaveBeenCalledTimes(5)
  })

  it('reads nothing before it is asked, nor once it is closed; asked again, it begins anew', () => {
    const meter = vi.fn(() => ({ read: () => ({ ...idle, lagMs: 900 }), stop: vi.fn() }))
    const shed = loadShedding({ meter })
    shed.close()
    expect([meter.mock.calls.length, vi.getTimerCount()]).toEqual([0, 0])
    shed(alone)
    vi.advanceTimersByTime(2_000)
    expect(shed(alone)).toBeDefined()
    shed.close()
    shed.close()
    expect(meter.mock.results[0]?.value.stop).toHaveBeenCalledTimes(1)
    expect(vi.getTimerCount()).toBe(0)
    expect(shed(alone)).toBeUndefined()
    expect(meter).toHaveBeenCalledTimes(2)
    shed.close()
  })

  it('throws where it is asked what its meter threw, until that works', () => {
    const { shed, after, read } = shedding()
    read.mockImplementation(() => {
      throw new Error('no meter')
    })
    vi.advanceTimersByTime(2_000)
    expect(() => shed(alone)).toThrow('no meter')
    expect(after({})).toBeUndefined()
  })

  it('rejects options that are not an object', () => {
    const make = () => loadShedding(null as never)
    expect(make).toThrow(ConfigurationError)
    expect(make).toThrow('loadShedding(): got null, expected an object of options.')
  })

  it.each<[string, unknown]>([
    ['maxInFlight', { maxInFlight: 0 }],
    ['maxInFlight', { maxInFlight: '500' }],
    ['maxLagMs', { maxLagMs: 0 }],
    ['maxLagMs', { maxLagMs: Number.NaN }],
    ['sampleMs', { sampleMs: 2 ** 31 }],
    ['maxHeapShare', { maxHeapShare: 85 }],
    ['maxHeapShare', { maxHeapShare: '0.5' }],
    ['maxHeapShare', { maxHeapShare: Number.NaN }],
    ['maxMemoryShare', { maxMemoryShare: 0 }],
    ['maxMemoryShare', { maxMemoryShare: null }],
    ['maxRssShare', { maxRssShare: 95 }],
    ['meter', { meter: {} }],
    ['maxInflight', { maxInflight: 5 }],
  ])('refuses %s: %j', (name, options) => {
    const make = () => loadShedding(options as LoadSheddingOptions)
    expect(make).toThrow(ConfigurationError)
    expect(make).toThrow(expect.objectContaining({ issues: [expect.objectContaining({ path: [name] })] }))
    expect(make).toThrow(`loadShedding(): ${name}: got `)
  })
})

describe('processLoad', () => {
  it('tells how late the event loop was, and only since it was read', async () => {
    const meter = processLoad()
    onTestFinished(() => meter.stop())
    await ticks(3)
    block(300)
    await ticks(3)
    const { lagMs, heapShare } = meter.read()
    expect(lagMs).toBeGreaterThan(250)
    expect(heapShare).toBeGreaterThan(0)
    expect(heapShare).toBeLessThan(1)
    await ticks(3)
    expect(meter.read().lagMs).toBeLessThan(250)
  })

  it('tells that the heap is nearly full before a small process dies of it', () => {
    const program = `
      import { processLoad } from ${JSON.stringify(new URL('./process-load.ts', import.meta.url).href)}
      const meter = processLoad()
      const kept = []
      while (meter.read().heapShare <= 0.85) kept.push(Array.from({ length: 2_000 }, (_, index) => ({ index })))
      process.stdout.write('told')
    `
    const node = ['--max-old-space-size=100', '--import', loader, '--input-type=module', '-e', program]
    expect(spawnSync(process.execPath, node).stdout.toString()).toBe('told')
  })

  it('sees array buffers, which are not in the heap, and that they are gone', () => {
    const program = `
      import { processLoad } from ${JSON.stringify(new URL('./process-load.ts', import.meta.url).href)}
      const meter = processLoad()
      const before = meter.read()
      let kept = Array.from({ length: 300 }, () => new Uint8Array(1_048_576).fill(1))
      const full = meter.read()
      kept = undefined
      // They are swept beside the program.
      while (process.memoryUsage().external > 100_000_000) {
        gc()
        await new Promise(resolve => setTimeout(resolve, 10))
      }
      console.log(JSON.stringify([before, full, meter.read()]))
    `
    const node = ['--expose-gc', '--import', loader, '--input-type=module', '-e', program]
    const [before, full, after] = JSON.parse(spawnSync(process.execPath, node).stdout.toString()) as [
      ProcessLoad,
      ProcessLoad,
      ProcessLoad,
    ]
    const all = Math.min(process.constrainedMemory() || totalmem(), totalmem())
    const buffers = (300 * 1_048_576) / all
    for (const name of ['memoryShare', 'rssShare'] as const) {
      expect(before[name]).toBeGreaterThan(0)
      expect(full[name] - before[name]).toBeGreaterThan(0.9 * buffers)
      expect(full[name]).toBeLessThan(1)
    }
    expect(Math.abs(full.heapShare - before.heapShare)).toBeLessThan(0.05)
    expect(full.memoryShare - after.memoryShare).toBeGreaterThan(0.9 * buffers)
  })

  it('keeps no process alive', () => {
    const before = process.getActiveResourcesInfo()
    const shed = loadShedding()
    onTestFinished(() => shed.close())
    shed(alone)
    expect(process.getActiveResourcesInfo()).toEqual(before)
  })
})

/** Comes as often as the event loop is looked at. */
async function ticks(count: number): Promise<void> {
  for (let times = 0; times < count; times++) await new Promise(resolve => setTimeout(resolve, 15))
}

function block(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}
