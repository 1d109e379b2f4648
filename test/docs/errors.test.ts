import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  apiKeys,
  budget,
  createGateway,
  type ErrorReason,
  type Gateway,
  GatewayError,
  type GatewayOptions,
  limits,
  models,
  requests,
  tokens,
} from '@sluice/core'
import { local, openaiCompatible } from '@sluice/providers'
import { findClosedPort, startMisbehavingUpstream, startUpstream, steps } from '@sluice/testing'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { ask } from './runner/ask.ts'
import { describePage } from './runner/describe-page.ts'
import { readPage, root, tableUnder } from './runner/markdown.ts'

const page = 'docs/errors.md'
const rows = tableUnder(page, '## Error codes')
const bare = (cell: string) => cell.replaceAll('`', '')

/** The names in the table of the code. */
const names = [
  ...readFileSync(join(root, 'packages/core/src/errors/errors.ts'), 'utf8')
    .split('} as const satisfies')[0]!
    .matchAll(/^ {2}(\w+): \[/gm),
].map(([, name]) => name as ErrorReason)

/** What the client library raises for an answer. */
async function raised(response: Response): Promise<string> {
  const client = new OpenAI({
    apiKey: 'k',
    baseURL: 'http://there.test/v1',
    maxRetries: 0,
    fetch: async () => response,
  })
  const asking = client.chat.completions.create({
    model: 'm',
    messages: [{ role: 'user', content: 'Hello' }],
  })
  return asking.then(
    () => 'nothing',
    error => error.constructor.name,
  )
}

describe('the table of refusals', () => {
  it('has a row for each refusal of the code, and none more', () => {
    expect(names.length).toBeGreaterThan(30)
    expect(rows.map(row => bare(row[3]!)).sort()).toEqual([...names].sort())
  })

  it.each(rows.map(row => [bare(row[3]!), row] as const))('%s', async (name, row) => {
    const error = new GatewayError(name as ErrorReason)
    const [status, code, type, , client] = row
    const [, shown, anchor] = /^\[(.+)\]\(#(\w+)\)$/.exec(code!)!
    expect([Number(status), bare(shown!), bare(type!)]).toEqual([
      error.status,
      String(error.code),
      error.type,
    ])
    expect(anchor).toBe(error.code ?? name)
    expect(bare(client!)).toBe(await raised(error.toResponse()))
  })
})

/** A gateway that can refuse in many ways, and what makes it do so. */
function gatewayOf(options: Partial<GatewayOptions> = {}): Gateway {
  return createGateway({
    authenticate: apiKeys([{ id: 'ann', key: 'sk-ann', models: ['demo', 'text', 'thinker'] }]),
    route: models({
      demo: local()('demo'),
      text: local()('text', { input: [], maxChoices: 2 }),
      thinker: local()('thinker', { reasoning: true }),
      closed: local()('closed'),
    }),
    ...options,
  })
}

const message = { role: 'user', content: 'Hello' }
const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }

/** What may be spent, and a store that is away. */
const spending = budget(1, 'usd').per('day')
const down = () => Promise.reject(new Error('secret'))

type Cause = [
  refusal: ErrorReason,
  body: unknown,
  param: string | null,
  more?: RequestInit,
  path?: string | undefined,
  options?: Partial<GatewayOptions>,
]

const causes: Cause[] = [
  ['missing_api_key', {}, null, { headers: { 'content-type': 'application/json' } }],
  ['invalid_api_key', {}, null, { headers: { authorization: 'Bearer sk-wrong' } }],
  ['model_not_allowed', { model: 'closed' }, null],
  ['model_not_found', { model: 'nobody' }, null],
  ['unknown_url', {}, null, {}, '/v1/elsewhere'],
  ['method_not_supported', undefined, null, { method: 'PUT' }],
  ['invalid_json', '{', null],
  ['invalid_json', '[]', null],
  ['invalid_request', '{"model":"demo","model":"demo","messages":[]}', 'model'],
  [
    'unsupported_content_type',
    {},
    null,
    { headers: { authorization: 'Bearer sk-ann', 'content-type': 'text/plain' } },
  ],
  ['missing_model', { model: '' }, null],
  ['missing_required_parameter', { messages: [{ content: 'Hello' }] }, 'messages[0].role'],
  ['empty_array', { messages: [] }, 'messages'],
  ['empty_string', { input: '' }, 'input', {}, '/v1/embeddings'],
  ['invalid_type', { temperature: 'hot' }, 'temperature'],
  ['invalid_value', { messages: [{ role: 'bogus', content: 'Hello' }] }, 'messages[0].role'],
  ['decimal_above_max_value', { temperature: 2.1 }, 'temperature'],
  ['decimal_below_min_value', { top_p: -0.1 }, 'top_p'],
  ['integer_above_max_value', { n: 129 }, 'n'],
  ['integer_below_min_value', { max_tokens: -1 }, 'max_tokens'],
  ['array_above_max_length', { stop: ['a', 'b', 'c', 'd', 'e'] }, 'stop'],
  [
    'string_above_max_length',
    { tools: [{ type: 'function', function: { name: 'x'.repeat(65) } }] },
    'tools[0].function.name',
  ],
  [
    'object_above_max_properties',
    { metadata: Object.fromEntries([...Array(17).keys()].map(k => [k, 'v'])) },
    'metadata',
  ],
  [
    'property_name_above_max_length',
    { metadata: { ['k'.repeat(65)]: 'v' } },
    expect.stringMatching(/^metadata/),
  ],
  ['unknown_parameter', { top_k: 1 }, 'top_k', {}, undefined, { unknownParameters: 'reject' }],
  [
    'invalid_value',
    { model: 'text', messages: [{ role: 'user', content: [image] }] },
    'messages[0].content[0].type',
  ],
  ['integer_above_max_value', { model: 'text', n: 3 }, 'n'],
  [
    'unsupported_value',
    { model: 'thinker', temperature: 0.5 },
    'temperature',
    {},
    undefined,
    { validation: 'live' },
  ],
  [
    'unsupported_parameter',
    { model: 'thinker', max_tokens: 5 },
    'max_tokens',
    {},
    undefined,
    { validation: 'live' },
  ],
  [
    'invalid_parameter_combination',
    { max_tokens: 1, max_completion_tokens: 1 },
    'max_tokens',
    {},
    undefined,
    { validation: 'live' },
  ],
  ['invalid_request', { stream_options: {} }, 'stream_options', {}, undefined, { validation: 'live' }],
  ['body_too_large', { user: 'x'.repeat(100) }, null, {}, undefined, { requestLimits: { maxBytes: 100 } }],
  ['model_not_priced', {}, null, {}, undefined, { limits: budget(1, 'usd').per('day') }],
  ['tokens_rate_limit_exceeded', {}, null, {}, undefined, { limits: tokens(5).per('day') }],
  ['insufficient_quota', {}, null, {}, undefined, { limits: spending, prices: () => 2 }],
  [
    'limiter_unavailable',
    {},
    null,
    {},
    undefined,
    { limits: limits([spending], { store: { admit: down, settle: down, renew: down } }), prices: () => 0.1 },
  ],
  ['authentication_unavailable', {}, null, {}, undefined, { authenticate: apiKeys(down) }],
  [
    'ledger_unavailable',
    {},
    null,
    {},
    undefined,
    { limits: spending, prices: () => 0.1, ledger: { open: down, close() {} } },
  ],
  ['service_overloaded', {}, null, { headers: {} }, undefined, { loadShedder: () => 'secret' }],
  [
    'server_error',
    {},
    null,
    {},
    undefined,
    {
      authorize: () => {
        throw new Error('secret')
      },
    },
  ],
]

/** Sends what causes an error. */
async function responseTo([, body, , more = {}, path = '/v1/chat/completions', options = {}]: Cause) {
  const sent =
    typeof body === 'object' ? JSON.stringify({ model: 'demo', messages: [message], ...body }) : body
  return gatewayOf(options).fetch(`http://sluice.test${path}`, {
    method: 'POST',
    headers: { authorization: 'Bearer sk-ann', 'content-type': 'application/json' },
    ...(sent === undefined ? {} : { body: sent as string }),
    ...more,
  })
}

/** The section of each code, or of a reason without one: its text by its heading. */
const sections = new Map(
  readPage(page)
    .split('\n## Causes and fixes\n')[1]!
    .split('\n## ')[0]!
    .split('\n### ')
    .slice(1)
    .map(text => [text.slice(0, text.indexOf('\n')), text] as const),
)

describe('the sections', () => {
  const sectionOf = (reason: ErrorReason) => new GatewayError(reason).code ?? reason

  it('are one for each code, and for each reason without one', () => {
    expect([...sections.keys()].sort()).toEqual([...new Set(names.map(sectionOf))].sort())
  })

  it.each([...sections])(
    '%s has a status, a cause, a fix, and an example that is sent so',
    async (code, text) => {
      const reasons = names.filter(name => sectionOf(name) === code)
      for (const reason of reasons) expect(text).toContain(String(new GatewayError(reason).status))
      expect(text).toMatch(/\n\*\*Cause\.\*\* [\s\S]+\.\n\n\*\*Fix\.\*\* [\s\S]+\.\n\n```json\n/)
      const real = await Promise.all(
        causes
          .filter(([reason]) => reasons.includes(reason))
          .map(async cause => (await responseTo(cause)).json()),
      )
      // What only a vendor or a store causes has the default message.
      const known = [...real, ...reasons.map(reason => new GatewayError(reason).toBody())]
      const examples = /```json\n([\s\S]+)\n```/.exec(text)![1]!.split('\n')
      for (const example of examples) expect(known).toContainEqual(JSON.parse(example))
    },
  )
})

describe('what the page says is when', () => {
  it.each(causes)('%s: %j', async (...cause) => {
    const [reason, , param] = cause
    const response = await responseTo(cause)
    const expected = new GatewayError(reason)
    expect(response.status).toBe(expected.status)
    expect(response.headers.get('x-request-id')).toMatch(/^req_/)
    const text = await response.text()
    expect(JSON.parse(text)).toEqual({
      error: { message: expect.any(String), type: expected.type, param, code: expected.code },
    })
    expect(text).not.toContain('secret')
  })

  it('rate_limit_exceeded, with retry-after', async () => {
    const gateway = gatewayOf({ limits: requests(1).per('minute') })
    const asking = { key: 'sk-ann', fetch: gateway.fetch }
    expect(await ask('http://sluice.test/v1', asking)).toMatchObject({ status: 200 })
    const refused = await ask('http://sluice.test/v1', asking)
    expect(refused).toMatchObject({ status: 429, code: 'rate_limit_exceeded' })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    expect(Number(refused.headers.get('retry-after-ms'))).toBeGreaterThanOrEqual(1)
  })

  it('too_many_uploads, with retry-after', async () => {
    const gateway = gatewayOf({ requestLimits: { maxUploads: 1, uploadGraceMs: 1 } })
    const leaving = new AbortController()
    const answers = [1, 2].map(() => {
      const headers = { authorization: 'Bearer sk-ann', 'content-type': 'application/json' }
      const init = { method: 'POST', headers, body: new ReadableStream(), duplex: 'half' } as RequestInit
      const url = 'http://sluice.test/v1/chat/completions'
      return gateway.fetch(new Request(url, { ...init, signal: leaving.signal }))
    })
    const refused = await Promise.race(answers)
    expect(refused.status).toBe(429)
    expect(await refused.json()).toMatchObject({ error: { type: 'requests', code: 'too_many_uploads' } })
    const ms = Number(refused.headers.get('retry-after-ms'))
    expect(ms).toBeGreaterThanOrEqual(1_000)
    expect(ms).toBeLessThan(5_000)
    leaving.abort()
    await Promise.all(answers)
  })

  it('shutting_down', async () => {
    const gateway = gatewayOf()
    await gateway.close()
    const refused = await ask('http://sluice.test/v1', { key: 'sk-ann', fetch: gateway.fetch })
    expect(refused).toMatchObject({ status: 503, code: 'server_is_overloaded' })
    expect(refused.headers.get('retry-after')).toBe('1')
  })
})

describe("what a vendor's failure becomes", () => {
  const told = async (baseURL: string, timeouts = {}) => {
    const vendor = openaiCompatible({ name: 'vendor', baseURL })
    const gateway = gatewayOf({ route: models({ demo: vendor('m') }), timeouts })
    const got = await ask('http://sluice.test/v1', { key: 'sk-ann', fetch: gateway.fetch })
    await gateway.close()
    return [got.status, got.code]
  }
  const table = tableUnder(page, '## Upstream errors')
  const statuses = table.flatMap(([vendor = '', caller = '']) =>
    [...vendor.matchAll(/\d{3}/g)].map(([status]) => [Number(status), caller] as const),
  )

  it.each([
    ...statuses,
    [500, '502 `bad_gateway`'],
    [418, '502 `bad_gateway`'],
    [302, '502 `bad_gateway`'],
  ] as const)('%i: %s', async (status, caller) => {
    const upstream = await startUpstream(
      steps.reply({ error: { message: 'no', type: 't', param: null, code: null } }, { status }),
    )
    const [told_status, code] = await told(upstream.baseURL)
    await upstream.close()
    const [expected = '', name] = bare(caller).split(/,? /)
    expect(String(told_status)).toBe(expected)
    if (/^[a-z_]+$/.test(name ?? '') && name !== 'in') expect(code).toBe(name)
  })

  it('no connection, a cut, garbage', async () => {
    expect(await told(`http://127.0.0.1:${await findClosedPort()}`)).toEqual([502, 'bad_gateway'])
    for (const way of ['cut-mid-body', 'garbage', 'invalid-json'] as const) {
      const upstream = await startMisbehavingUpstream(way)
      expect(await told(upstream.baseURL), way).toEqual([502, 'bad_gateway'])
      await upstream.close()
    }
  })

  it('silence', async () => {
    const upstream = await startMisbehavingUpstream('hang-before-headers')
    expect(await told(upstream.baseURL, { firstByteMs: 50, responseMs: 50 })).toEqual([504, 'timeout'])
    await upstream.close()
  })

  it('in the middle of a stream', async () => {
    const upstream = await startMisbehavingUpstream('cut-between-chunks')
    const vendor = openaiCompatible({ name: 'vendor', baseURL: upstream.baseURL })
    const { fetch } = gatewayOf({ route: models({ demo: vendor('m') }) })
    const response = await fetch('http://sluice.test/v1/chat/completions', {
      method: 'POST',
      headers: { authorization: 'Bearer sk-ann', 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'demo', stream: true, messages: [message] }),
    })
    const events = (await response.text()).split('\n\n')
    await upstream.close()
    expect(response.status).toBe(200)
    expect(readFileSync(join(root, page), 'utf8')).toContain(`\n${events.at(-2)}\n`)
    expect(events.join()).not.toContain('[DONE]')
  })
})

describePage(page, {
  'own-errors': async ({ run }) => {
    const running = await run()
    const { fetch } = running.exports.gateway as Gateway
    const as = (user: string) => ask('http://sluice.test/v1', { headers: { 'x-user': user }, fetch })
    expect(await as('ann')).toMatchObject({ status: 200 })
    const inDebt = await as('in-debt')
    expect(inDebt).toMatchObject({ status: 429, code: 'insufficient_quota' })
    expect(inDebt.headers.get('x-should-retry')).toBe('false')
    expect(await as('unlucky')).toMatchObject({ status: 500, code: null })
    expect(running.printed).toEqual([
      '429 GatewayError: Your invoice of October is open.',
      '500 Error: The table users is gone.',
    ])
  },
})
