import { describe, expect, it } from 'vitest'
import { config, runSimulate, simulatedData, traffic } from '../fake-simulate-command.ts'
import { parseCrash } from '../simulate/crash-option.ts'
import { parseOutage } from '../simulate/outage-option.ts'

describe('sluice simulate', () => {
  it('prints what the traffic did, without keys and without a network', async () => {
    const { code, printed, logged } = await runSimulate([
      '--traffic',
      'traffic.yaml',
      '--outage',
      'openai:30s..1m',
    ])
    expect(code, logged).toBe(0)
    expect(printed).toMatch(/^requests +2\d\d$/m)
    expect(printed).toMatch(/^spend \(USD\) +0\.\d+$/m)
    expect(printed).not.toContain('no price')
    expect(logged).not.toContain('The cache')
    expect(printed).toMatch(/^batch +\d+$/m)
    expect(printed).toMatch(/^openai\/gpt-4o-mini +\d+ /m)
    expect(printed).toMatch(/^anthropic\/claude-sonnet-4-5 +\d+ /m)
    expect(printed).toMatch(/^seed 1, digest of the history [0-9a-f]{16}$/m)
    expect(logged).toContain('Not set, and replaced by a placeholder: APP_KEY, BATCH_KEY, OPENAI_API_KEY.')
  })

  it('sends the requests of a log again', async () => {
    const row = (at: number, more: object = {}) =>
      JSON.stringify({
        id: `req_${at}`,
        at: 1_700_000_000_000 + at,
        operation: 'generate',
        dialect: 'chat',
        principal: 'app',
        model: 'small',
        stream: false,
        promptTokens: 100,
        completionTokens: 50,
        ...more,
      })
    const log = [
      row(0),
      row(90_000),
      row(5_000, { dialect: 'messages', stream: true }),
      row(1, { operation: 'embed' }),
    ]
    const found = await simulatedData(['--traffic', 'log.jsonl'], { 'log.jsonl': log.join('\n') })
    expect(found).toMatchObject({ requests: 3, completed: 3 })
    expect(found.targets).toMatchObject([{ model: 'gpt-4o-mini', promptTokens: 300, completionTokens: 150 }])
    const broken = await runSimulate(['--traffic', 'log.jsonl'], { 'log.jsonl': `${row(0)}\n{"at":1}` })
    expect(broken).toMatchObject({
      code: 1,
      logged: expect.stringContaining('log.jsonl, line 2 is no request'),
    })
  })

  it('sends requests of a log that have no token counts with the mean of the others', async () => {
    const row = (at: number, more: object) =>
      JSON.stringify({
        at,
        operation: 'generate',
        dialect: 'chat',
        outcome: 'completed',
        principal: 'app',
        model: 'small',
        stream: false,
        promptTokens: null,
        completionTokens: null,
        ...more,
      })
    const refused = { outcome: 'refused' }
    const failed = { outcome: 'upstream_failed', promptTokens: 100, completionTokens: 0 }
    const log = [
      row(0, { promptTokens: 100, completionTokens: 20 }),
      row(1, { promptTokens: 301, completionTokens: 40 }),
      row(2, refused),
      row(3, failed),
      row(4, { promptTokens: 100, completionTokens: 0 }),
    ]
    const found = await simulatedData(['--traffic', 'log.jsonl'], { 'log.jsonl': log.join('\n') })
    const mean = Math.round((100 + 301 + 100 + 100) / 4)
    expect(found).toMatchObject({ requests: 5, completed: 5 })
    expect(found.targets[0].promptTokens).toBe(100 + 301 + mean + 100 + 100)
    // A completed response keeps its 0, which is sent as 1.
    expect(found.targets[0].completionTokens).toBe(20 + 40 + 20 + 20 + 1)
    const { logged } = await runSimulate(['--traffic', 'log.jsonl'], { 'log.jsonl': log.join('\n') })
    expect(logged).toContain(
      'log.jsonl: 2 of 5 requests have no token counts, such as those that a limit rejected. Missing counts are the mean',
    )
    const counted = await runSimulate(['--traffic', 'log.jsonl'], { 'log.jsonl': log[0]! })
    expect(counted.logged).not.toContain('token counts')
  })

  it('says which targets have no price, and that a cache has no effect', async () => {
    const unpriced = config
      .replace('anthropic: {}', "ours: { type: openai-compatible, baseURL: 'http://10.0.0.7:8000/v1' }")
      .replace('[openai/gpt-4o, anthropic/claude-sonnet-4-5]', 'ours/qwen3-8b')
    const files = {
      'sluice.config.yaml': `${unpriced}cache: { ttlMs: 60000 }\n`,
      'traffic.yaml': 'duration: 20s\nclients: [{ rate: 1, keys: [app], models: [smart] }]',
    }
    const { printed, logged } = await runSimulate(['--traffic', 'traffic.yaml'], files)
    expect(printed).toMatch(/^spend \(USD\) +-$/m)
    const [, calls] = /ours\/qwen3-8b has no price: (\d+) calls are not part of the spend\.$/m.exec(printed)!
    expect(logged).toContain('The cache has no effect: each simulated request has its own prompt')
    const data = await simulatedData(['--traffic', 'traffic.yaml'], files)
    expect(data).toMatchObject({
      spend: 0,
      completed: Number(calls),
      unpriced: { 'ours/qwen3-8b': Number(calls) },
    })
    // With a target that has a price, the sum of the others is shown.
    const mixed = await runSimulate(['--traffic', 'traffic.yaml'], {
      ...files,
      'traffic.yaml': files['traffic.yaml'].replace('[smart]', '[smart, small]'),
    })
    expect(mixed.printed).toMatch(/^spend \(USD\) +0\.\d+$/m)
    expect(mixed.printed).toContain('ours/qwen3-8b has no price')
  })

  it.each([
    [[], 2, 'the traffic is missing'],
    [['a', 'b', '--traffic', 'traffic.yaml'], 2, "unexpected argument 'b'"],
    [['--traffic', 'traffic.yaml', '--seed', 'x'], 2, "--seed is 'x'"],
    [['--traffic', 'traffic.yaml', '--gateways', '0'], 2, "--gateways is '0'"],
    [['--traffic', 'traffic.yaml', '--outage', 'openai'], 2, '--outage is'],
    [
      ['--traffic', 'traffic.yaml', '--outage', 'openai:2m..3m'],
      2,
      '--outage begins at 120 s, when the traffic of 120 s',
    ],
    [['--traffic', 'traffic.yaml', '--crash', '0'], 2, '--crash is'],
    [['--traffic', 'traffic.yaml', '--crash', '0:1m..30s'], 2, '--crash is'],
    [
      ['--traffic', 'traffic.yaml', '--crash', '1:1m'],
      2,
      'gateway 1 cannot crash, expected one of the 1 gateways',
    ],
    [['--traffic', 'traffic.yaml', '--crash', '0:2m'], 2, 'gateway 0 crashes at 120 s, when the traffic'],
    [['--traffic', 'traffic.yaml', '--skew', '2'], 2, "--skew is '2', expected a duration"],
    [['--traffic', 'missing.yaml'], 1, 'Cannot read missing.yaml'],
    [['missing.yaml', '--traffic', 'traffic.yaml'], 1, 'File not found'],
    [
      ['--traffic', 'traffic.yaml', '--outage', 'opnai:1m..2m'],
      1,
      "no provider 'opnai', expected one of openai, anthropic. Did you mean 'openai'?",
    ],
  ])('rejects %j', async (argv, code, message) => {
    const found = await runSimulate(argv)
    expect(found).toMatchObject({ code, printed: '', logged: expect.stringContaining(message) })
  })

  it('models a provider that only one of two configurations has', async () => {
    const second = config
      .replace('anthropic: {}', 'anthropic: {}\n  mistral: {}')
      .replace('small: openai/gpt-4o-mini', 'small: [mistral/mistral-small-latest, openai/gpt-4o-mini]')
    const short = traffic.replace('duration: 2m', 'duration: 20s')
    const files = {
      'second.yaml': second,
      'traffic.yaml': `${short}upstreams: { mistral: { firstTokenMs: 5, networkMs: 1, tokensPerSecond: 10000 } }`,
    }
    const argv = ['--traffic', 'traffic.yaml', '--compare', 'second.yaml', '--outage', 'mistral:10s..20s']
    const { code, printed, logged } = await runSimulate([...argv, '--json'], files)
    expect(code, logged).toBe(0)
    expect(logged).toContain(
      "sluice.config.yaml: There is no provider 'mistral': its upstream has no effect here.",
    )
    expect(logged).not.toContain('second.yaml: There is no provider')
    const [first, other] = JSON.parse(printed)
    const callsOf = (data: typeof first, name: string) =>
      data.targets.find(({ provider }: { provider: string }) => provider === name)?.calls
    expect(callsOf(first, 'mistral')).toBeUndefined()
    expect(callsOf(other, 'mistral').completed).toBeGreaterThan(2)
    expect(callsOf(other, 'mistral').refused).toBeGreaterThan(0)
    expect(other.firstMs.p50).toBeLessThan(first.firstMs.p50)
    // In either order: the provider is not looked for in the first one only.
    const swapped = ['second.yaml', '--compare', 'sluice.config.yaml', ...argv.slice(0, 2), ...argv.slice(4)]
    expect((await simulatedData(swapped, files)).map(({ digest }: typeof first) => digest)).toEqual([
      other.digest,
      first.digest,
    ])
  })

  it('rejects a provider that neither of two configurations has', async () => {
    const argv = ['--traffic', 'traffic.yaml', '--compare', 'second.yaml', '--outage', 'mistrl:10s..20s']
    const second = config.replace('anthropic: {}', 'anthropic: {}\n  mistral: {}')
    const found = await runSimulate(argv, { 'second.yaml': second })
    expect(found).toMatchObject({ code: 1, printed: '' })
    expect(found.logged).toContain(
      "Neither sluice.config.yaml nor second.yaml has a provider 'mistrl', expected one of openai, anthropic, mistral. Did you mean 'mistral'?",
    )
  })

  it('names the path of everything that is wrong in a traffic file', async () => {
    const { code, logged } = await runSimulate(['--traffic', 'traffic.yaml'], {
      'traffic.yaml': `
duration: soon
clients:
  - rate: -1
    keys: []
    models: [small]
    promptTokens: { lognormal: { median: 0, p99: 1 } }
    bursts: [{ from: 2m, to: 1m, factor: 2 }]
    speed: fast
upstreams: { openai: { outages: [{ from: 1m, to: 2m, kind: 200 }] } }
`,
    })
    expect(code).toBe(1)
    for (const path of [
      'duration (line 2)',
      'clients[0].rate (line 4)',
      'clients[0].keys (line 5)',
      'clients[0].promptTokens (line 7)',
      'clients[0].bursts[0].to (line 8)',
      'clients[0].speed (line 9)',
      'upstreams.openai.outages[0].kind (line 10)',
    ])
      expect(logged).toContain(`- ${path}: `)
  })

  const clients = (more: string) =>
    `duration: 2m\nclients:\n  - { rate: 1, keys: [app], models: [small], ${more} }\n`
  it.each([
    [
      'duration: 0\nclients: [{ rate: 1, keys: [app], models: [small] }]',
      'duration (line 1): got 0, expected a duration above 0',
    ],
    [clients('from: 90s, to: 30s'), "clients[0].to (line 3): got '30s', expected a time after from"],
    [clients('to: 0'), 'clients[0].to (line 3): got 0, expected a time after 0'],
    [
      clients('from: 2m'),
      "clients[0].from (line 3): got '2m', expected a time before the end of the traffic, which is 120 s",
    ],
    [
      clients('diurnal: { share: 1, periodMs: 0 }'),
      'clients[0].diurnal.periodMs (line 3): got 0, expected a duration above 0',
    ],
    [
      clients('to: 1m, bursts: [{ from: 60s, to: 70s, factor: 2 }]'),
      "clients[0].bursts[0].from (line 3): got '60s', expected a time before 60 s, when these clients stop",
    ],
    [
      clients('from: 1m, bursts: [{ from: 0, to: 60s, factor: 2 }]'),
      "clients[0].bursts[0].to (line 3): got '60s', expected a time after 60 s, when these clients begin",
    ],
    [
      `${traffic}upstreams: { openai: { outages: [{ from: 0, to: 1s }, { from: 10m, to: 20m }] } }`,
      "upstreams.openai.outages[1].from (line 6): got '10m', expected a time before the end of the traffic",
    ],
    [
      `${traffic}upstreams: { openai: { failures: [{ kind: 500, share: 0.7 }, { kind: 429, share: 0.7 }] } }`,
      'upstreams.openai.failures (line 6): got shares with a sum of 1.4, expected a sum of at most 1',
    ],
    ...['0', '{ uniform: { min: 0, max: 0 } }', '{ exponential: { mean: 0 } }', '{ empirical: [0, 80] }'].map(
      speed => [
        `${traffic}upstreams: { openai: { tokensPerSecond: ${speed} } }`,
        `upstreams.openai.tokensPerSecond (line 6): got ${speed === '0' ? '0' : 'an object'}, expected tokens per second above 0`,
      ],
    ),
    [
      `${traffic}gateways: 3\nstores: { limits: { partitions: [{ from: 0, to: 1m, gateways: [2, 7] }] } }`,
      'stores.limits.partitions[0].gateways[1] (line 7): got 7, expected a gateway from 0 to 2.',
    ],
    [
      `${traffic}stores: { ledger: { partitions: [{ from: 3m, to: 4m }, { from: 0, to: 1m, gateways: [] }] } }`,
      'stores.ledger.partitions[1].gateways (line 6): got an empty list, expected a list of at least 1 numbers of gateways',
    ],
    [
      `${traffic}stores: { health: { partitions: [{ from: 3m, to: 4m }] } }`,
      "stores.health.partitions[0].from (line 6): got '3m', expected a time before the end",
    ],
    [
      `${traffic}crashes: [{ gateway: 1, at: 1m }]`,
      'crashes[0].gateway (line 6): got 1, expected 0, the only gateway.',
    ],
    [
      `${traffic}crashes: [{ gateway: 0, at: 120000 }]`,
      'crashes[0].at (line 6): got 120000, expected a time before the end',
    ],
    [
      'duration: 1s\nclients: [{ rate: 0, keys: [app], models: [small] }]',
      'traffic.yaml: no request arrives in 1 s with seed 1, expected at least one',
    ],
  ])('rejects traffic that never happens: %j', async (traffic, message) => {
    const found = await runSimulate(['--traffic', 'traffic.yaml'], { 'traffic.yaml': traffic })
    expect(found).toMatchObject({ code: 1, printed: '', logged: expect.stringContaining(message) })
    // One cause, one error.
    expect(found.logged).not.toContain('errors:')
  })

  it('checks the numbers of gateways by --gateways', async () => {
    const partition = `${traffic}stores: { limits: { partitions: [{ from: 0, to: 1s, gateways: [1] }] } }`
    const files = { 'traffic.yaml': partition.replace('duration: 2m', 'duration: 5s') }
    const two = await runSimulate(['--traffic', 'traffic.yaml', '--gateways', '2'], files)
    expect(two.code, two.logged).toBe(0)
    const one = await runSimulate(['--traffic', 'traffic.yaml', '--gateways', '1'], files)
    expect(one).toMatchObject({ code: 1, logged: expect.stringContaining('partitions[0].gateways[0]') })
  })

  it('takes shares of failures that sum to 1', async () => {
    const failures =
      'failures: [{ kind: 500, share: 0.7 }, { kind: 429, share: 0.2 }, { kind: 503, share: 0.1 }]'
    const found = await runSimulate(['--traffic', 'traffic.yaml'], {
      'traffic.yaml': `${traffic.replace('duration: 2m', 'duration: 5s')}upstreams: { openai: { ${failures} } }`,
    })
    expect(found.code, found.logged).toBe(0)
  })

  it('says what the configuration has not, and what cannot be simulated', async () => {
    const names = traffic.replace('[smart, {', '[smrt, {').replace('keys: [app]', 'keys: [ap]')
    const unknown = await runSimulate(['--traffic', 'traffic.yaml'], { 'traffic.yaml': names })
    expect(unknown.code).toBe(1)
    expect(unknown.logged).toContain(
      "- The traffic has the key 'ap', expected one of app, batch. Did you mean 'app'?",
    )
    expect(unknown.logged).toContain(
      "- The traffic has the model 'smrt', expected one of smart, small. Did you mean 'smart'?",
    )
    const bedrock = await runSimulate(['--traffic', 'traffic.yaml'], {
      'sluice.config.yaml': config
        .replace('anthropic: {}', 'anthropic: { type: bedrock, region: eu-west-1 }')
        .concat("hooks: [{ type: webhook, url: 'https://a.example/hook', secret: '0123456789abcdef' }]"),
    })
    expect(bedrock.code, bedrock.logged).toBe(1)
    expect(bedrock.logged).toContain("- The provider 'anthropic' (bedrock): its streams are binary.")
    expect(bedrock.logged).toContain('- The hook webhook: it calls another server.')
  })
})

describe('parseCrash', () => {
  it('reads a gateway, when it crashes, and when it runs again', () => {
    expect(parseCrash('0:10m')).toEqual({ gateway: 0, atMs: 600_000 })
    expect(parseCrash('12:90s..2m')).toEqual({ gateway: 12, atMs: 90_000, downMs: 30_000 })
  })

  it.each(['0', 'a:1m', '0:1m..', '0:1m..1m', '0:1m:2m', '-1:1m', '0:1'])('rejects %s', text => {
    expect(() => parseCrash(text)).toThrow('--crash is')
  })
})

describe('parseOutage', () => {
  it('reads a provider, a range and what happens', () => {
    expect(parseOutage('openai:10m..25m')).toEqual({
      provider: 'openai',
      outage: { fromMs: 600_000, toMs: 1_500_000 },
    })
    expect(parseOutage('my-own:0..90s:429').outage).toEqual({ fromMs: 0, toMs: 90_000, kind: 429 })
    expect(parseOutage('a:1s..2s:timeout').outage.kind).toBe('timeout')
  })

  it.each([
    'openai',
    'openai:5m',
    'openai:5m..1m',
    'openai:5m..6m:200',
    'openai:5m..6m:slow',
    ':1m..2m',
    'a:1..2',
  ])('rejects %s', text => {
    expect(() => parseOutage(text)).toThrow('--outage is')
  })
})
