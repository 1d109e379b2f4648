import {
  ConfigurationError,
  type EndEvent,
  GatewayError,
  type GatewayEvent,
  UpstreamError,
} from '@sluice/core'
import { Counter, type OpenMetricsContentType, Registry } from 'prom-client'
import { describe, expect, it } from 'vitest'
import { attempt, ended, usage } from './fake-events.ts'
import { type PrometheusOptions, prometheus } from './prometheus.ts'

/** The lines of a page of metrics, but for comments, after some events. */
async function told(events: readonly GatewayEvent[], options?: PrometheusOptions): Promise<string[]> {
  const metrics = prometheus(options)
  for (const event of events) metrics.observe(event)
  const response = await metrics.endpoint.fetch(new Request('http://sluice.test/metrics'), '/metrics')
  return (await response.text()).split('\n').filter(line => line !== '' && !line.startsWith('#'))
}

async function linesOf(name: string, events: readonly GatewayEvent[], options?: PrometheusOptions) {
  return (await told(events, options)).filter(line => line.startsWith(`sluice_${name}`))
}

const begun = (requestId: string, model = 'big'): GatewayEvent => ({
  type: 'begin',
  requestId,
  clientRequestId: undefined,
  at: 0,
  operation: 'generate',
  dialect: 'chat',
  principal: { id: 'ann' },
  model,
  stream: false,
})
const refused = (refusal: ConstructorParameters<typeof GatewayError>[0]): Partial<EndEvent> => ({
  outcome: 'refused',
  status: 429,
  attempts: [],
  usage: undefined,
  cost: null,
  error: new GatewayError(refusal),
})

describe('prometheus', () => {
  it('counts requests by model, status and outcome; a name that is no model is unknown', async () => {
    const stranger = ended({ ...refused('model_not_found'), status: 404, model: undefined })
    expect(await linesOf('requests_total', [ended(), ended(), stranger])).toEqual([
      'sluice_requests_total{operation="generate",dialect="chat",model="big",status="200",outcome="completed"} 2',
      'sluice_requests_total{operation="generate",dialect="chat",model="unknown",status="404",outcome="refused"} 1',
    ])
  })

  it('tells operations and dialects apart, and never end users', async () => {
    const embedded = { operation: 'embed', dialect: 'embeddings', user: 'eve' } as const
    const lines = await told([
      ended(),
      ended(embedded),
      ended({ ...embedded, ...refused('rate_limit_exceeded'), status: 429 }),
    ])
    const labels = 'operation="embed",dialect="embeddings",model="big"'
    expect(lines).toContain(`sluice_requests_total{${labels},status="200",outcome="completed"} 1`)
    expect(lines).toContain(`sluice_request_duration_seconds_count{${labels},outcome="completed"} 1`)
    expect(lines).toContain(
      'sluice_refusals_total{operation="embed",dialect="embeddings",reason="rate_limit_exceeded"} 1',
    )
    expect(lines).toContain(
      'sluice_tokens_total{operation="embed",model="big",provider="acme",use="answer",type="input"} 812',
    )
    expect(lines.join()).not.toContain('eve')
    const invented = Array.from({ length: 5 }, (_, index) => ended({ dialect: `d${index}` }))
    const dialects = (await linesOf('requests_total', invented, { maxLabelValues: 2 })).map(
      line => /dialect="(.*?)"/.exec(line)?.[1],
    )
    expect(dialects).toEqual(['d0', 'd1', 'other'])
  })

  it('tells durations in seconds', async () => {
    const timings = { queue: 250, firstByte: 400, total: 1500 }
    const lines = await told([begun('req_1'), ended({ timings, stream: true })])
    expect(lines).toContain(
      'sluice_request_duration_seconds_sum{operation="generate",dialect="chat",model="big",outcome="completed"} 1.5',
    )
    expect(lines).toContain(
      'sluice_first_byte_seconds_sum{operation="generate",dialect="chat",model="big",stream="true"} 0.4',
    )
    expect(lines).toContain(
      'sluice_first_byte_seconds_bucket{le="0.5",operation="generate",dialect="chat",model="big",stream="true"} 1',
    )
    expect(lines).toContain(
      'sluice_queue_wait_seconds_sum{operation="generate",dialect="chat",model="big"} 0.25',
    )
    expect(lines).toContain('sluice_overhead_seconds_bucket{le="0.001"} 1')
  })

  it('knows what is under way, also where ids come twice', async () => {
    const events = [begun('a'), begun('b'), begun('c', 'small')]
    expect(await linesOf('requests_in_flight', events)).toEqual([
      'sluice_requests_in_flight{operation="generate",dialect="chat",model="big"} 2',
      'sluice_requests_in_flight{operation="generate",dialect="chat",model="small"} 1',
    ])
    const ends = ['a', 'b', 'c'].map(requestId => ended({ requestId }))
    expect(await linesOf('requests_in_flight', [...events, ...ends])).toEqual([
      'sluice_requests_in_flight{operation="generate",dialect="chat",model="big"} 0',
      'sluice_requests_in_flight{operation="generate",dialect="chat",model="small"} 0',
    ])
    const twice = [begun('a'), begun('a'), ended({ requestId: 'a' }), ended({ requestId: 'a' })]
    expect(await linesOf('requests_in_flight', twice)).toEqual([
      'sluice_requests_in_flight{operation="generate",dialect="chat",model="big"} 0',
    ])
  })

  it('counts each token once, by what it was', async () => {
    expect(await linesOf('tokens_total', [ended({ usage: usage(100, 50, 30, 20) })])).toEqual([
      'sluice_tokens_total{operation="generate",model="big",provider="acme",use="answer",type="input"} 70',
      'sluice_tokens_total{operation="generate",model="big",provider="acme",use="answer",type="input_cached"} 30',
      'sluice_tokens_total{operation="generate",model="big",provider="acme",use="answer",type="output"} 30',
      'sluice_tokens_total{operation="generate",model="big",provider="acme",use="answer",type="output_reasoning"} 20',
    ])
    // A vendor that says more came from its cache than there was.
    expect(await linesOf('tokens_total', [ended({ usage: usage(10, 0, 30) })])).toEqual([
      'sluice_tokens_total{operation="generate",model="big",provider="acme",use="answer",type="input_cached"} 10',
    ])
  })

  it('adds up what was spent, and says where no price is known and where tokens are a guess', async () => {
    const events = [ended({ cost: 0.5 }), ended({ cost: 0.25 }), ended({ cost: null, usageEstimated: true })]
    const lines = await told(events)
    const labels = '{operation="generate",model="big",provider="acme",use="answer"}'
    expect(lines).toContain(`sluice_cost_usd_total${labels} 0.75`)
    expect(lines).toContain(`sluice_unpriced_total${labels} 1`)
    expect(lines).toContain(`sluice_estimated_usage_total${labels} 1`)
  })

  it('counts calls whose answer nobody got beside the others, and their attempts once', async () => {
    const winner = attempt({ provider: 'two', why: 'hedge' })
    const loser = attempt({ error: Object.assign(new Error('Sooner.'), { name: 'AnsweredElsewhere' }) })
    const unused = {
      requestId: 'req_1',
      operation: 'generate' as const,
      dialect: 'chat',
      principal: { id: 'ann' },
      user: undefined,
      model: 'big',
      responseModel: undefined,
      usage: usage(3, 0),
      usageEstimated: true,
    }
    const lines = await told([
      ended({ attempts: [loser, winner] }),
      { type: 'discarded_call', ...unused, attempt: loser, cost: 1 },
      {
        type: 'discarded_call',
        ...unused,
        attempt: attempt({ why: 'shadow', provider: 'three' }),
        cost: null,
      },
    ])
    expect(lines.filter(line => line.startsWith('sluice_attempts_total'))).toEqual([
      'sluice_attempts_total{provider="acme",upstream_model="big-1",why="first",result="cut_off",upstream_status=""} 1',
      'sluice_attempts_total{provider="two",upstream_model="big-1",why="hedge",result="ok",upstream_status=""} 1',
      'sluice_attempts_total{provider="three",upstream_model="big-1",why="shadow",result="ok",upstream_status=""} 1',
    ])
    expect(lines).toContain(
      'sluice_tokens_total{operation="generate",model="big",provider="two",use="answer",type="input"} 812',
    )
    expect(lines).toContain(
      'sluice_tokens_total{operation="generate",model="big",provider="acme",use="discarded",type="input"} 3',
    )
    expect(lines).toContain(
      'sluice_cost_usd_total{operation="generate",model="big",provider="acme",use="discarded"} 1',
    )
    expect(lines).toContain(
      'sluice_unpriced_total{operation="generate",model="big",provider="three",use="discarded"} 1',
    )
  })

  it('says what attempts failed with', async () => {
    const upstream = (status: number) => new UpstreamError('No.', { kind: 'refused', status })
    const attempts = [
      attempt({ error: upstream(429), status: 429 }),
      attempt({ error: upstream(7777), status: 7777 }),
      attempt({ error: new UpstreamError('Late.', { kind: 'first_byte_timeout' }) }),
      attempt({ called: false, error: new Error('It could not be written.') }),
      attempt({ error: new TypeError('A fault.') }),
    ]
    const lines = await linesOf('attempts_total', [ended({ attempts })])
    expect(lines.map(line => /result="(\w+)",upstream_status="(\w*)"/.exec(line)!.slice(1))).toEqual([
      ['refused', '429'],
      ['refused', 'other'],
      ['first_byte_timeout', ''],
      ['not_called', ''],
      ['failed', ''],
    ])
  })

  it('counts what hooks did, and their time', async () => {
    const trace = (outcome: 'changed' | 'passed') => ({
      trace: { seed: 1, candidates: [], overheadMs: 1, hooks: [{ name: 'redact', outcome, ms: 500 }] },
    })
    expect(await told([ended(trace('changed')), ended(trace('passed')), ended(trace('changed'))])).toEqual(
      expect.arrayContaining([
        'sluice_hooks_total{hook="redact",outcome="changed"} 2',
        'sluice_hooks_total{hook="redact",outcome="passed"} 1',
        'sluice_hook_seconds_total{hook="redact"} 1.5',
      ]),
    )
  })

  it('counts lost rows of the request log', async () => {
    expect(await told([{ type: 'ledger_records_lost', records: 3, reason: 'closed' }])).toContain(
      'sluice_ledger_records_lost_total{reason="closed"} 3',
    )
    expect(await told([{ type: 'log_rows_lost', rows: 7, reason: 'full' }])).toContain(
      'sluice_log_rows_lost_total{reason="full"} 7',
    )
  })

  it('counts requests whose bodies were lost', async () => {
    expect(await told([{ type: 'log_bodies_lost', rows: 3, reason: 'redact_failed' }])).toContain(
      'sluice_log_bodies_lost_total{reason="redact_failed"} 3',
    )
  })

  it('counts refusals, those that rules asShadow would have made, the cache and replays', async () => {
    const lines = await told([
      ended(refused('rate_limit_exceeded')),
      ended(refused('insufficient_quota')),
      ended({ ...refused('invalid_api_key'), authFailure: { reason: 'expired', id: 'k1' } }),
      ended({ wouldHaveRefused: ['requests(1).per(minute)', 'concurrent(5)'] }),
      ended({ cache: 'hit', attempts: [], usage: undefined }),
      ended({ cache: 'miss' }),
      ended({ replayed: true, attempts: [], usage: undefined }),
    ])
    expect(lines).toEqual(
      expect.arrayContaining([
        'sluice_refusals_total{operation="generate",dialect="chat",reason="rate_limit_exceeded"} 1',
        'sluice_refusals_total{operation="generate",dialect="chat",reason="insufficient_quota"} 1',
        'sluice_auth_failures_total{reason="expired"} 1',
        'sluice_dry_run_refusals_total{rule="requests(1).per(minute)"} 1',
        'sluice_dry_run_refusals_total{rule="concurrent(5)"} 1',
        'sluice_cache_requests_total{model="big",result="hit"} 1',
        'sluice_cache_requests_total{model="big",result="miss"} 1',
        'sluice_replayed_total{model="big"} 1',
      ]),
    )
  })

  it('counts attempts by key, and tells which keys are in cooldown, where a provider has several', async () => {
    const limited = new UpstreamError('No.', { kind: 'refused', status: 429 })
    const key = { type: 'provider_key', provider: 'acme', model: 'big-1', error: undefined } as const
    const cooldown = { state: 'cooldown', waitMs: 30_000, reason: 'rate_limited', scope: 'all' } as const
    const available = { state: 'available', waitMs: 0, reason: undefined, scope: undefined } as const
    const lines = await told([
      { ...key, key: 'key 1', ...cooldown },
      { ...key, key: 'key 2', ...cooldown },
      { ...key, key: 'key 2', ...available },
      ended({
        attempts: [attempt({ key: 'key 1', status: 429, error: limited }), attempt({ key: 'key 2' })],
      }),
      ended(),
    ])
    expect(lines.filter(line => line.startsWith('sluice_provider_key'))).toEqual([
      'sluice_provider_key_attempts_total{provider="acme",key="key 1",result="refused"} 1',
      'sluice_provider_key_attempts_total{provider="acme",key="key 2",result="ok"} 1',
      'sluice_provider_key_in_cooldown{provider="acme",upstream_model="big-1",key="key 1"} 1',
      'sluice_provider_key_in_cooldown{provider="acme",upstream_model="big-1",key="key 2"} 0',
    ])
  })

  it('tells the state of each target and store as it is now', async () => {
    const target = { type: 'target', provider: 'acme', model: 'big-1', error: undefined } as const
    const left = { reason: 'upstream_auth', scope: 'all', unavailableMs: 0 } as const
    const store = { type: 'store', store: 'limits', error: undefined } as const
    const lines = await told([
      { ...target, ...left, state: 'open', waitMs: 30_000 },
      { ...target, ...left, state: 'half_open', waitMs: 0, unavailableMs: 30_000 },
      { ...store, state: 'failing' },
      { ...store, store: 'keys', state: 'failing' },
      { ...store, state: 'working' },
    ])
    expect(lines.filter(line => line.startsWith('sluice_target_state'))).toEqual([
      'sluice_target_state{provider="acme",upstream_model="big-1",state="closed"} 0',
      'sluice_target_state{provider="acme",upstream_model="big-1",state="cooldown"} 0',
      'sluice_target_state{provider="acme",upstream_model="big-1",state="open"} 0',
      'sluice_target_state{provider="acme",upstream_model="big-1",state="half_open"} 1',
    ])
    const since = lines.filter(line => line.startsWith('sluice_target_unavailable_since_seconds'))
    const seconds = (reason: string) =>
      Number(
        since
          .find(line => line.includes(`reason="${reason}"`))
          ?.split(' ')
          .at(-1),
      )
    expect(since).toHaveLength(5)
    expect(Math.abs(Date.now() / 1_000 - 30 - seconds('upstream_auth'))).toBeLessThan(5)
    expect(seconds('overloaded')).toBe(0)
    expect(lines).toContain('sluice_store_failing{store="limits"} 0')
    expect(lines).toContain('sluice_store_failing{store="keys"} 1')
  })

  it('counts faults inside and warnings', async () => {
    const lines = await told([
      { type: 'internal_error', requestId: 'r', error: new Error('No.') },
      ended({ outcome: 'internal_error', status: 500 }),
      { type: 'warning', code: 'load_shedder_failed', message: 'It failed.' },
    ])
    expect(lines).toContain('sluice_internal_errors_total 2')
    expect(lines).toContain('sluice_warnings_total{code="load_shedder_failed"} 1')
  })

  it('has labels for the tags that it is told, and for no others', async () => {
    const principal = { id: 'ann', tags: { team: 'red', 'cost-centre': '7', secret: 'x' } }
    const events = [
      ended({ principal }),
      ended({ principal: { id: 'bob' } }),
      ended({ principal: undefined }),
    ]
    expect(await linesOf('requests_total', events, { tagLabels: ['team', 'cost-centre'] })).toEqual([
      'sluice_requests_total{operation="generate",dialect="chat",model="big",status="200",outcome="completed",tag_team="red",tag_cost_centre="7"} 1',
      'sluice_requests_total{operation="generate",dialect="chat",model="big",status="200",outcome="completed",tag_team="",tag_cost_centre=""} 2',
    ])
  })

  it('counts names beyond the bound under one, however many callers make up', async () => {
    const made = Array.from({ length: 500 }, (_, index) =>
      ended({
        model: `acme/${index}`,
        unlisted: true,
        attempts: [attempt({ model: `${index}`, unlisted: true })],
        principal: { id: 'ann', tags: { team: `t${index}` } },
      }),
    )
    const bounded = { maxLabelValues: 3, tagLabels: ['team'] }
    expect(await linesOf('requests_total', made, bounded)).toEqual([
      'sluice_requests_total{operation="generate",dialect="chat",model="acme/0",status="200",outcome="completed",tag_team="t0"} 1',
      'sluice_requests_total{operation="generate",dialect="chat",model="acme/1",status="200",outcome="completed",tag_team="t1"} 1',
      'sluice_requests_total{operation="generate",dialect="chat",model="acme/2",status="200",outcome="completed",tag_team="t2"} 1',
      'sluice_requests_total{operation="generate",dialect="chat",model="other",status="200",outcome="completed",tag_team="other"} 497',
    ])
    expect((await told(made, bounded)).length).toBeLessThan(250)
    const changed = made.map(
      (_, index): GatewayEvent => ({
        type: 'target',
        provider: 'acme',
        model: `${index}`,
        unlisted: true,
        state: 'open',
        waitMs: 1,
        reason: 'overloaded',
        scope: 'all',
        unavailableMs: 0,
        error: undefined,
      }),
    )
    expect(await linesOf('target_state', changed, bounded)).toHaveLength(12)
  })

  describe('names that callers make up', () => {
    const bounded = { maxLabelValues: 2 }
    const unlisted = true as const
    const madeUp = Array.from({ length: 5 }, (_, index) =>
      ended({ model: `any/${index}`, unlisted, attempts: [attempt({ model: `${index}`, unlisted })] }),
    )
    const modelsOf = async (name: string, events: readonly GatewayEvent[]) =>
      (await linesOf(name, events, bounded)).map(line => /model="(.*?)"/.exec(line)?.[1])

    it('never replace a listed model or target', async () => {
      const listed = ['a', 'b', 'c'].map(model => ended({ model, attempts: [attempt({ model })] }))
      const events = [...madeUp, ...listed, begun('r', 'd')]
      expect(await modelsOf('requests_total', events)).toEqual(['any/0', 'any/1', 'other', 'a', 'b', 'c'])
      expect(await modelsOf('attempts_total', events)).toEqual(['0', '1', 'other', 'a', 'b', 'c'])
      expect(await modelsOf('requests_in_flight', events)).toEqual(['d'])
    })

    it('do not count while no upstream was called for them', async () => {
      const refusal = { ...refused('rate_limit_exceeded'), unlisted }
      const refusals = madeUp.flatMap(({ model }, index): GatewayEvent[] => [
        { ...begun(`${index}`, `${model}`), unlisted } as GatewayEvent,
        ended({ ...refusal, requestId: `${index}`, model }),
      ])
      const events = [
        ...refusals,
        ended({ model: 'any/real', unlisted }),
        ended({ ...refusal, model: 'any/real' }),
      ]
      expect(await modelsOf('requests_total', events)).toEqual(['other', 'any/real', 'any/real'])
      expect(await modelsOf('requests_in_flight', events)).toEqual(['other'])
      const waited = [{ ...begun('r', 'any/new'), unlisted } as GatewayEvent]
      waited.push(ended({ requestId: 'r', model: 'any/new', unlisted }))
      expect(await modelsOf('queue_wait_seconds_count', waited)).toEqual(['any/new'])
    })

    it('never replace a target that a route of your own calls for a listed model', async () => {
      const own = ended({ model: 'a', attempts: [attempt({ model: 'own', unlisted })] })
      expect(await modelsOf('attempts_total', [...madeUp, own])).toEqual(['0', '1', 'other', 'own'])
    })

    it('never hide the state of a listed target', async () => {
      const state = (model: string, more: object): GatewayEvent => ({
        type: 'target',
        provider: 'acme',
        model,
        state: 'open',
        waitMs: 1,
        reason: 'overloaded',
        scope: 'all',
        unavailableMs: 0,
        error: undefined,
        ...more,
      })
      const states = Array.from({ length: 5 }, (_, index) => state(`${index}`, { unlisted }))
      const models = await modelsOf('target_state', [...states, state('big-1', {})])
      expect([...new Set(models)]).toEqual(['0', '1', 'big-1'])
    })
  })

  it('takes a prefix, a registry and buckets', async () => {
    const registry = new Registry()
    new Counter({ name: 'own_total', help: 'Mine.', registers: [registry] }).inc()
    const lines = await told([ended()], { registry, prefix: 'ai_', buckets: [1, 2] })
    expect(lines).toContain('own_total 1')
    expect(lines).toContain(
      'ai_request_duration_seconds_bucket{le="2",operation="generate",dialect="chat",model="big",outcome="completed"} 1',
    )
    expect(lines.filter(line => line.startsWith('ai_request_duration_seconds_bucket'))).toHaveLength(3)
    expect(() => prometheus({ registry, prefix: 'ai_' })).toThrow(/already been registered/)
  })

  it('measures the process where it is told to', async () => {
    const names = (lines: readonly string[]) => lines.filter(line => line.startsWith('process_')).length
    expect(names(await told([]))).toBe(0)
    expect(names(await told([], { defaultMetrics: true }))).toBeGreaterThan(5)
  })

  it.each<[PrometheusOptions, readonly string[], string]>([
    [{ prefix: 'a-b' }, ['prefix'], "prometheus(): prefix: got 'a-b', expected letters"],
    [{ buckets: [] }, ['buckets'], 'buckets: got an empty list'],
    [{ buckets: [2, 1] }, ['buckets'], 'expected one or more numbers above 0, ascending'],
    [{ maxLabelValues: 0 }, ['maxLabelValues'], 'maxLabelValues: got 0'],
    [{ path: 'metrics' }, ['path'], "path: got 'metrics'"],
    [{ token: '' }, ['token'], 'token: got an empty string'],
    [{ tagLabels: 'team' as unknown as string[] }, ['tagLabels'], "tagLabels: got 'team'"],
    [{ tagLabels: ['a-b', 'a_b'] }, ['tagLabels'], 'two tags with the label tag_a_b'],
  ])('throws for %o', (options, path, message) => {
    const make = () => prometheus(options)
    expect(make).toThrow(ConfigurationError)
    expect(make).toThrow(expect.objectContaining({ issues: [expect.objectContaining({ path })] }))
    expect(make).toThrow(message)
  })

  it('lists all invalid options, and no part of the token', () => {
    const options = { prefix: 'a-b', path: 'metrics', token: ['hunter2'] as unknown as string }
    expect(() => prometheus(options)).toThrow(
      [
        'prometheus(): 3 options cannot be used:',
        "- prefix: got 'a-b', expected letters, digits and '_', such as 'sluice_'",
        "- path: got 'metrics', expected a path such as '/metrics'",
        '- token: got a list, expected a string that is not empty',
      ].join('\n'),
    )
  })
})

describe('the endpoint of metrics', () => {
  const asked = (options: PrometheusOptions = {}, init: RequestInit = {}) =>
    prometheus(options).endpoint.fetch(new Request('http://sluice.test/metrics', init), '/metrics')

  it('says what format it speaks, and that its answer is not to be kept', async () => {
    const response = await asked()
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe('no-store')
    const registry = new Registry<OpenMetricsContentType>()
    registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE)
    const open = await asked({ registry })
    expect(open.headers.get('content-type')).toMatch(/^application\/openmetrics-text/)
    expect(await open.text()).toMatch(/# EOF\n$/)
  })

  it('answers HEAD without a body, and nothing but GET and HEAD', async () => {
    const head = await asked({}, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    const post = await asked({}, { method: 'POST' })
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  it('asks for its token where it has one', async () => {
    const bearer = (token: string) =>
      asked({ token: 'scrape-me' }, { headers: { authorization: `Bearer ${token}` } })
    expect((await bearer('scrape-me')).status).toBe(200)
    for (const response of [
      await asked({ token: 'scrape-me' }),
      await bearer('scrape-m'),
      await bearer('scrape-me2'),
    ]) {
      expect(response.status).toBe(401)
      expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/)
      expect(await response.text()).not.toContain('sluice_')
    }
  })

  it('says 500 and nothing else where a metric of the owner throws', async () => {
    const registry = new Registry()
    const collect = () => {
      throw new Error('secret')
    }
    new Counter({ name: 'own_total', help: 'Mine.', registers: [registry], collect })
    const response = await asked({ registry })
    expect(response.status).toBe(500)
    expect(await response.text()).toBe('Collecting a metric failed.\n')
  })

  it('stands under its own path alone', () => {
    const { endpoint } = prometheus({ path: '/internal/metrics' })
    expect(['/internal/metrics', '/metrics'].map(path => endpoint.matches(path))).toEqual([true, false])
  })
})
