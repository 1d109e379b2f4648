import { describe, expect, it } from 'vitest'
import { config, runSimulate, simulatedData, traffic } from '../fake-simulate-command.ts'

describe('sluice simulate', () => {
  it('compares two configurations', async () => {
    const better = config.replace(
      'small: openai/gpt-4o-mini',
      'small: [openai/gpt-4o-mini, anthropic/claude-haiku-4-5]',
    )
    const argv = [
      '--traffic',
      'traffic.yaml',
      '--outage',
      'openai:30s..90s:unreachable',
      '--compare',
      'better.yaml',
    ]
    const [before, after] = await simulatedData(argv, { 'better.yaml': better })
    expect(before.config).toBe('sluice.config.yaml')
    expect(after.config).toBe('better.yaml')
    expect(after.requests).toBe(before.requests)
    expect(before.failed).toBeGreaterThan(after.failed + 20)
    const { printed } = await runSimulate(argv, { 'better.yaml': better })
    expect(printed).toMatch(/sluice\.config\.yaml +better\.yaml/)
  })

  it('shares limits over Redis between gateways, and counts in each without', async () => {
    const traffic = `
duration: 1m
clients: [{ rate: 3, keys: [batch], models: [small], streamed: 0 }]
stores: { limits: { latencyMs: { uniform: { min: 0.2, max: 1 } } } }
`
    const argv = ['--traffic', 'traffic.yaml', '--gateways', '4']
    const alone = await simulatedData(argv, { 'traffic.yaml': traffic })
    const shared = await simulatedData(argv, {
      'traffic.yaml': traffic,
      'sluice.config.yaml': `${config}state: { redis: 'redis://127.0.0.1:1' }`,
    })
    expect(shared.completed).toBeGreaterThanOrEqual(18)
    expect(shared.completed).toBeLessThanOrEqual(20)
    expect(alone.completed).toBeGreaterThan(60)
  })

  it('crashes gateways, with a clock that is wrong, by options and by the traffic file', async () => {
    const argv = ['--traffic', 'traffic.yaml', '--gateways', '2']
    const typed = await simulatedData([...argv, '--crash', '0:30s..40s', '--crash', '1:35s', '--skew', '2s'])
    expect(typed.failures['no response']).toBeGreaterThan(2)
    const written = await simulatedData(argv, {
      'traffic.yaml': `${traffic}
crashes: [{ gateway: 0, at: 30s, down: 10s }, { gateway: 1, at: 35s }]
skew: 2s
`,
    })
    expect(written).toEqual(typed)
    expect((await simulatedData(argv)).failures).not.toHaveProperty('no response')
  })

  it('shares the health of targets over Redis', async () => {
    const argv = ['--traffic', 'traffic.yaml', '--gateways', '10', '--outage', 'openai:20s..2m']
    const busy = { 'traffic.yaml': traffic.replaceAll('rate: 1', 'rate: 8') }
    const refusedOf = async (more: string) => {
      const { targets } = await simulatedData(argv, { ...busy, 'sluice.config.yaml': `${config}${more}` })
      return targets.find(({ model }: { model: string }) => model === 'gpt-4o').calls.refused
    }
    const alone = await refusedOf('')
    expect(await refusedOf("state: { redis: 'redis://127.0.0.1:1' }")).toBeLessThan(alone * 0.7)
  })

  it('takes limits of targets, and a ledger, on the virtual clock', async () => {
    const limited = config.replace(
      'small: openai/gpt-4o-mini',
      'small: { to: openai/gpt-4o-mini, limits: [{ kind: requests, limit: 5, per: minute }] }',
    )
    const found = await simulatedData(['--traffic', 'traffic.yaml'], {
      'sluice.config.yaml': `${limited}state: { database: 'file:./not-opened.db' }`,
    })
    const calls = found.targets.find(({ model }: { model: string }) => model === 'gpt-4o-mini').calls
    expect(calls.completed).toBeGreaterThanOrEqual(9)
    expect(calls.completed).toBeLessThanOrEqual(16)
  })

  it('has the same result for a seed, and another one for another', async () => {
    const argv = ['--traffic', 'traffic.yaml']
    const first = await simulatedData(argv)
    expect(await simulatedData(argv)).toEqual(first)
    expect(first).toMatchObject({
      config: 'sluice.config.yaml',
      seed: 1,
      failures: { 429: expect.any(Number) },
    })
    expect(first.rateLimited.batch).toBeGreaterThan(50)
    const other = await simulatedData([...argv, '--seed', '2'])
    expect(other.digest).not.toBe(first.digest)
  })
})
