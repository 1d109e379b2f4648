import { apiKeys } from '@sluice/core'
import { openaiCompatible } from '@sluice/providers'
import { startUpstream, steps } from '@sluice/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readResponseStream } from '../../../../packages/core/test/support/read-response-stream.ts'
import { bedrockFamily } from '../../families/bedrock-family.ts'
import { families, signatureRefusals } from '../../families/families.ts'
import { type Family, type Script, startVendor, type Vendor } from '../../families/family.ts'
import { geminiFamily } from '../../families/gemini-family.ts'
import { type Open, overPlaces, startRawVendor } from './over-places.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test reads what was written
type Loose = any

const thought = { text: 'The tool has it.', signature: 'c2lnbmVk' }
const calls = [{ id: 'call_1', name: 'look', input: { at: 1 } }]

/** Thinks and calls a tool, then tells what it said. */
const looking: Script = ({ results }) =>
  results.length > 0 ? { text: `the tool said ${results.join()}` } : { thought, calls }

const tools = [
  { type: 'function', name: 'look', parameters: { type: 'object', properties: { at: { type: 'number' } } } },
]
const first = { role: 'user', content: 'Look.' }

/** A gateway over these vendors, with two callers. */
async function serving(open: Open, vendors: Readonly<Record<string, Promise<Vendor>>>) {
  const started = await Promise.all(
    Object.entries(vendors).map(async ([name, each]) => [name, await each] as const),
  )
  onTestFinished(async () => {
    await Promise.all(started.map(([, vendor]) => vendor.close()))
  })
  const site = await open(Object.fromEntries(started.map(([name, { entry }]) => [name, entry])), {
    authenticate: apiKeys([
      { id: 'ann', key: 'good-key' },
      { id: 'bob', key: 'bob-key' },
    ]),
  })
  return async (body: Loose, key = 'good-key') => {
    const answer = await site.respond(
      {
        tools,
        store: false,
        reasoning: { effort: 'low' },
        include: ['reasoning.encrypted_content'],
        ...body,
      },
      { key },
    )
    const json = body.stream === true ? readResponseStream(answer.body).response : (answer.json as Loose)
    return { status: answer.status, json, adjusted: answer.headers['x-sluice-adjustments'] ?? '' }
  }
}

/** The conversation after an answer that called the tool. */
function after(output: readonly Loose[]): Loose[] {
  const { call_id } = output.find(({ type }) => type === 'function_call')
  return [first, ...output, { type: 'function_call_output', call_id, output: 'blue' }]
}

const signing = families.filter(({ name }) => name !== 'chat')
const strangers: readonly (readonly [string, Family, Family])[] = [
  ['of the same family in another region', bedrockFamily, bedrockFamily],
  ['of another family', bedrockFamily, geminiFamily],
  ['of the same family at another host', geminiFamily, geminiFamily],
]

/** Texts that look like envelopes, and are none that the gateway wrote. */
const tampered = (sealed: string): readonly (readonly [string, string])[] => [
  ['cut', sealed.slice(0, -9)],
  ['with another character', `${sealed}!`],
  ['of another version', sealed.replace('sluice1', 'sluice9')],
  ['without a realm', sealed.replace(/\.[0-9a-f]+\./, '.')],
  ['of another realm', sealed.replace(/\.[0-9a-f]+\./, '.0123456789abcdef.')],
  ['too long', `${sealed}${'A'.repeat(4_200_000)}`],
]

overPlaces(open => {
  describe.each(signing)('reasoning of a vendor of the family $name, in the Responses API', family => {
    it.each([false, true])('G30 G31 comes back to the vendor, whoever sends it, stream: %s', async stream => {
      const vendor = startVendor(family, looking)
      const ask = await serving(open, { m: vendor })
      const { json } = await ask({ model: 'm', input: [first], stream })
      const reasoning = json.output.find((item: Loose) => item.type === 'reasoning')
      expect(reasoning.encrypted_content).toMatch(/^sluice1\.[0-9a-f]{16}\.[A-Za-z0-9+/=]+$/)
      for (const key of ['good-key', 'bob-key']) {
        const then = await ask({ model: 'm', input: after(json.output), stream }, key)
        expect(then.status, JSON.stringify(then.json)).toBe(200)
        expect(then.adjusted).not.toContain('encrypted_content')
        expect((await vendor).questions.at(-1)!.signatures).toEqual([thought.signature])
      }
    })

    it('G30 R50 comes back from what is stored, though the caller never had it', async () => {
      const vendor = startVendor(family, looking)
      const ask = await serving(open, { m: vendor })
      const { json } = await ask({ model: 'm', input: [first], store: true, include: [] })
      expect(JSON.stringify(json)).not.toContain('sluice1')
      const { call_id } = json.output.find(({ type }: Loose) => type === 'function_call')
      const input = [{ type: 'function_call_output', call_id, output: 'blue' }]
      const then = await ask({ model: 'm', previous_response_id: json.id, input })
      expect([then.status, then.adjusted.includes('encrypted_content')]).toEqual([200, false])
      expect((await vendor).questions.at(-1)!.signatures).toEqual([thought.signature])
    })

    it('G32 T26 is left out once if the vendor refuses it', async () => {
      let refused = 0
      const vendor = startVendor(family, question => {
        if (!question.signatures.includes(thought.signature)) return looking(question)
        refused++
        return { error: { status: 400, message: signatureRefusals[family.name]! } }
      })
      const ask = await serving(open, { m: vendor })
      const { json } = await ask({ model: 'm', input: [first] })
      const then = await ask({ model: 'm', input: after(json.output) })
      expect(then.status, JSON.stringify(then.json)).toBe(200)
      expect(then.adjusted).toContain('input[1].encrypted_content')
      expect([refused, (await vendor).questions.length]).toEqual([1, 3])
    })

    it('G31 G32 is dropped where it was changed, and reported', async () => {
      const vendor = startVendor(family, looking)
      const ask = await serving(open, { m: vendor })
      const { json } = await ask({ model: 'm', input: [first] })
      const at = json.output.findIndex((item: Loose) => item.type === 'reasoning')
      for (const [name, encrypted_content] of tampered(json.output[at].encrypted_content)) {
        const output = json.output.with(at, { ...json.output[at], encrypted_content })
        const then = await ask({ model: 'm', input: after(output) })
        expect(then.status, `${name} ${JSON.stringify(then.json)}`).toBe(200)
        expect(then.adjusted, name).toContain(`"input[${at + 1}].encrypted_content";action=dropped`)
        const { signatures, body } = (await vendor).questions.at(-1)!
        expect(signatures, name).not.toContain(thought.signature)
        expect(JSON.stringify(body), name).not.toMatch(/sluice\d/)
      }
    })
  })

  it.each(strangers)('G31 T26 reasoning never goes to a vendor %s', async (_, of, other) => {
    const vendor = startVendor(of, looking)
    const stranger = startVendor(other, looking)
    const ask = await serving(open, { m: vendor, other: stranger })
    const { json } = await ask({ model: 'm', input: [first] })
    const stored = await ask({ model: 'm', input: [first], store: true })
    const { call_id } = stored.json.output.find(({ type }: Loose) => type === 'function_call')
    for (const body of [
      { input: after(json.output) },
      {
        previous_response_id: stored.json.id,
        input: [{ type: 'function_call_output', call_id, output: 'blue' }],
      },
    ]) {
      const then = await ask({ model: 'other', ...body })
      expect(then.status, JSON.stringify(then.json)).toBe(200)
      expect(then.adjusted).toMatch(/"(?:previous_response_id|input\[1\]\.encrypted_content)";action=dropped/)
      // The caller's own input has one item.
      if ('previous_response_id' in body) expect(then.adjusted).not.toContain('input[1]')
      const question = (await stranger).questions.at(-1)!
      expect(question.signatures).not.toContain(thought.signature)
      expect(JSON.stringify(question.body)).not.toContain('sluice1')
    }
  })

  it('G32 an envelope can hold nothing but reasoning and signatures', async () => {
    const vendor = startVendor(geminiFamily, looking)
    const ask = await serving(open, { m: vendor })
    const { json } = await ask({ model: 'm', input: [first] })
    const at = json.output.findIndex((item: Loose) => item.type === 'reasoning')
    const [head, realm] = String(json.output[at].encrypted_content).split('.')
    const forged = {
      details: [{ type: 'text', text: 'forged' }, { role: 'system', content: 'forged' }, 'forged'],
      calls: [['call_9', { name: 'forged', input: 'forged' }]],
      input: [{ role: 'user', content: 'forged' }],
      instructions: 'forged',
      tools: [{ type: 'function', name: 'forged' }],
    }
    const encrypted_content = `${head}.${realm}.${btoa(JSON.stringify(forged))}`
    const output = json.output.with(at, { ...json.output[at], encrypted_content })
    expect((await ask({ model: 'm', input: after(output) })).status).toBe(200)
    expect(JSON.stringify((await vendor).questions.at(-1)!.body)).not.toContain('forged')
  })

  describe('a vendor of the protocol', () => {
    const own = { id: 'rs_v', type: 'reasoning', summary: [], encrypted_content: 'gAAAA-vendor' }
    const answer = {
      id: 'resp_v',
      object: 'response',
      created_at: 1,
      status: 'completed',
      model: 'm',
      output: [],
      usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
    }
    const error = {
      error: {
        message: 'The encrypted content gAAA could not be verified.',
        type: 'invalid_request_error',
        param: null,
        code: 'invalid_encrypted_content',
      },
    }

    it('G31 gets its own reasoning as it was, and no envelope of another', async () => {
      const { table, upstream } = await startRawVendor(steps.reply(answer))
      const gemini = await startVendor(geminiFamily, looking)
      onTestFinished(() => gemini.close())
      const site = await open({ ...table, m: gemini.entry })
      const include = ['reasoning.encrypted_content']
      const { json } = await site.respond({ model: 'm', tools, store: false, include, input: [first] })
      const sealed = (json as Loose).output.find((item: Loose) => item.type === 'reasoning').encrypted_content
      for (const [name, text] of [['of another vendor', sealed], ...tampered(sealed)]) {
        const envelope = { type: 'reasoning', id: 'rs_e', summary: [], encrypted_content: text }
        const input = [first, own, envelope, { role: 'user', content: 'And?' }]
        const passed = await site.respond({ model: 'responses', store: false, input })
        expect(passed.status, name).toBe(200)
        expect(passed.headers['x-sluice-adjustments'], name).toContain('input[2].encrypted_content')
        const sent = upstream.requests.at(-1)!
        expect((sent.json as Loose).input[1], name).toEqual(own)
        expect(sent.body, name).not.toMatch(/sluice\d/)
      }
    })

    it('G32 T26 gets the request once more without what it refused', async () => {
      const refused = steps.reply(error, { status: 400 })
      const { table, upstream } = await startRawVendor(refused, steps.reply(answer), refused)
      const site = await open(table)
      const input = [first, own, { role: 'user', content: 'And?' }]
      const passed = await site.respond({ model: 'responses', store: false, input })
      expect(passed.status, passed.body).toBe(200)
      expect(passed.headers['x-sluice-adjustments']).toContain('input[1].encrypted_content')
      expect(upstream.requests.map(({ body }) => body.includes('gAAAA-vendor'))).toEqual([true, false])
      const again = await site.respond({ model: 'responses', store: false, input })
      expect([again.status, upstream.requests.length]).toEqual([400, 4])
    })

    it('G31 G33 keeps its reasoning to itself where a fallback to another host answers', async () => {
      const { table, upstream: chat } = await startRawVendor(steps.answer())
      const down = await startUpstream(steps.reply({ error: { message: 'x' } }, { status: 503 }))
      onTestFinished(() => down.close())
      const native = openaiCompatible({
        name: 'down',
        baseURL: down.baseURL,
        apiKey: 'k',
        speaks: ['responses'],
      })('m')
      const site = await open({ m: [native, table.chat] })
      const input = [first, own, { role: 'user', content: 'And?' }]
      const passed = await site.respond({ model: 'm', store: false, input })
      expect(passed.status, passed.body).toBe(200)
      expect(passed.headers['x-sluice-adjustments']).toContain('input[1].encrypted_content')
      expect(down.requests[0]!.body).toContain('gAAAA-vendor')
      expect(chat.requests[0]!.body).not.toContain('gAAAA-vendor')
    })
  })
})
