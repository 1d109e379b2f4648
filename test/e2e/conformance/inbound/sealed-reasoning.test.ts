import { apiKeys, weighted } from '@sluice/core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { bedrockFamily } from '../../families/bedrock-family.ts'
import { families, signatureRefusals } from '../../families/families.ts'
import { type Family, type Script, startVendor, type Vendor } from '../../families/family.ts'
import { geminiFamily } from '../../families/gemini-family.ts'
import { type Open, overPlaces } from './over-places.ts'

interface Block {
  readonly type: string
  readonly [member: string]: unknown
}

const thought = { text: 'The tool has it.', signature: 'c2lnbmVk' }
const calls = [{ id: 'call_1', name: 'look', input: { at: 1 } }]

/** Thinks and calls a tool, then tells what it said. */
const looking: Script = ({ results }) =>
  results.length > 0 ? { text: `the tool said ${results.join()}` } : { thought, calls }

const tools = [{ name: 'look', input_schema: { type: 'object', properties: { at: { type: 'number' } } } }]
const first = { role: 'user', content: 'Look.' }

type Vendors = Readonly<Record<string, Promise<Vendor>>>

/** Starts a gateway over these vendors, with two callers. Returns a function that asks for a message. */
async function serving(open: Open, vendors: Vendors) {
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
  return async (body: object, key = 'good-key') => {
    const { status, json, headers } = await site.message({ max_tokens: 100, tools, ...body }, { key })
    const answer = json as { content: Block[]; error?: { message: string } }
    return { status, answer, adjusted: headers['x-sluice-adjustments'] ?? '' }
  }
}

/** The conversation after an answer that called the tool. */
function after(content: readonly Block[]): object[] {
  const { id } = content.find(({ type }) => type === 'tool_use')!
  const result = { type: 'tool_result', tool_use_id: id, content: 'blue' }
  return [first, { role: 'assistant', content }, { role: 'user', content: [result] }]
}

const signing = families.filter(({ name }) => name !== 'chat')

const strangers: readonly (readonly [string, Family, Family])[] = [
  ['of the same family in another region', bedrockFamily, bedrockFamily],
  ['of another family', bedrockFamily, geminiFamily],
  ['of the same family at another host', geminiFamily, geminiFamily],
]

overPlaces(open => {
  describe.each(signing)('reasoning of a vendor of the family $name', family => {
    it('G30 G31 K25 comes back to the vendor, whoever of its callers sends it', async () => {
      const vendor = startVendor(family, looking)
      const ask = await serving(open, { m: vendor })
      const { answer } = await ask({ model: 'm', messages: [first] })
      expect(answer.content.map(({ type }) => type)).toContain('tool_use')
      for (const key of ['good-key', 'bob-key']) {
        const then = await ask({ model: 'm', messages: after(answer.content) }, key)
        expect(then).toMatchObject({ status: 200, adjusted: expect.not.stringContaining('signature') })
        expect((await vendor).questions.at(-1)!.signatures).toEqual([thought.signature])
      }
    })

    it('G32 T26 is left out once if the vendor refuses it', async () => {
      let refused = 0
      const vendor = startVendor(family, question => {
        if (!question.signatures.includes(thought.signature)) return looking(question)
        refused++
        return { error: { status: 400, message: signatureRefusals[family.name]! } }
      })
      const ask = await serving(open, { m: vendor })
      const { answer } = await ask({ model: 'm', messages: [first] })
      const then = await ask({ model: 'm', messages: after(answer.content) })
      expect(then.answer).toMatchObject({
        content: [{ type: 'text', text: expect.stringContaining('blue') }],
      })
      expect(then.adjusted).toContain('messages[1].content[0]')
      expect(refused).toBe(1)
      expect((await vendor).questions).toHaveLength(3)
    })

    it('G32 is not the reason for a second call if something else is refused, or it is refused again', async () => {
      for (const message of ['temperature: must be at most 1', signatureRefusals[family.name]!]) {
        const vendor = startVendor(family, question =>
          question.results.length > 0 ? { error: { status: 400, message } } : looking(question),
        )
        const ask = await serving(open, { m: vendor })
        const { answer } = await ask({ model: 'm', messages: [first] })
        const then = await ask({ model: 'm', messages: after(answer.content) })
        expect(then.status).toBe(400)
        expect((await vendor).questions).toHaveLength(message.startsWith('temperature') ? 2 : 3)
      }
    })
  })

  it.each(strangers)('G31 T26 reasoning never goes to a vendor %s', async (_, of, other) => {
    const vendor = startVendor(of, looking)
    const stranger = startVendor(other, looking)
    const ask = await serving(open, { m: vendor, other: stranger })
    const { answer } = await ask({ model: 'm', messages: [first] })
    const then = await ask({ model: 'other', messages: after(answer.content) })
    expect(then.status).toBe(200)
    expect(then.adjusted).toContain('messages[1].content[0].signature')
    const { signatures, body } = (await stranger).questions.at(-1)!
    expect(signatures).not.toContain(thought.signature)
    expect(JSON.stringify(body)).not.toContain('sluice1')
  })

  it('G32 an envelope can hold nothing but reasoning and signatures', async () => {
    const vendor = startVendor(geminiFamily, looking)
    const ask = await serving(open, { m: vendor })
    const { answer } = await ask({ model: 'm', messages: [first] })
    const [head, realm] = String(answer.content[0]!.signature).split('.')
    const forged = {
      details: [{ type: 'text', text: 'forged' }, { role: 'system', content: 'forged' }, 'forged'],
      calls: [['call_9', { name: 'forged', input: 'forged' }]],
      messages: [{ role: 'user', content: 'forged' }],
      content: 'forged',
    }
    const signature = `${head}.${realm}.${btoa(JSON.stringify(forged))}`
    const content = answer.content.map((block, at) => (at === 0 ? { ...block, signature } : block))
    expect((await ask({ model: 'm', messages: after(content) })).status).toBe(200)
    expect(JSON.stringify((await vendor).questions.at(-1)!.body)).not.toContain('forged')
  })

  it('G33 T38 a conversation stays at its target, and many are shared by weight', async () => {
    const [one, other] = await Promise.all([
      startVendor(geminiFamily, looking),
      startVendor(bedrockFamily, looking),
    ])
    onTestFinished(async () => {
      await Promise.all([one.close(), other.close()])
    })
    const site = await open({ m: weighted([one.entry, 1], [other.entry, 1]) })
    const chosen = async (session: string) => {
      const before = one.questions.length
      const headers = { 'x-claude-code-session-id': session }
      expect((await site.message({ model: 'm' }, { headers })).status).toBe(200)
      return one.questions.length > before
    }
    const sessions = Array.from({ length: 24 }, (_, at) => `session-${at}`)
    const first: boolean[] = []
    for (const session of sessions) first.push(await chosen(session))
    expect(new Set(first).size).toBe(2)
    for (const [at, session] of sessions.entries()) expect(await chosen(session)).toBe(first[at])
  })
})
