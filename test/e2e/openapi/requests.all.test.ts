import { createGateway } from '@sluice/core'
import { openApiDocument } from '@sluice/core/openapi'
import { local } from '@sluice/providers'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { validator } from './description.ts'

/*
 * The document and the gateway agree on requests. Where they do not, it is for what JSON Schema has no words for:
 * - keys of `metadata` are counted in UTF-16 units by the gateway, and in code points by JSON Schema;
 * - with `validation: 'live'`, rules that span fields and those of the conversation;
 * - what the model, or its vendor, cannot do.
 */

type Profile = 'schema' | 'live'

const document = (validation: Profile) => openApiDocument({ validation })
const reference = { $ref: '#/components/schemas/ChatCompletionRequest' }
const accepts = {
  schema: validator(document('schema'), reference),
  live: validator(document('live'), reference),
}

const gateway = (validation: Profile) =>
  createGateway({
    authenticate: () => ({ id: 'anyone' }),
    route: () => [{ provider: { ...local().provider, encode: taken }, model: 'm' }],
    validation,
  })
const gateways = { schema: gateway('schema'), live: gateway('live') }

/** Nobody is asked: that a request came so far says that it is sound. */
function taken(): never {
  throw new Error('taken')
}

/** Whether the gateway takes a request, and what it says where it does not. */
async function verdict(profile: Profile, body: unknown) {
  const response = await gateways[profile].fetch(
    new Request('http://sluice.test/v1/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  )
  const { error } = await response.json()
  return { sound: response.status !== 400, message: `${error.param}: ${error.message}` }
}

async function expectAgreement(profile: Profile, body: unknown): Promise<boolean> {
  const { sound, message } = await verdict(profile, body)
  // The document says nothing of numbers that lose digits where any value may be.
  if (/^not_of_the_protocol\S*: Invalid .* integer above/.test(message)) return sound
  const validate = accepts[profile]
  const described = validate(body)
  const words = `${message} / ${JSON.stringify(validate.errors)} / ${JSON.stringify(body)}`
  expect(described, words).toBe(sound)
  return sound
}

/** A request with every field of the protocol, of which most runs keep a few. */
const everything = {
  frequency_penalty: 1,
  function_call: 'auto',
  functions: [{ name: 'f', description: 'd', parameters: { type: 'object' }, strict: false }],
  logit_bias: { '50256': -100 },
  logprobs: true,
  max_completion_tokens: 5,
  metadata: { a: 'b' },
  modalities: ['text'],
  audio: { voice: 'alloy', format: 'wav' },
  moderation: { model: 'omni' },
  n: 2,
  parallel_tool_calls: false,
  prediction: { type: 'content', content: [{ type: 'text', text: 'x' }] },
  presence_penalty: -2,
  prompt_cache_key: 'k',
  prompt_cache_options: { mode: 'implicit', ttl: '1h' },
  prompt_cache_retention: '24h',
  reasoning_effort: 'low',
  response_format: { type: 'json_schema', json_schema: { name: 'n', schema: {}, strict: null } },
  safety_identifier: 's',
  seed: 1,
  service_tier: 'auto',
  stop: ['a', 'b'],
  store: false,
  stream: false,
  stream_options: { include_usage: true, include_obfuscation: false },
  temperature: 0.5,
  tool_choice: { type: 'function', function: { name: 'f' } },
  tools: [
    { type: 'function', function: { name: 'f', parameters: {} } },
    {
      type: 'custom',
      custom: { name: 'c', format: { type: 'grammar', grammar: { definition: 'x', syntax: 'lark' } } },
    },
    { type: 'custom', custom: { name: 'c', format: { type: 'text' } } },
  ],
  top_logprobs: 3,
  top_p: 1,
  user: 'u',
  verbosity: 'high',
  web_search_options: {
    search_context_size: 'low',
    user_location: { type: 'approximate', approximate: { country: 'FR' } },
  },
  not_of_the_protocol: { a: [1] },
}

const messages = [
  { role: 'system', content: 'Be brief.', name: 'host' },
  { role: 'developer', content: [{ type: 'text', text: 'Be brief.' }] },
  {
    role: 'user',
    content: [
      { type: 'text', text: 'See' },
      { type: 'image_url', image_url: { url: 'HTTPS://a.test/b.png', detail: 'low' } },
      { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } },
      { type: 'file', file: { file_id: 'f', filename: null } },
    ],
  },
  {
    role: 'assistant',
    content: null,
    refusal: 'no',
    audio: { id: 'a' },
    function_call: { name: 'f', arguments: '{}' },
    tool_calls: [
      { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } },
      { id: 'b', type: 'custom', custom: { name: 'c', input: 'x' } },
    ],
  },
  { role: 'tool', content: 'x', tool_call_id: 'a' },
  { role: 'function', content: null, name: 'f' },
]

const base = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] }

/** What a member is replaced by: mostly what is close to sound. */
const instead = fc.oneof(
  fc.constantFrom(null, true, 0, -1, 1, 2, 3, 20, 21, 128, 129, 0.5, 2.5, -100, 101, 2 ** 53, 1e300),
  fc.constantFrom(
    '',
    'a',
    'auto',
    'none',
    'text',
    'function',
    'custom',
    'user',
    'x'.repeat(65),
    'x'.repeat(513),
    'a b',
  ),
  fc.constantFrom('ftp://a', 'data:x', 'Http://a', ' http://a'),
  fc.constantFrom(
    [],
    {},
    [null],
    ['a'],
    ['a', 'b', 'c', 'd', 'e'],
    [[]],
    [{}],
    { type: 'text' },
    { a: 1 },
    { '12': 5 },
  ),
  fc.constant(Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`k${index}`, 'v']))),
  fc.constant({ [`k${'x'.repeat(64)}`]: 'v' }),
  fc.jsonValue({ maxDepth: 2 }),
)

/** A request of some fields and messages, and then up to three changes somewhere in it. */
const requests = fc
  .record({
    fields: fc.subarray(Object.keys(everything), { maxLength: 4 }),
    said: fc.subarray(messages, { minLength: 1 }),
    changes: fc.array(fc.record({ at: fc.nat(), value: instead, remove: fc.boolean() }), { maxLength: 3 }),
  })
  .map(({ fields, said, changes }) => {
    const chosen = Object.fromEntries(Object.entries(everything).filter(([name]) => fields.includes(name)))
    const body = structuredClone({ model: 'm', messages: said, ...chosen })
    for (const { at, value, remove } of changes) change(body, at, value, remove)
    return body as Record<string, unknown>
  })
  // A model that is missing is refused before the rest is looked at, as is one that is no text.
  .filter(({ model }) => model === 'm')

/** Replaces or removes the `at`th member that a value holds, however deep. */
function change(value: object, at: number, by: unknown, remove: boolean): void {
  const places: [object: Record<string, unknown>, key: string][] = []
  const walk = (inside: Record<string, unknown>): void => {
    for (const [key, member] of Object.entries(inside)) {
      places.push([inside, key])
      if (typeof member === 'object' && member !== null) walk(member as Record<string, unknown>)
    }
  }
  walk(value as Record<string, unknown>)
  const place = places[at % places.length]
  if (place === undefined) return
  const [holder, key] = place
  if (!remove) holder[key] = structuredClone(by)
  else if (Array.isArray(holder)) holder.splice(Number(key), 1)
  else delete holder[key]
}

describe('requests', () => {
  it.each(Object.entries(everything))('are sound to both with %s', async (name, value) => {
    expect(await expectAgreement('schema', { ...base, [name]: value })).toBe(true)
    expect(await expectAgreement('schema', { ...base, [name]: null })).toBe(true)
  })

  it('are sound to both with every kind of message', async () => {
    expect(await expectAgreement('schema', { model: 'm', messages })).toBe(true)
    for (const message of messages) await expectAgreement('schema', { model: 'm', messages: [message] })
  })

  it('are sound to both, or to neither, whatever is changed', async () => {
    let sound = 0
    let faulty = 0
    await fc.assert(
      fc.asyncProperty(requests, async body => {
        if (await expectAgreement('schema', body)) sound++
        else faulty++
      }),
      { numRuns: 3_000, interruptAfterTimeLimit: 15_000 },
    )
    // Not all of one kind: else nothing would have been compared.
    expect(Math.min(sound, faulty)).toBeGreaterThan(50)
  })

  it('that the live profile takes are as its document says', async () => {
    await fc.assert(
      fc.asyncProperty(requests, async body => {
        const { sound, message } = await verdict('live', body)
        if (sound) expect(accepts.live(body), `${message} ${JSON.stringify(accepts.live.errors)}`).toBe(true)
      }),
      { numRuns: 1_000, interruptAfterTimeLimit: 10_000 },
    )
  })

  it('without a model, or with one that is no text, are sound to neither', async () => {
    for (const model of [undefined, null, '', 1, {}]) {
      expect(await expectAgreement('schema', { ...base, model })).toBe(false)
    }
  })

  it('count the characters of strings alike, but for the keys of metadata', async () => {
    const faces = (count: number) => '\u{1f600}'.repeat(count)
    expect(await expectAgreement('schema', { ...base, safety_identifier: faces(64) })).toBe(true)
    expect(await expectAgreement('schema', { ...base, safety_identifier: faces(65) })).toBe(false)
    const body = { ...base, metadata: { [faces(64)]: 'v' } }
    expect([accepts.schema(body), (await verdict('schema', body)).sound]).toEqual([true, false])
  })
})
