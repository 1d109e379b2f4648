import { gemini } from '@sluice/providers'
import { steps } from '@sluice/testing'
import { expect, it } from 'vitest'
import { eventsOf, type Message, messageFrom, messageOf } from './inbound-site.ts'
import { overPlaces, startRawVendor, startVendors } from './over-places.ts'

const tools = [{ name: 'get_weather', input_schema: { type: 'object' } }]
const script = ({ results }: { readonly results: readonly string[] }) =>
  results.length > 0
    ? { text: 'done' }
    : {
        thought: { text: 'I need the weather.', signature: 'c2lnbmVkLWJ5LXZlbmRvcg==' },
        text: 'I look.',
        calls: [{ id: 'call_1', name: 'get_weather', input: { city: 'Paris' } }],
      }

/** The conversation after an answer, with the result of its call. */
function next({ content }: Message): object[] {
  const { id } = content.find(({ type }) => type === 'tool_use')!
  return [
    { role: 'user', content: 'Weather?' },
    { role: 'assistant', content },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'sunny' }] },
  ]
}

overPlaces(open => {
  it.each(
    ['anthropic', 'gemini', 'bedrock'].flatMap(model =>
      [false, true].map(stream => [model, stream] as const),
    ),
  )('T27 T29 K25 brings the signatures of %s back to it, stream: %s', async (model, stream) => {
    const { table, asked } = await startVendors(script)
    // Another gateway has no memory of the first answer.
    const [one, two] = [await open(table), await open(table)]
    const answer = await one.message({ model, stream, tools })
    const message = stream ? messageFrom(await eventsOf(answer)) : messageOf(answer)
    for (const { type, signature, data } of message.content) {
      if (type === 'thinking') expect(signature).toMatch(/^[\x21-\x7e]*$/)
      if (type === 'redacted_thinking') expect(data).toMatch(/^[\x21-\x7e]+$/)
    }
    const again = await two.message({ model, tools, messages: next(message) })
    expect(messageOf(again).content).toMatchObject([{ text: 'done' }])
    expect(asked(model).at(-1)!.signatures).toEqual(['c2lnbmVkLWJ5LXZlbmRvcg=='])
  })

  it('T25 T27 leaves thoughts of a vendor of the protocol as they are', async () => {
    const { table, asked } = await startVendors(script)
    const site = await open(table)
    const message = messageOf(await site.message({ model: 'anthropic', tools }))
    const messages = next(message)
    await site.message({ model: 'anthropic', tools, messages })
    expect(asked('anthropic')[1]!.body.messages).toEqual(messages)
    expect(message.content[0]).toEqual({
      type: 'thinking',
      thinking: 'I need the weather.',
      signature: 'c2lnbmVkLWJ5LXZlbmRvcg==',
    })
  })

  it.each(['gemini', 'bedrock'])('T26 sends reasoning of %s to no vendor of the protocol', async model => {
    const { table, asked } = await startVendors(script)
    const site = await open(table)
    const message = messageOf(await site.message({ model, tools }))
    const answer = await site.message({ model: 'anthropic', tools, messages: next(message) })
    expect(answer.status, answer.body).toBe(200)
    if (model === 'gemini') expect(asked('anthropic')[0]!.signatures).toEqual([])
    expect(JSON.stringify(asked('anthropic')[0]!.body)).not.toContain('sluice1.')
  })

  it('G31 sends a signature of a vendor to no server with chat completions', async () => {
    const { upstream, table } = await startRawVendor(steps.answer())
    const site = await open(table)
    const content = [
      { type: 'thinking', thinking: 'Hm.', signature: 'c2lnbmVk' },
      { type: 'redacted_thinking', data: 'c2VjcmV0' },
      { type: 'text', text: 'Yes.' },
    ]
    const messages = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content },
      { role: 'user', content: 'So?' },
    ]
    const answer = await site.message({ messages })
    expect(answer.status, answer.body).toBe(200)
    const sent = upstream.requests[0]!.body
    expect(sent).toContain('"reasoning_content":"Hm."')
    expect(sent).not.toMatch(/c2lnbmVk|c2VjcmV0|reasoning_details/)
    const adjustments = answer.headers['x-sluice-adjustments']
    expect(adjustments).toContain('"messages[1].content[0].signature";action=dropped')
    expect(adjustments).toContain('"messages[1].content[1].data";action=dropped')
  })

  it('T29 gives a call of Gemini without a signature the one that the vendor takes', async () => {
    const { upstream } = await startRawVendor(
      steps.reply({
        candidates: [{ content: { role: 'model', parts: [{ text: 'x' }] }, finishReason: 'STOP' }],
      }),
    )
    const site = await open({
      g: gemini({ apiKey: 'k', baseURL: `${upstream.url}/v1beta` })('gemini-3-pro-preview'),
    })
    const content = [{ type: 'tool_use', id: 't', name: 'get_weather', input: {} }]
    const answer = await site.message({
      model: 'g',
      tools,
      messages: next({ content } as unknown as Message),
    })
    expect(answer.status, answer.body).toBe(200)
    expect(upstream.requests[0]!.body).toMatch(
      /"thoughtSignature":"(skip_thought_signature_validator|context_engineering_is_the_way_to_go)"/,
    )
  })
})
